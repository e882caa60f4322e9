/**
 * Requests as large as a caller likes: every list, map and text that callers fill, by operation. Time is processor time
 * of this thread, and only compared.
 */
import { createGateway } from '../../src/index.ts'
import { ScenarioError } from '../../src/scenarios/check-scenario.ts'
import { call } from '../call.ts'

/** @param rule Of `gateway.use`; one that is refused is a part of the time too. */
export async function ask(body: string | undefined, line = 'POST /responses', rule?: object) {
  const extensions = ['chat', 'messages', 'embeddings'] as const
  const gateway = createGateway({ timeScale: 0, maxBodyBytes: 64 * 1024 * 1024, extensions: [...extensions] })
  const from = process.threadCpuUsage()
  if (rule) tryRule(() => gateway.use(rule as never))
  const { status, text } = await call(gateway, line, { body })
  const [{ warnings = [] } = {}] = gateway.journal.entries()
  const { user, system } = process.threadCpuUsage(from)
  return { status, text, warnings, microseconds: user + system }
}

function tryRule(use: () => void): void {
  try {
    use()
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error
  }
}

export function list<Item>(count: number, item: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => item(index))
}

export const keys = (count: number) => Object.fromEntries(list(count, (index) => [`key_${index}`, index]))
export const unknownTools = (count: number) =>
  list(count, (index) => ({ type: 'unknown', name: `tool_${index}`, extra: index }))
export const message = { role: 'user', content: 'Hello?' }
export const badMessage = { role: 7, content: 7 }
export const withFields = (fields: object) =>
  JSON.stringify({ model: 'aurora/dawn-2', input: 'Hello?', ...fields })
export const patient = 30_000

type Fields = (count: number) => object

/** Every list and map that a caller fills, by operation. */
const responses: Readonly<Record<string, Fields>> = {
  'unknown keys': keys,
  'keys of metadata': (count) => ({ metadata: keys(count) }),
  'tools of an unknown type': (count) => ({ tools: unknownTools(count) }),
  functions: (count) => ({
    tools: list(count, (index) => ({ type: 'function', name: `f_${index}`, parameters: {} })),
  }),
  'search tools': (count) => ({ tools: list(count, () => ({ type: 'gateway:web_search' })) }),
  messages: (count) => ({ input: list(count, () => message) }),
  'streamed messages': (count) => ({ stream: true, input: list(count, () => message) }),
  'bad messages': (count) => ({ input: list(count, () => badMessage) }),
  'parts of a message': (count) => ({
    input: [{ role: 'user', content: list(count, () => ({ type: 'input_text', text: 'Hi' })) }],
  }),
  'parts of an unknown type': (count) => ({
    input: [{ role: 'user', content: list(count, () => ({ type: 'x' })) }],
  }),
  'annotations of an earlier answer': (count) => ({
    input: [
      message,
      {
        type: 'message',
        id: 'm',
        status: 'completed',
        role: 'assistant',
        content: [
          {
            type: 'output_text',
            text: 'x',
            annotations: list(count, () => ({ type: 'url_citation', url: 'https://a.example' })),
          },
        ],
      },
    ],
  }),
  'calls and their outputs': (count) => ({
    input: list(count, (index) =>
      index % 2 === 0
        ? { type: 'function_call', call_id: `c${index >> 1}`, name: 'f', arguments: '{}' }
        : { type: 'function_call_output', call_id: `c${index >> 1}`, output: 'x' },
    ),
  }),
  thoughts: (count) => ({
    input: [message, ...list(count, (index) => ({ type: 'reasoning', id: `r${index}`, summary: [] }))],
  }),
  words: (count) => ({ input: 'Hello? '.repeat(10 * count) }),
  'one long word': (count) => ({ input: 'x'.repeat(100 * count) }),
  lines: (count) => ({ input: '- a line of a list\n'.repeat(4 * count) }),
  instructions: (count) => ({ instructions: 'Be brief. '.repeat(10 * count) }),
  'words to search for': (count) => ({
    input: list(4 * count, (index) => `word${index}`).join(' '),
    tools: [{ type: 'gateway:web_search' }],
  }),
  plugins: (count) => ({ plugins: list(count, () => ({ id: 'web' })) }),
  domains: (count) => ({
    plugins: [{ id: 'web', include_domains: list(count, (index) => `a${index}.example`) }],
  }),
  'excluded domains': (count) => ({
    plugins: [{ id: 'web', exclude_domains: list(count, (index) => `*.a${index}.example`) }],
  }),
  'domains of a tool': (count) => ({
    tools: [
      {
        type: 'gateway:web_search',
        parameters: { allowed_domains: list(count, (index) => `a${index}.example`) },
      },
    ],
  }),
  handles: (count) => ({ x_search_filter: { allowed_x_handles: list(count, (index) => `a${index}`) } }),
  'excluded handles': (count) => ({
    x_search_filter: { excluded_x_handles: list(count, (index) => `a${index}`) },
  }),
  'what is to be included': (count) => ({ include: list(count, (index) => `a.${index}`) }),
  'properties of a schema': (count) => withSchema({ type: 'object', properties: keys(count) }),
  'what a schema requires': (count) =>
    withSchema({ type: 'object', properties: {}, required: list(count, (index) => `a${index}`) }),
  'values of a schema': (count) =>
    withSchema({
      type: 'object',
      properties: { a: { enum: list(count, (index) => `a${index}`) } },
      required: ['a'],
    }),
  'choices of a schema': (count) =>
    withSchema({
      type: 'object',
      properties: { a: { anyOf: list(count, () => ({ type: 'string' })) } },
      required: ['a'],
    }),
  'definitions of a schema': (count) =>
    withSchema({
      type: 'object',
      $defs: Object.fromEntries(list(count, (index) => [`d${index}`, { type: 'string' }])),
    }),
}

const chat: Readonly<Record<string, Fields>> = {
  messages: (count) => ({ messages: list(count, () => message) }),
  'bad messages': (count) => ({ messages: list(count, () => badMessage) }),
  'parts of a message': (count) => ({
    messages: [{ role: 'user', content: list(count, () => ({ type: 'text', text: 'Hi' })) }],
  }),
  functions: (count) => ({
    messages: [message],
    tools: list(count, (index) => ({ type: 'function', function: { name: `f_${index}` } })),
  }),
  'stop sequences': (count) => ({ messages: [message], stop: list(count, (index) => `stop ${index}`) }),
  'unknown keys': (count) => ({ messages: [message], ...keys(count) }),
}

const messages: Readonly<Record<string, Fields>> = {
  messages: (count) => ({ messages: list(count, () => message) }),
  'blocks of a message': (count) => ({
    messages: [{ role: 'user', content: list(count, () => ({ type: 'text', text: 'Hi' })) }],
  }),
  'blocks of the system': (count) => ({
    messages: [message],
    system: list(count, () => ({ type: 'text', text: 'Hi' })),
  }),
  tools: (count) => ({
    messages: [message],
    tools: list(count, (index) => ({ name: `f_${index}`, input_schema: {} })),
  }),
  'stop sequences': (count) => ({
    messages: [message],
    stop_sequences: list(count, (index) => `stop ${index}`),
  }),
}

const embeddings: Readonly<Record<string, Fields>> = {
  texts: (count) => ({ input: list(count >> 5, (index) => `text ${index}`) }),
  'tokens of one text': (count) => ({ input: list(count, (index) => index) }),
  'words of one text': (count) => ({ input: 'Hello? '.repeat(10 * count) }),
}

const workspace: Readonly<Record<string, Fields>> = {
  'keys to filter by': (count) => ({ io_logging_api_key_ids: list(count, (index) => index) }),
  'bad keys to filter by': (count) => ({ io_logging_api_key_ids: list(count, () => 'x') }),
  'unknown keys': keys,
  'a name': (count) => ({ name: 'x'.repeat(100 * count) }),
  'a slug': (count) => ({ slug: 'a-'.repeat(50 * count) }),
  'a description': (count) => ({ description: '🦊'.repeat(50 * count) }),
}

/** Queries and paths, as long as `gateway.fetch` takes them; a socket takes 16 KB. */
const addresses: Readonly<Record<string, (count: number) => string>> = {
  'parameters of benchmarks': (count) => `GET /benchmarks?${list(count, (index) => `a${index}=1`).join('&')}`,
  'a category many times': (count) => `GET /benchmarks?${'category=svg&'.repeat(count)}`,
  'a long category': (count) => `GET /benchmarks?category=${'x'.repeat(100 * count)}`,
  'digits of max_results': (count) => `GET /benchmarks?max_results=${'1'.repeat(100 * count)}`,
  'parameters of providers': (count) => `GET /providers?${list(count, (index) => `a${index}=1`).join('&')}`,
  'parameters of embeddings models': (count) =>
    `GET /embeddings/models?${list(count, (index) => `a${index}=1`).join('&')}`,
  'a long slug of a preset': (count) => `GET /presets/${'a-'.repeat(50 * count)}`,
  'a long id of a workspace': (count) => `PATCH /workspaces/${'a-'.repeat(50 * count)}`,
  'steps of a path': (count) => `GET ${'/a'.repeat(50 * count)}`,
  'slashes of a path': (count) => `GET ${'/'.repeat(10 * count)}a`,
}

/** Rules; what fits to any is met by `GET /providers`, and answered. */
const rules: Readonly<Record<string, Fields>> = {
  'a name of a scenario that is unknown': (count) => ({ name: blanks(count), on: 'x', reply: {} }),
  'blanks of an unknown field': (count) => ({ on: '*', [blanks(count)]: 1, fault: 'timeout' }),
  'blanks of what it is about': (count) => ({ on: `POST ${blanks(count)}/`, fault: 'timeout' }),
  'braces of what it is about': (count) => ({ on: `POST /${'{'.repeat(10 * count)}`, fault: 'timeout' }),
  'brackets of a path in a body': (count) => ({
    on: '*',
    when: { body: { ['['.repeat(10 * count)]: 1 } },
    fault: 'timeout',
  }),
  'brackets of a path in a fault': (count) => ({
    on: '*',
    fault: { name: 'missing-field', path: `data${'['.repeat(10 * count)}` },
  }),
  'tags of a template': (count) => ({ on: '*', reply: { body: '{{method}}'.repeat(count) } }),
  'unknown names of a template': (count) => ({
    on: '*',
    reply: { body: list(10 * count, (index) => `{{ body.a${index} }}`).join('') },
  }),
  'blanks in a tag': (count) => ({ on: '*', reply: { body: `{{ method${blanks(count)}` } }),
  'open tags of a template': (count) => ({ on: '*', reply: { body: '{{#body}}'.repeat(count) } }),
  'stars of a pattern': (count) => ({
    on: '*',
    when: { headers: { a: '*a'.repeat(count) } },
    fault: 'timeout',
  }),
  'a regular expression': (count) => ({
    on: '*',
    when: { headers: { a: { matches: 'a'.repeat(count) } } },
    fault: 'timeout',
  }),
  'headers of a reply': (count) => ({ on: '*', reply: { headers: keys(count), body: {} } }),
  'steps of a sequence': (count) => ({ on: '*', sequence: list(count, () => ({ reply: { body: {} } })) }),
}

function blanks(count: number): string {
  return `${' '.repeat(10 * count)}x`
}

function withSchema(schema: object): object {
  return { text: { format: { type: 'json_schema', name: 'x', schema } } }
}

const bodies: [string, Readonly<Record<string, Fields>>, object][] = [
  ['POST /responses', responses, { model: 'aurora/dawn-2', input: 'Hello?' }],
  ['POST /chat/completions', chat, { model: 'aurora/dawn-2' }],
  ['POST /messages', messages, { model: 'aurora/dawn-2', max_tokens: 100 }],
  ['POST /embeddings', embeddings, { model: 'aurora/embed-2' }],
  ['PATCH /workspaces/production', workspace, {}],
]

type Sized = (count: number) => { line: string; body: string | undefined; rule?: object }

export const sized: [string, Sized][] = [
  ...bodies.flatMap(([line, all, fixed]) =>
    Object.entries(all).map(([what, fields]): [string, Sized] => [
      `${what} of ${line}`,
      (count) => ({ line, body: JSON.stringify({ ...fixed, ...fields(count) }) }),
    ]),
  ),
  ...Object.entries(addresses).map(([what, lineOf]): [string, Sized] => [
    what,
    (count) => ({ line: lineOf(count), body: lineOf(1).startsWith('PATCH') ? '{}' : undefined }),
  ]),
  ...Object.entries(rules).map(([what, fields]): [string, Sized] => [
    `${what} of a rule`,
    (count) => ({ line: 'GET /providers', body: undefined, rule: fields(count) }),
  ]),
  ['brackets', (count) => ({ line: 'POST /responses', body: '['.repeat(10 * count) })],
  ['braces', (count) => ({ line: 'PATCH /workspaces/production', body: '{"a":'.repeat(10 * count) })],
]

/** How much longer a request of eight times the size takes. Below 2 ms, the clock and the collector speak. */
export async function growthOf(sizedBy: Sized): Promise<number> {
  const few = await least(sizedBy(500))
  return (await least(sizedBy(4000))) / Math.max(few, 2000)
}

/** Of two, in microseconds: the garbage of others may be in one of them. */
async function least({ line, body, rule }: ReturnType<Sized>): Promise<number> {
  const times = [(await ask(body, line, rule)).microseconds, (await ask(body, line, rule)).microseconds]
  return Math.min(...times)
}
