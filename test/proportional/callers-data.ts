/**
 * Every place where callers' data is walked, as one list: bodies, headers, addresses, rules, templates, files, journals
 * and what is made of them. A place is made ready for a number of items, and returns its work.
 */

import { checkText } from '../../src/control/check-text.ts'
import { toCurl, toTest } from '../../src/control/entry-code.ts'
import { createGateway, type Gateway, type GatewayOptions } from '../../src/index.ts'
import { judgeCalls, matches } from '../../src/journal/expectations.ts'
import { nearest } from '../../src/lib/did-you-mean.ts'
import { equal } from '../../src/lib/equal.ts'
import { printable } from '../../src/lib/print.ts'
import { problemsOf } from '../../src/model/json-schema/check.ts'
import { ScenarioError } from '../../src/scenarios/check-scenario.ts'
import { type CallOptions, call } from '../call.ts'

interface Asked extends CallOptions {
  readonly line: string
  /** Of `gateway.use`; one that is refused is a part of the work too. */
  readonly rule?: object | undefined
}

const options = {
  timeScale: 0,
  limits: { requestBodyBytes: 64 * 1024 * 1024 },
  extensions: ['chat', 'messages', 'embeddings'],
} satisfies GatewayOptions

/** Prepares a request to a gateway of its own. */
export function asking({ line, rule, ...rest }: Asked) {
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

export type Prepare = (count: number) => (() => unknown) | Promise<() => unknown>

const headers: Readonly<Record<string, (count: number) => Record<string, string>>> = {
  'headers of a request': (count) =>
    Object.fromEntries(list(count, (index) => [`x-header-${index}`, `${index}`])),
  'a long header': (count) => ({ 'x-long': 'a, '.repeat(20 * count) }),
  cookies: (count) => ({ cookie: list(count, (index) => `name${index}=${index}`).join('; ') }),
  'scenarios in a header': (count) => ({
    'x-understudy-scenario': list(count >> 3, () => 'flaky').join(','),
  }),
  'a long key': (count) => ({ authorization: `Bearer ${'us-'.repeat(20 * count)}` }),
  'a long trace': (count) => ({ traceparent: `00-${'0-'.repeat(20 * count)}` }),
  'a long content type': (count) => ({ 'content-type': `application/json; ${'a=b; '.repeat(20 * count)}` }),
}

const gatewaysWithCalls = new Map<number, Promise<Gateway>>()

/** A gateway whose journal has calls, made once for each number: its places only read it. */
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

/** A gateway with one call that has a large body. */
async function recordOf(body: unknown, path = '/responses') {
  const limits = { ...options.limits, journalBodyBytes: 64 * 1024 * 1024 }
  const gateway = createGateway({ ...options, limits })
  await call(gateway, `POST ${path}`, { body })
  const [entry] = gateway.journal.entries()
  return { gateway, record: gateway.sandboxes.default.journal.record(entry?.id ?? ''), entry }
}

const site = { baseUrl: 'https://gateway.example/api/v1', origin: 'https://gateway.example', apiKey: 'key' }
export const secrets = (count: number) =>
  list(count, (index) => `"api_key": "sk-${String(index).padStart(6, '0')}-abcdefghij"`).join(',\n')
const rule = { on: 'getPreset', when: { params: { slug: 'x' } }, fault: 'timeout' }
const yaml = (count: number, on: string) =>
  `name: many\nrules:\n${`  - on: ${on}\n    when: { query: { source: x } }\n    fault: timeout\n`.repeat(count)}`
const provider = (index: number) => ({ name: `P ${index}`, slug: `p-${index}`, privacy_policy_url: null })

/** Files, journals and texts. */
const others: Readonly<Record<string, Prepare>> = {
  'calls of a journal, read': async (count) => {
    const { journal } = await gatewayWithCalls(count >> 3)
    return () =>
      JSON.stringify([journal.entries(), journal.unmatched(), journal.summaries(), journal.nearMisses()])
  },
  'calls of a journal, filtered': async (count) => {
    const { journal } = await gatewayWithCalls(count >> 3)
    return () => [
      journal.calls('listProviders', { query: { turn: '2' } }),
      journal.last('listProviders'),
      journal.trace('x'),
    ]
  },
  'calls of a journal, as HAR': async (count) => {
    const { journal } = await gatewayWithCalls(count >> 3)
    return () => journal.har()
  },
  'calls of a journal, expected': async (count) => {
    const entries = (await gatewayWithCalls(count >> 3)).journal.entries()
    return () =>
      judgeCalls(entries, { operation: 'listProviders', match: { status: 200 }, times: 3 }, matches)
  },
  'calls of a sandbox, saved': async (count) => {
    const gateway = await gatewayWithCalls(count >> 3)
    return () => JSON.stringify(gateway.save())
  },
  'calls of a sandbox file': async (count) => {
    const gateway = await gatewayWithCalls(count >> 3)
    const file = gateway.save()
    return () => gateway.openSandbox(file)
  },
  'queries in a journal': async (count) => {
    const gateway = createGateway(options)
    await call(gateway, `GET /providers?${list(count, (index) => `name${index}=1`).join('&')}`)
    return () => gateway.journal.entries()
  },
  'rules of a scenario file': (count) => {
    const gateway = createGateway(options)
    const text = yaml(count >> 2, 'listBenchmarks')
    return () => checkText(text, gateway)
  },
  'bad rules of a scenario file': (count) => {
    const gateway = createGateway(options)
    const text = yaml(count >> 2, 'listBenchmark')
    return () => checkText(text, gateway)
  },
  'rules that miss a call': (count) => {
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
  'rows of fixtures': (count) => () =>
    createGateway({ fixtures: { providers: list(count, provider) } }).save(),
  'rows of fixtures, listed': (count) => {
    const gateway = createGateway({ fixtures: { providers: list(count, provider) } })
    return () => call(gateway, 'GET /providers')
  },
  'keys of a gateway': (count) => {
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
  'a body, copied as curl': async (count) => {
    const { record } = await recordOf(withFields({ input: "it's `x`\n".repeat(20 * count) }))
    return () => toCurl(record, site)
  },
  'a body, copied as a test': async (count) => {
    const { record } = await recordOf(withFields(keys(count)))
    return () => toTest(record, 'vitest')
  },
  'a body with secrets, shown': async (count) => {
    const { gateway, entry } = await recordOf(withFields({ input: secrets(count) }))
    return () => [gateway.journal.explain(entry as never), JSON.stringify(gateway.journal.har())]
  },
  'a printed text': (count) => () => printable('\u001b[31m\n'.repeat(2 * count)),
  'an unknown word': (count) => {
    const words = list(20, (index) => `${'listProviders'.repeat(5)}${index}`)
    return () => nearest('listProvider'.repeat(count), words)
  },
  'equal values': (count) => {
    const [left, right] = [1, 2].map(() => ({ a: list(10 * count, (index) => ({ index })), ...keys(count) }))
    return () => equal(left, right)
  },
  'items of a value that a schema checks': (count) => () =>
    problemsOf(
      { items: { type: 'string', pattern: '^[a-z]+$' } },
      list(count >> 1, () => 'abc'),
    ),
  'unique items of a value': (count) => () =>
    problemsOf(
      { uniqueItems: true },
      list(count >> 2, (index) => ({ index })),
    ),
  'a text that a pattern checks': (count) => () =>
    problemsOf({ pattern: '^([a-z]+ ?)+$' }, 'abc '.repeat(count >> 1)),
}

const asBody = (fields: object) => JSON.stringify(fields)

/** Parts of requests. */
export const requestPlaces: readonly [string, Prepare][] = [
  ...bodies.flatMap(([line, all, fixed]) =>
    Object.entries(all).map(([what, fields]): [string, Prepare] => [
      `${what} of ${line}`,
      (count) => asking({ line, body: asBody({ ...fixed, ...fields(count) }) }),
    ]),
  ),
  ...Object.entries(addresses).map(([what, lineOf]): [string, Prepare] => [
    what,
    (count) => asking({ line: lineOf(count), ...(lineOf(1).startsWith('PATCH') && { body: '{}' }) }),
  ]),
  ...Object.entries(headers).map(([what, headersOf]): [string, Prepare] => [
    what,
    (count) => asking({ line: 'GET /providers', headers: headersOf(count) }),
  ]),
  ...Object.entries(rules).map(([what, fields]): [string, Prepare] => [
    `${what} of a rule`,
    (count) => asking({ line: 'GET /providers', rule: fields(count) }),
  ]),
  ['brackets', (count) => asking({ line: 'POST /responses', body: '['.repeat(10 * count) })],
  ['braces', (count) => asking({ line: 'PATCH /workspaces/production', body: '{"a":'.repeat(10 * count) })],
]

/** What is read from files, journals and options. */
export const otherPlaces: readonly [string, Prepare][] = Object.entries(others)

/** Items in a small case; a large one has eight times as many. */
const items = 250
const maxGrowth = 10
/** Below two milliseconds, the clock and the collector decide. */
const leastMs = 2
const rounds = 20

/**
 * Returns how many times the time eight times the items take, the best of several runs. Times are only compared, and
 * runs are repeated until the growth is one that is allowed.
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

/**
 * Milliseconds. Elapsed time has the waits of a busy machine in it, and processor time is a count of ticks on some: a
 * short run is measured by the first, a long one by the lesser of the two.
 */
async function measure(work: () => unknown): Promise<{ elapsed: number; processor: number }> {
  const [from, cpu] = [performance.now(), process.threadCpuUsage()]
  await work()
  const { user, system } = process.threadCpuUsage(cpu)
  return { elapsed: performance.now() - from, processor: (user + system) / 1000 }
}
