/**
 * Changes files that users exchange, each in one or two places. Each file is accepted and works, or is rejected with
 * a one-line message.
 */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { parseRecording } from '../../../src/extras/recordings/recording.ts'
import { createGateway, type Gateway, type Sandbox } from '../../../src/index.ts'
import { open } from '../../call.ts'
import { ask, tryScenario } from './any-scenario.ts'

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')

/** One rule per numeric feature. */
const rules = [
  { on: 'createResponse', rateLimit: { requests: 5, tokens: 9000, per: '1m', by: 'key' } },
  { on: 'listProviders', rateLimit: { requests: 50, per: 60_000 }, fault: { name: 'latency', ms: 20 } },
  { on: 'createResponse', when: { call: [3, 9], stream: true }, fault: { name: 'stream-cut', atEvent: 2 } },
  {
    on: 'createResponse',
    after: 1,
    probability: 0.5,
    fault: { name: 'slow-body', ms: 50, chunks: 5 },
  },
  { on: 'updateWorkspace', fault: { name: 'retry-after-date', ms: 3000 } },
  { on: 'createResponse', during: { fromMs: 10, toMs: 5000 }, fault: 'timeout' },
  { on: 'getPreset', times: 2, fault: { name: 'rate-limit', retryAfterMs: 10, limit: 5 } },
  {
    on: 'getPreset',
    sequence: ['pass', { fault: { name: 'bandwidth', bytesPerSecond: 100 } }],
    onEnd: 'repeat-last',
  },
  {
    on: 'createResponse',
    when: { input: 'Usage' },
    reply: { text: 'Five.', usage: { input_tokens: 5, output_tokens: 2 } },
  },
  {
    on: 'createResponse',
    when: { input: 'Frames' },
    reply: { status: 201, frames: [{ wait: 5 }, { data: 'x' }] },
  },
]

async function sandboxFile(): Promise<unknown> {
  const gateway = createGateway({ timeScale: 0 })
  gateway.use({ name: 'many', rules } as never)
  gateway.script([{ text: 'One.' }, { text: 'Two.' }])
  const { apiKey } = gateway
  const send = (line: string, stream?: boolean) => answer(gateway, apiKey, line, stream)
  for (const line of lines) await send(line)
  await send('POST /responses', true)
  await gateway.db.providers.update('aurora', { name: 'Changed' })
  gateway.clock.advance(5000)
  return gateway.save()
}

const recording = parseRecording(
  read('extras/recordings/golden/createResponse-4649300636fb4c01.recording.jsonl'),
)
const config = {
  seed: 7,
  recordCounts: { providers: 20 },
  timeScale: 0,
  latency: { firstToken: 5, perToken: '2ms' },
  limits: {
    requestBodyBytes: 100_000,
    journalEntries: 100,
    journalBytes: 100_000,
    journalBodyBytes: 1000,
    sandboxes: 10,
    sandboxIdleMs: 1000,
  },
  sandboxes: { default: true },
  scenarios: [{ name: 'many', rules }],
  strict: false,
}

type Kind = 'sandbox' | 'recording' | 'scenario' | 'config'

/** Returns valid files of each kind, as data. */
export async function realFiles(): Promise<readonly [Kind, unknown][]> {
  return [
    ['sandbox', await sandboxFile()],
    ['recording', recording],
    ['scenario', { name: 'many', rules }],
    ['config', config],
  ]
}

const number = fc.constantFrom(4_294_967_294, 9e15, -1e15, 1e308, -1, 0, 1e-300, 0.5, 7, 1e11)
const other = fc.oneof(
  fc.constantFrom('', 'x', '9'.repeat(300), 'a\r\nb: c', '__proto__', '2026-13-99', null, true, [], {}),
  fc.jsonValue({ maxDepth: 1 }),
)

/**
 * A position, as a share of all positions, and a change. Half of the changes replace one number with another.
 */
const change = fc.record({
  at: fc.noBias(fc.nat({ max: 9999 })).map((place) => place / 10_000),
  how: fc.constantFrom('number', 'number', 'number', 'number', 'set', 'delete', 'add', 'repeat'),
  number,
  other,
})

/** The index of a valid file, and changes to it. */
export const anyMutation = fc.record({
  of: fc.noBias(fc.nat({ max: 5 })),
  changes: fc.array(change, { minLength: 1, maxLength: 2 }),
})
type Mutation = typeof anyMutation extends fc.Arbitrary<infer Value> ? Value : never

interface Place {
  readonly owner: Record<string, unknown>
  readonly key: string
}

/** Returns a copy of the data with the changes applied. */
export function mutated(data: unknown, { changes }: Mutation): unknown {
  const root: Record<string, unknown> = { file: structuredClone(data) }
  for (const { at, how, number, other } of changes) {
    const places = placesIn(root.file)
    const numbers = places.filter(({ owner, key }) => typeof owner[key] === 'number')
    const all = how === 'number' && numbers.length > 0 ? numbers : places
    const { owner, key } = all[Math.floor(at * all.length)] ?? { owner: root, key: 'file' }
    if (how === 'delete') delete owner[key]
    else if (how === 'repeat' && Array.isArray(owner)) owner.push(structuredClone(owner[Number(key)]))
    else if (how === 'add') owner[Array.isArray(owner) ? owner.length : 'extra'] = other
    else owner[key] = how === 'number' ? number : other
  }
  // Normalised as if read from a file: without holes and without numbers that JSON cannot represent.
  return JSON.parse(JSON.stringify(root.file) ?? 'null')
}

function placesIn(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return []
  const owner = value as Record<string, unknown>
  return Object.keys(owner).flatMap((key) => [{ owner, key }, ...placesIn(owner[key])])
}

/** Returns the problem or, if there is none, whether the file was accepted. */
export async function tryFile(
  kind: Kind,
  file: unknown,
): Promise<{ wrong?: string | undefined; isValid: boolean }> {
  if (kind === 'scenario') return tryScenario(createGateway({ timeScale: 0 }), file)
  let gateway: Gateway
  let sandbox: Sandbox
  try {
    gateway = createGateway(optionsWith(kind, file) as never)
    sandbox = kind === 'sandbox' ? await gateway.openSandbox(file as never) : gateway.createSandbox()
    await sandbox.db.providers.list()
  } catch (error) {
    return {
      isValid: false,
      wrong: isOneLine(error) ? undefined : `rejected, but not with one line: ${(error as Error).stack}`,
    }
  }
  for (const line of lines) await answer(gateway, sandbox.apiKey, line)
  await answer(gateway, sandbox.apiKey, 'POST /responses', true)
  if (kind === 'recording') await answer(gateway, sandbox.apiKey, 'POST /responses', recording.request?.json)
  const { status, headers } = await open(
    { fetch: gateway.fetch, apiKey: sandbox.apiKey },
    'GET /embeddings/models',
  )
  // A configuration can let sandboxes expire immediately.
  if (kind === 'config' && status === 410) return { isValid: true }
  if (status !== 200 && !headers.has('x-understudy-scenario'))
    return { isValid: true, wrong: `${status} at the end` }
  const entries = sandbox.journal.entries()
  JSON.stringify([
    entries,
    sandbox.journal.har(),
    sandbox.activeScenarios(),
    sandbox.scripts(),
    sandbox.usage(),
  ])
  for (const entry of entries) sandbox.journal.explain(entry)
  const bad = entries.find(({ schemaViolation, status, rules, id }) => {
    const isSaved = JSON.stringify(file).includes(id)
    return !isSaved && (schemaViolation || (status >= 500 && rules.length === 0))
  })
  if (bad) return { isValid: true, wrong: `${bad.status}: ${bad.error} ${bad.warnings}` }
  if (kind === 'sandbox') await createGateway().openSandbox(sandbox.fork().save())
  sandbox.reset()
  return { isValid: true }
}

function optionsWith(kind: Kind, file: unknown): unknown {
  if (kind === 'config') return file
  if (kind === 'recording')
    return { timeScale: 0, recordings: [file], replay: { onUnmatchedRecording: 'simulate' } }
  return { timeScale: 0 }
}

/** Returns true for one of Understudy's one-line error messages, without text from the JavaScript engine. */
function isOneLine(error: unknown): boolean {
  const { name, message, status } = error as { name: string; message: string; status?: number }
  const isOurs =
    (name === 'GatewayError' && status !== undefined && status < 500) ||
    name === 'ScenarioError' ||
    message.startsWith('createGateway: ') ||
    message.startsWith('A scenario is ') ||
    message.startsWith('options.fixtures.')
  return isOurs && !message.includes('\n')
}

const lines = [
  'GET /providers',
  'GET /presets/code-review',
  'PATCH /workspaces/production',
  'POST /responses',
]

/** @param fields The body's fields, or true to request a stream. */
function answer(gateway: Gateway, apiKey: string, line: string, fields: unknown = false): Promise<void> {
  const [method = '', path = ''] = line.split(' ')
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const usual =
    method === 'PATCH' ? { name: 'Any' } : { model: 'aurora/dawn-2', input: 'Hello?', stream: fields }
  const body = JSON.stringify(typeof fields === 'object' ? fields : usual)
  return ask(gateway, path, { method, headers, ...(method !== 'GET' && { body }) })
}
