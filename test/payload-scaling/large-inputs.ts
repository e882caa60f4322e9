/**
 * Covers all code that traverses callers' data: bodies, headers, URLs, rules, templates, files and journals,
 * and everything derived from them. Each case is prepared for a number of items and returns the work to
 * measure.
 */

import { checkText } from '../../src/control/check-text.ts'
import { createGateway, type Gateway, type GatewayOptions } from '../../src/index.ts'
import { judgeCalls, matches } from '../../src/journal/expectations.ts'
import { nearest } from '../../src/lib/did-you-mean.ts'
import { equal } from '../../src/lib/equal.ts'
import { printable } from '../../src/lib/print.ts'
import { problemsOf } from '../../src/model/json-schema/check.ts'
import { ScenarioError } from '../../src/scenarios/check-scenario.ts'
import { type CallOptions, call } from '../call.ts'

interface RequestOptions extends CallOptions {
  readonly line: string
  /** Rule for `gateway.use`. The work includes rejecting an invalid rule. */
  readonly rule?: object | undefined
}

const options = {
  timeScale: 0,
  limits: { requestBodyBytes: 64 * 1024 * 1024 },
  extensions: ['chat', 'messages', 'embeddings'],
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

export type Prepare = (count: number) => (() => unknown) | Promise<() => unknown>

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

const gatewaysWithCalls = new Map<number, Promise<Gateway>>()

/** Returns a gateway with recorded calls. Each gateway is reused, because these cases only read it. */
export function gatewayWithCalls(count: number): Promise<Gateway> {
  const made = gatewaysWithCalls.get(count) ?? makeCalls(count)
  gatewaysWithCalls.set(count, made)
  return made
}

async function makeCalls(count: number) {
  const gateway = createGateway({ ...options, limits: { ...options.limits, journalEntries: 100_000 } })
  const own = { fetch: gateway.fetch }
  for (let index = 0; index < count; index++)
    await call(own, index % 2 === 0 ? `GET /providers?turn=${index}` : `GET /unknown/${index}`)
  return gateway
}

/** Creates a gateway with one call that has a large body. */
export async function recordOf(body: unknown, path = '/responses') {
  const limits = { ...options.limits, journalBodyBytes: 64 * 1024 * 1024 }
  const gateway = createGateway({ ...options, limits })
  await call(gateway, `POST ${path}`, { body })
  const [entry] = gateway.journal.entries()
  return { gateway, record: gateway.sandboxes.default.journal.record(entry?.id ?? ''), entry }
}

export const secrets = (count: number) =>
  list(count, (index) => `"api_key": "sk-${String(index).padStart(6, '0')}-abcdefghij"`).join(',\n')
const rule = { on: 'getPreset', when: { params: { slug: 'x' } }, fault: 'timeout' }
const yaml = (count: number, on: string) =>
  `name: many\nrules:\n${`  - on: ${on}\n    when: { query: { source: x } }\n    fault: timeout\n`.repeat(count)}`
const provider = (index: number) => ({ name: `P ${index}`, slug: `p-${index}`, privacy_policy_url: null })

/** Cases that work on files, journals and text. */
const others: Readonly<Record<string, Prepare>> = {
  'journal entries, read': async (count) => {
    const { journal } = await gatewayWithCalls(count >> 3)
    return () =>
      JSON.stringify([journal.entries(), journal.unmatched(), journal.summaries(), journal.nearMisses()])
  },
  'journal entries, filtered': async (count) => {
    const { journal } = await gatewayWithCalls(count >> 3)
    return () => [
      journal.calls('listProviders', { query: { turn: '2' } }),
      journal.last('listProviders'),
      journal.trace('f'.repeat(32)),
    ]
  },
  'journal entries, exported as HAR': async (count) => {
    const { journal } = await gatewayWithCalls(count >> 3)
    return () => journal.har()
  },
  'journal entries, compared by a matcher': async (count) => {
    const entries = (await gatewayWithCalls(count >> 3)).journal.entries()
    return () =>
      judgeCalls(entries, { operation: 'listProviders', match: { status: 200 }, times: 3 }, matches)
  },
  'calls of a sandbox, saved': async (count) => {
    const gateway = await gatewayWithCalls(count >> 3)
    return () => JSON.stringify(gateway.save())
  },
  'calls in a sandbox file': async (count) => {
    const gateway = await gatewayWithCalls(count >> 3)
    const file = gateway.save()
    return () => gateway.openSandbox(file)
  },
  'queries in a journal': async (count) => {
    const gateway = createGateway(options)
    await call(gateway, `GET /providers?${list(count, (index) => `name${index}=1`).join('&')}`)
    return () => gateway.journal.entries()
  },
  'rules in a scenario file': (count) => {
    const gateway = createGateway(options)
    const text = yaml(count >> 2, 'listBenchmarks')
    return () => checkText(text, gateway)
  },
  'invalid rules in a scenario file': (count) => {
    const gateway = createGateway(options)
    const text = yaml(count >> 2, 'listBenchmark')
    return () => checkText(text, gateway)
  },
  'rules that do not match': (count) => {
    const gateway = createGateway(options)
    gateway.use({ name: 'many', rules: list(count, () => rule) } as never)
    return async () => {
      await call(gateway, 'GET /presets/code-review')
      const [entry] = gateway.journal.entries()
      return JSON.stringify([entry?.nearMisses, gateway.journal.explain(entry as never)])
    }
  },
  'scenarios of a sandbox': (count) => () => {
    const gateway = createGateway(options)
    for (let index = 0; index < count >> 1; index++)
      gateway.use({ name: `s${index}`, rules: [rule] } as never)
    return gateway.activeScenarios()
  },
  'turns of a script': (count) => {
    const gateway = createGateway(options)
    return async () => {
      gateway.script(list(count >> 2, (index) => ({ text: `Turn ${index}` })) as never)
      await call(gateway, 'POST /responses', { body: withFields({}) })
      return gateway.scripts()
    }
  },
  'fixture rows': (count) => () => createGateway({ fixtures: { providers: list(count, provider) } }).save(),
  'fixture rows, listed': (count) => {
    const gateway = createGateway({ fixtures: { providers: list(count, provider) } })
    return () => call(gateway, 'GET /providers')
  },
  'API keys of a gateway': (count) => {
    const apiKeys = list(count, (index) => `key-${index}`)
    return () =>
      call(createGateway({ apiKeys }), 'GET /providers', { headers: { authorization: 'Bearer key-1' } })
  },
  'models of a gateway': (count) => {
    const models = list(count, (index) => `vendor/model-${index}`)
    return () =>
      call(createGateway({ models }), 'POST /responses', { body: withFields({ model: 'vendor/model' }) })
  },
  'sandboxes of a gateway': (count) => () => {
    const gateway = createGateway(options)
    return list(count, () => gateway.createSandbox().id)
  },
  'secrets in a displayed body': async (count) => {
    const { gateway, entry } = await recordOf(withFields({ input: secrets(count) }))
    return () => [gateway.journal.explain(entry as never), JSON.stringify(gateway.journal.har())]
  },
  'printed text': (count) => () => printable('\u001b[31m\n'.repeat(2 * count)),
  'an unknown word': (count) => {
    const words = list(20, (index) => `${'listProviders'.repeat(5)}${index}`)
    return () => nearest('listProvider'.repeat(count), words)
  },
  'equal values': (count) => {
    const [left, right] = [1, 2].map(() => ({ a: list(10 * count, (index) => ({ index })), ...keys(count) }))
    return () => equal(left, right)
  },
  'items validated by a schema': (count) => () =>
    problemsOf(
      { items: { type: 'string', pattern: '^[a-z]+$' } },
      list(count >> 1, () => 'abc'),
    ),
  'items validated for uniqueness': (count) => () =>
    problemsOf(
      { uniqueItems: true },
      list(count >> 2, (index) => ({ index })),
    ),
  'text validated by a pattern': (count) => () =>
    problemsOf({ pattern: '^([a-z]+ ?)+$' }, 'abc '.repeat(count >> 1)),
}

const asBody = (fields: object) => JSON.stringify(fields)

/** Cases that work on parts of requests. */
export const requestPlaces: readonly [string, Prepare][] = [
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

/** Cases that work on data read from files, journals and options. */
export const otherPlaces: readonly [string, Prepare][] = Object.entries(others)

/** Number of items in a small case; a large case has eight times as many. */
const items = 250
const maxGrowth = 10
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
