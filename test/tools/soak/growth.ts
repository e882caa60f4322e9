/**
 * Measures how processing time grows with each list and map that a caller can fill: in bodies, headers, addresses and
 * rules.
 */

import { createGateway, type GatewayOptions } from '../../../src/index.ts'
import { ScenarioError } from '../../../src/scenarios/scenario-error.ts'
import { type CallOptions, call } from '../../call.ts'

interface RequestOptions extends CallOptions {
  readonly line: string
  /** Rule for `gateway.use`. The work includes rejecting an invalid rule. */
  readonly rule?: object | undefined
}

const options = {
  timeScale: 0,
  limits: { requestBodyBytes: 64 * 1024 * 1024 },
  extensions: ['chat', 'messages', 'models'],
} satisfies GatewayOptions

/** Prepares a request to a new gateway. */
export function prepareRequest({ line, rule, ...rest }: RequestOptions) {
  const gateway = createGateway(options)
  return async () => {
    if (rule) attempt(() => gateway.use(rule as never))
    const { status, text } = await call(gateway, line, rest)
    const [entry] = gateway.journal.entries()
    if (entry) gateway.journal.explain(entry)
    return { status, text, warnings: entry?.warnings ?? [] }
  }
}

function attempt(use: () => void): void {
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

type Fields = (count: number) => object

/** Every list and map that a caller can fill in a request body, in one table for each operation. */
const responses: Readonly<Record<string, Fields>> = {
  'unknown keys': keys,
  'metadata keys': (count) => ({ metadata: keys(count) }),
  'tools with an unknown type': (count) => ({ tools: unknownTools(count) }),
  functions: (count) => ({
    tools: list(count, (index) => ({ type: 'function', name: `f_${index}`, parameters: {} })),
  }),
  'search tools': (count) => ({ tools: list(count, () => ({ type: 'gateway:web_search' })) }),
  messages: (count) => ({ input: list(count, () => message) }),
  'streamed messages': (count) => ({ stream: true, input: list(count, () => message) }),
  'invalid messages': (count) => ({ input: list(count, () => badMessage) }),
  'parts of a message': (count) => ({
    input: [{ role: 'user', content: list(count, () => ({ type: 'input_text', text: 'Hi' })) }],
  }),
  'parts with an unknown type': (count) => ({
    input: [{ role: 'user', content: list(count, () => ({ type: 'x' })) }],
  }),
  'annotations of an earlier reply': (count) => ({
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
  'function calls and outputs': (count) => ({
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
  'include values': (count) => ({ include: list(count, (index) => `a.${index}`) }),
  'properties of a schema': (count) => withSchema({ type: 'object', properties: keys(count) }),
  'required properties of a schema': (count) =>
    withSchema({ type: 'object', properties: {}, required: list(count, (index) => `a${index}`) }),
  'enum values of a schema': (count) =>
    withSchema({
      type: 'object',
      properties: { a: { enum: list(count, (index) => `a${index}`) } },
      required: ['a'],
    }),
  'anyOf branches of a schema': (count) =>
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
  'invalid messages': (count) => ({ messages: list(count, () => badMessage) }),
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
  'system blocks': (count) => ({
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
  'logging key ids': (count) => ({ io_logging_api_key_ids: list(count, (index) => index) }),
  'invalid logging key ids': (count) => ({ io_logging_api_key_ids: list(count, () => 'x') }),
  'unknown keys': keys,
  'a name': (count) => ({ name: 'x'.repeat(100 * count) }),
  'a slug': (count) => ({ slug: 'a-'.repeat(50 * count) }),
  'a description': (count) => ({ description: '🦊'.repeat(50 * count) }),
}

/** Queries and paths of any length, which `gateway.fetch` does not limit and a socket limits to 16 KB. */
const addresses: Readonly<Record<string, (count: number) => string>> = {
  'parameters of benchmarks': (count) => `GET /benchmarks?${list(count, (index) => `a${index}=1`).join('&')}`,
  'repetitions of a category': (count) => `GET /benchmarks?${'category=svg&'.repeat(count)}`,
  'a long category': (count) => `GET /benchmarks?category=${'x'.repeat(100 * count)}`,
  'digits of max_results': (count) => `GET /benchmarks?max_results=${'1'.repeat(100 * count)}`,
  'parameters of providers': (count) => `GET /providers?${list(count, (index) => `a${index}=1`).join('&')}`,
  'parameters of embeddings models': (count) =>
    `GET /embeddings/models?${list(count, (index) => `a${index}=1`).join('&')}`,
  'a long slug of a preset': (count) => `GET /presets/${'a-'.repeat(50 * count)}`,
  'a long id of a workspace': (count) => `PATCH /workspaces/${'a-'.repeat(50 * count)}`,
  'segments of a path': (count) => `GET ${'/a'.repeat(50 * count)}`,
  'slashes in a path': (count) => `GET ${'/'.repeat(10 * count)}a`,
}

/** Lists and maps in rules. Rules that match any operation are applied to `GET /providers`. */
const rules: Readonly<Record<string, Fields>> = {
  'blanks in a scenario name': (count) => ({ name: blanks(count), on: 'x', reply: {} }),
  'blanks in an unknown field': (count) => ({ on: '*', [blanks(count)]: 1, fault: 'timeout' }),
  'blanks in a route': (count) => ({ on: `POST ${blanks(count)}/`, fault: 'timeout' }),
  'braces in a route': (count) => ({ on: `POST /${'{'.repeat(10 * count)}`, fault: 'timeout' }),
  'brackets in a body path': (count) => ({
    on: '*',
    when: { body: { ['['.repeat(10 * count)]: 1 } },
    fault: 'timeout',
  }),
  'brackets in a fault path': (count) => ({
    on: '*',
    fault: { name: 'missing-field', path: `data${'['.repeat(10 * count)}` },
  }),
  'tags in a template': (count) => ({ on: '*', reply: { body: '{{method}}'.repeat(count) } }),
  'unknown names in a template': (count) => ({
    on: '*',
    reply: { body: list(10 * count, (index) => `{{ body.a${index} }}`).join('') },
  }),
  'blanks in a tag': (count) => ({ on: '*', reply: { body: `{{ method${blanks(count)}` } }),
  'unclosed sections in a template': (count) => ({ on: '*', reply: { body: '{{#body}}'.repeat(count) } }),
  'wildcards in a pattern': (count) => ({
    on: '*',
    when: { headers: { a: '*a'.repeat(count) } },
    fault: 'timeout',
  }),
  'the input of a regular expression': (count) => ({
    on: '*',
    when: { headers: { a: { matches: 'a'.repeat(count) } } },
    fault: 'timeout',
  }),
  'headers of a reply': (count) => ({ on: '*', reply: { headers: keys(count), body: {} } }),
  'steps in a sequence': (count) => ({ on: '*', sequence: list(count, () => ({ reply: { body: {} } })) }),
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

type Prepare = (count: number) => (() => unknown) | Promise<() => unknown>

const headers: Readonly<Record<string, (count: number) => Record<string, string>>> = {
  'request headers': (count) => Object.fromEntries(list(count, (index) => [`x-header-${index}`, `${index}`])),
  'a long header': (count) => ({ 'x-long': 'a, '.repeat(20 * count) }),
  cookies: (count) => ({ cookie: list(count, (index) => `name${index}=${index}`).join('; ') }),
  'scenarios in a header': (count) => ({
    'x-understudy-scenario': list(count >> 3, () => 'flaky').join(','),
  }),
  'a long key': (count) => ({ authorization: `Bearer ${'us-'.repeat(20 * count)}` }),
  'a long traceparent': (count) => ({ traceparent: `00-${'0-'.repeat(20 * count)}` }),
  'a long content type': (count) => ({ 'content-type': `application/json; ${'a=b; '.repeat(20 * count)}` }),
}

const asBody = (fields: object) => JSON.stringify(fields)

export const places: readonly [string, Prepare][] = [
  ...bodies.flatMap(([line, all, fixed]) =>
    Object.entries(all).map(([what, fields]): [string, Prepare] => [
      `${what} in ${line}`,
      (count) => prepareRequest({ line, body: asBody({ ...fixed, ...fields(count) }) }),
    ]),
  ),
  ...Object.entries(addresses).map(([what, lineOf]): [string, Prepare] => [
    what,
    (count) => prepareRequest({ line: lineOf(count), ...(lineOf(1).startsWith('PATCH') && { body: '{}' }) }),
  ]),
  ...Object.entries(headers).map(([what, headersOf]): [string, Prepare] => [
    what,
    (count) => prepareRequest({ line: 'GET /providers', headers: headersOf(count) }),
  ]),
  ...Object.entries(rules).map(([what, fields]): [string, Prepare] => [
    `${what} of a rule`,
    (count) => prepareRequest({ line: 'GET /providers', rule: fields(count) }),
  ]),
  [
    'nested brackets in a body',
    (count) => prepareRequest({ line: 'POST /responses', body: '['.repeat(10 * count) }),
  ],
  [
    'nested braces in a body',
    (count) => prepareRequest({ line: 'PATCH /workspaces/production', body: '{"a":'.repeat(10 * count) }),
  ],
]

/** Number of items in a small case; a large case has eight times as many. */
const items = 250
export const maxGrowth = 10
/** Minimum duration of a run. Shorter runs are dominated by clock resolution and garbage collection. */
const leastMs = 2
const rounds = 20

/**
 * Returns how many times as long the large case takes as the small one, each as the best of several runs. Runs are
 * repeated, up to a limit, until the ratio is small enough. The small case counts elapsed time, because processor time
 * is coarse on some machines. The large case counts the lower of the two, because elapsed time includes waits.
 */
export async function growthOf(prepare: Prepare): Promise<number> {
  const best = { few: Infinity, many: Infinity }
  for (let round = 0; round < rounds; round++) {
    const many = await measure(await prepare(8 * items))
    best.many = Math.min(best.many, many.elapsed, many.processor)
    if (best.many <= maxGrowth * leastMs) break
    for (let run = 0; run < 3; run++) {
      const few = await measure(await prepare(items))
      best.few = Math.min(best.few, few.elapsed)
    }
    if (best.many <= maxGrowth * best.few) break
  }
  return best.many / Math.max(leastMs, Math.min(best.few, best.many))
}

/** Returns a run's elapsed time and this thread's processor time, in milliseconds. */
async function measure(work: () => unknown): Promise<{ elapsed: number; processor: number }> {
  const [from, cpu] = [performance.now(), process.threadCpuUsage()]
  await work()
  const { user, system } = process.threadCpuUsage(cpu)
  return { elapsed: performance.now() - from, processor: (user + system) / 1000 }
}
