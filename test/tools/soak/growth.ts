/** Measures how processing time grows with the lists and maps that a caller can fill in requests and rules. */
import { createGateway } from '../../../src/index.ts'
import { type CallOptions, call } from '../../call.ts'

/** Sends a request to a new gateway, with `rule` in use, and reads its journal entry. */
export async function send(line: string, { rule, ...rest }: CallOptions & { rule?: object } = {}) {
  const gateway = createGateway({ timeScale: 0, limits: { requestBodyBytes: 64 * 1024 * 1024 } })
  if (rule) gateway.use({ on: '*', ...rule } as never)
  const { status } = await call(gateway, line, rest)
  const [entry] = gateway.journal.entries()
  if (entry) gateway.journal.explain(entry)
  return { status, warnings: entry?.warnings ?? [] }
}

export const list = <Item>(count: number, item: (index: number) => Item) =>
  Array.from({ length: count }, (_, index) => item(index))
export const keys = (count: number) => Object.fromEntries(list(count, (index) => [`key_${index}`, index]))
export const unknownTools = (count: number) =>
  list(count, (index) => ({ type: 'unknown', name: `tool_${index}`, extra: index }))
export const message = { role: 'user', content: 'Hello?' }
export const withFields = (fields: object) => ({
  body: JSON.stringify({ model: 'aurora/dawn-2', input: 'Hello?', ...fields }),
})

const withSchema = (schema: object) =>
  withFields({ text: { format: { type: 'json_schema', name: 'x', schema: { type: 'object', ...schema } } } })
const withReply = (body: string) => ({ rule: { reply: { body } } })

type Request = readonly [line: string, options?: CallOptions & { rule?: object }]

/** Requests with `count` items of one kind. */
const growing: Readonly<Record<string, (count: number) => Request>> = {
  'unknown keys': (count) => ['POST /responses', withFields(keys(count))],
  'unknown tools': (count) => ['POST /responses', withFields({ tools: unknownTools(count) })],
  messages: (count) => ['POST /responses', withFields({ input: list(count, () => message) })],
  'words of a streamed input': (count) => [
    'POST /responses',
    withFields({ stream: true, input: 'Hello? '.repeat(10 * count) }),
  ],
  'words to search for': (count) => [
    'POST /responses',
    withFields({ input: list(count, String).join(' '), tools: [{ type: 'gateway:web_search' }] }),
  ],
  'properties of a schema': (count) => ['POST /responses', withSchema({ properties: keys(count) })],
  'required properties': (count) => ['POST /responses', withSchema({ required: list(count, String) })],
  'nested brackets': (count) => ['POST /responses', { body: '['.repeat(10 * count) }],
  'segments of a path': (count) => [`GET ${'/a'.repeat(50 * count)}`],
  'tags in a template': (count) => ['GET /providers', withReply('{{method}}'.repeat(count))],
  'unknown tags': (count) => ['GET /providers', withReply('{{ body.a }}'.repeat(10 * count))],
  'wildcards in a pattern': (count) => [
    'GET /providers',
    { rule: { when: { headers: { accept: '*a'.repeat(count) } }, fault: 'timeout' } },
  ],
}

/** Number of items in a small case; a large case has eight times as many. */
const items = 250
/** Highest acceptable ratio of the large case's duration to the small one's. */
const maxGrowth = 10
/** Minimum duration of a run. Shorter runs are dominated by clock resolution and garbage collection. */
const leastMs = 2

/** Returns the kinds of items whose time grows faster than their number, each case as the best of 20 runs. */
export async function growingTooFast(): Promise<string[]> {
  const violations: string[] = []
  for (const [what, request] of Object.entries(growing)) {
    const best = { few: Infinity, many: Infinity }
    const isFast = () => best.many <= maxGrowth * Math.max(leastMs, Math.min(best.few, best.many))
    for (let round = 0; round < 20 && !isFast(); round++) {
      best.many = Math.min(best.many, await cpuMs(request(8 * items)))
      best.few = Math.min(best.few, await cpuMs(request(items)))
    }
    if (!isFast()) violations.push(`8 times as many ${what} take ${best.many} instead of ${best.few} ms`)
  }
  return violations
}

async function cpuMs(request: Request): Promise<number> {
  const before = process.threadCpuUsage()
  await send(...request)
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
