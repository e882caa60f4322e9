import { describe, expect, it } from 'vitest'
import { createGateway, defineScenario } from '../../src/index.ts'
import { bundledScenario } from '../../src/scenarios/bundled.ts'
import { checkScenario, type Problem, ScenarioError } from '../../src/scenarios/check-scenario.ts'
import type { ScenarioInput } from '../../src/scenarios/scenario.ts'
import { call } from '../call.ts'

const operations = [
  { id: 'listProviders', method: 'get', path: '/providers' },
  { id: 'getPreset', method: 'get', path: '/presets/{slug}' },
  { id: 'createResponse', method: 'post', path: '/responses', protocol: { streams: true } },
]

function problemOf(rule: object): string {
  return errorOf({ name: 'outage', rules: [{ on: '*', fault: 'status' }, rule] }).message
}

function errorOf(scenario: unknown): ScenarioError {
  try {
    checkScenario(scenario, { operations })
  } catch (error) {
    if (error instanceof ScenarioError) return error
    throw error
  }
  throw new Error('Expected a ScenarioError')
}

describe('checkScenario: unknown names and wrong values', () => {
  const status = { fault: 'status' }
  const cases: [object, string][] = [
    [
      { on: 'listProvider', ...status },
      "rule 2 of 'outage': on: unknown operation 'listProvider'; did you mean 'listProviders'?",
    ],
    [
      { on: 'somethingElse', ...status },
      "rule 2 of 'outage': on: unknown operation 'somethingElse'; expected one of listProviders, getPreset, createResponse, text",
    ],
    [
      { on: '*', fault: 'stream-cutt' },
      "rule 2 of 'outage': fault 'stream-cutt' is unknown; did you mean 'stream-cut'?",
    ],
    [
      { on: '*', fault: { name: 'latancy', ms: 5 } },
      "rule 2 of 'outage': fault.name 'latancy' is unknown; did you mean 'latency'?",
    ],
    [
      { on: '*', faults: ['latency', 'statuss'] },
      "rule 2 of 'outage': faults[1] 'statuss' is unknown; did you mean 'status'?",
    ],
    [
      { on: '*', fault: 'constructor' },
      "rule 2 of 'outage': fault 'constructor' is unknown; see scenarios/FAULTS.md for all faults",
    ],
    [{ on: '*', tims: 2, ...status }, "rule 2 of 'outage': unknown field 'tims'; did you mean 'times'?"],
    [
      { on: '*', when: { modl: 'a/*' }, ...status },
      "rule 2 of 'outage': unknown field 'when.modl'; did you mean 'model'?",
    ],
    [
      { on: '*', fault: { name: 'latency', mss: 5 } },
      "rule 2 of 'outage': unknown field 'fault.mss'; did you mean 'ms'?",
    ],
    [
      { on: 'createResponse', reply: { txt: 'Hello' } },
      "rule 2 of 'outage': unknown field 'reply.txt'; did you mean 'text'?",
    ],
    [
      { on: 'createResponse', reply: { output: [{ type: 'mesage', content: 'Hello' }] } },
      "rule 2 of 'outage': reply.output[0].type must be message, reasoning, function_call, web_search_call or image_generation_call",
    ],
    [
      { on: 'createResponse', reply: { output: [{ type: 'function_call' }] } },
      "rule 2 of 'outage': reply.output[0].name is required",
    ],
    [
      { on: 'createResponse', reply: { output: [{ type: 'message' }] } },
      "rule 2 of 'outage': reply.output[0].content is required: text, or a list of parts with text or a refusal",
    ],
    [
      { on: '*', sequence: ['pas'] },
      "rule 2 of 'outage': sequence[0] must be 'pass', or an object with a fault or a reply, got 'pas'",
    ],
    [
      { on: '*', sequence: [{ falt: 'status' }] },
      "rule 2 of 'outage': unknown field 'sequence[0].falt'; did you mean 'fault'?",
    ],
    [{ on: '*', rateLimit: { requests: 1 }, ...status }, "rule 2 of 'outage': rateLimit.per is required"],
    [
      { ...status },
      "rule 2 of 'outage': on is required: an operation such as 'createResponse', 'text' or '*', or a list of them",
    ],
    [
      { on: 'post /chat/completions', ...status },
      "rule 2 of 'outage': on: 'post /chat/completions' is invalid; use an upper-case method and a path relative to the base URL, as in 'POST /chat/completions'",
    ],
    [
      { on: 'GET /presets/mine', ...status },
      "rule 2 of 'outage': on: 'GET /presets/mine' is an operation: use its id 'getPreset'",
    ],
  ]

  it.each(cases)('reports the location and a suggestion for %j', (rule, message) => {
    expect(problemOf(rule)).toContain(message)
    expect(problemOf(rule)).not.toContain('\n')
  })
})

describe('checkScenario: contradictory rules', () => {
  const cases: [object, string][] = [
    [
      { on: '*', times: 0, fault: 'status' },
      "rule 2 of 'outage': times must be 1 or more, got 0: to disable a rule, remove it",
    ],
    ...[-1, 1.5, 2, 100, 101].map((probability): [object, string] => [
      { on: '*', fault: 'status', probability },
      `rule 2 of 'outage': probability must be 0 to 1, got ${probability}${{ 2: '; write 0.02 for 2 %', 100: '; write 1 for 100 %' }[probability] ?? ''}`,
    ]),
    [
      { on: '*', rateLimit: { requests: 1, per: 0 } },
      "rule 2 of 'outage': rateLimit.per must be greater than 0",
    ],
    [
      { on: '*', sequence: [{ fault: 'status' }, 'stream-cut'] },
      "rule 2 of 'outage': sequence[1] must be a step, got 'stream-cut'; write { fault: 'stream-cut' }",
    ],
    ...[
      [1, 1],
      [2, 1],
      [1, 6],
    ].map(([start_index, end_index]): [object, string] => [
      {
        on: 'createResponse',
        reply: { text: 'Tides', citations: [{ url: 'https://a.example/', start_index, end_index }] },
      },
      `rule 2 of 'outage': reply.citations[0] is not within the text, which has 5 characters: start_index ${start_index}, end_index ${end_index}`,
    ]),
    ...[[{ weather: {} }, 'Sunny'], [{ weather: {} }], [undefined]].map(
      ([turnCall, text]): [object, string] => [
        {
          on: 'createResponse',
          script: [{ call: turnCall, text, output: [], citations: [{ url: 'https://a.example/' }] }],
        },
        "rule 2 of 'outage': script[0].citations requires text, and no calls, in the same turn",
      ],
    ),
    [
      { on: 'listProviders', fault: 'stream-cut' },
      "rule 2 of 'outage': fault: 'stream-cut' applies to streams, which 'listProviders' does not have: use it on 'text'",
    ],
    [
      { on: 'POST /chat/completions', fault: 'stream-cut' },
      "rule 2 of 'outage': fault: 'stream-cut' applies to streams, which 'POST /chat/completions' does not have: use it on 'text'",
    ],
    [
      { on: 'getPreset', fault: 'citation-missing-field' },
      "applies to generated answers, which 'getPreset' does not have",
    ],
    [
      { on: '*', when: { stream: false }, fault: 'stream-cut' },
      "rule 2 of 'outage': fault: 'stream-cut' never applies: it needs a request for a stream, but when.stream is false",
    ],
    [{ on: '*' }, "rule 2 of 'outage': the rule has no effect: add a fault, a reply, a sequence or a script"],
    [
      { on: 'createResponse', fault: 'status', reply: { text: 'Hello' } },
      "rule 2 of 'outage': fault: 'status' replaces the reply next to it: use a sequence for both",
    ],
    [
      { on: '*', fault: 'status', sequence: ['pass'] },
      "rule 2 of 'outage': sequence cannot be combined with fault: make fault the first step of the sequence",
    ],
    [
      { on: '*', faults: ['status', 'timeout'] },
      "rule 2 of 'outage': faults: 'status' and 'timeout' cannot be combined: with 'timeout', there is no reply for 'status'; use a sequence for both",
    ],
    [
      { on: '*', faults: ['slow-head', 'slow-head'] },
      "rule 2 of 'outage': faults: 'slow-head' and 'slow-head' cannot be combined: the same fault is listed twice; use a sequence for both",
    ],
    [{ on: '*', sequence: [] }, "rule 2 of 'outage': sequence is empty: add a step, or remove the rule"],
    [
      { on: '*', fault: 'status', onEnd: 'repeat-last' },
      "rule 2 of 'outage': onEnd: 'repeat-last' has no effect: the rule needs a sequence or a script",
    ],
    [
      { on: '*', during: { fromMs: 9, toMs: 9 }, fault: 'status' },
      'is empty: fromMs 9 must be less than toMs 9',
    ],
    [
      { on: '*', probability: 1.5, fault: 'status' },
      "rule 2 of 'outage': probability must be 0 to 1, got 1.5",
    ],
    [
      { on: '*', when: { input: { matches: '(' } }, fault: 'status' },
      "rule 2 of 'outage': when.input.matches: the regular expression /(/ cannot be used: Unterminated group",
    ],
    [
      { on: '*', when: { body: { a: { matches: 'a', flags: 'q' } } }, fault: 'status' },
      "rule 2 of 'outage': when.body.a.matches: the regular expression /a/q cannot be used: Invalid flags supplied to RegExp constructor 'q'",
    ],
    [
      { on: '*', when: { input: { matches: 'a'.repeat(201) } }, fault: 'status' },
      "rule 2 of 'outage': when.input.matches must have at most 200 characters, got 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…'",
    ],
    [
      { on: '*', when: { input: { contains: 'a', matches: 'a' } }, fault: 'status' },
      "rule 2 of 'outage': when.input.matches cannot be combined with contains",
    ],
    [
      { on: '*', when: { input: { equal: 'a' } }, fault: 'status' },
      'expected one of contains, matches, flags',
    ],
    [{ on: '*', fault: { name: 'stream-cut', atEvent: 1, atByte: 1 } }, 'a fault acts at one position'],
    [
      { on: '*', fault: 'missing-field' },
      "rule 2 of 'outage': fault 'missing-field' requires path; write { name: 'missing-field', path: … }",
    ],
    [
      { on: '*', reply: { text: 'Hello' } },
      "rule 2 of 'outage': reply.text is for operations that generate text, but '*' does not: use a body or frames",
    ],
    [
      { on: 'createResponse', reply: { status: 200 } },
      "rule 2 of 'outage': reply is empty: add text, output, a body or frames",
    ],
    [
      { on: 'createResponse', reply: { text: 'a', body: {} } },
      "rule 2 of 'outage': reply.text cannot be combined with body, which is the whole reply",
    ],
    [
      { on: '*', fault: { name: 'status', headers: { 'retry after': '1' } } },
      'a header name cannot contain spaces or colons',
    ],
    [
      { on: '*', reply: { body: {}, headers: { a: '1\r\nset-cookie: b' } } },
      'a header value must be a single line of Latin-1 text',
    ],
    [
      { on: '*', reply: { frames: [{ evnt: {} }] } },
      "rule 2 of 'outage': unknown field 'reply.frames[0].evnt'; did you mean 'event'? (and reply.frames[0].event is required)",
    ],
    [
      { on: '*', reply: { frames: ['done'] } },
      "rule 2 of 'outage': reply.frames[0] must be a frame with event, data, bytes, base64, wait, done or hangUp, got 'done'",
    ],
  ]

  it.each(cases)('rejects %j', (rule, message) => expect(problemOf(rule)).toContain(message))
})

it('use() accepts up to a billion tokens of usage, so that totals are safe integers', async () => {
  const gateway = createGateway()
  const using = (count: number) => ({
    on: 'createResponse' as const,
    reply: { text: 'Hi', usage: { input_tokens: count, output_tokens: count } },
  })
  expect(() => gateway.use(using(1_000_000_001))).toThrow('usage.input_tokens')
  expect(() => gateway.use(using(Number.MAX_SAFE_INTEGER))).toThrow('usage.input_tokens')
  gateway.use(using(1_000_000_000))
  const reply = await call(gateway, 'POST /responses', { body: '{"model":"aurora/dawn-2","input":"Hello?"}' })
  expect(reply.body.usage.total_tokens).toBe(2_000_000_000)
})

it('ScenarioError lists every problem with its path and counts them in its message', () => {
  const error = errorOf({
    name: 'a',
    rules: [
      { on: 'x', times: 0 },
      { on: '*', fault: 'status' },
      { on: '*', fault: 'timeout', probability: -1 },
    ],
  })
  expect(error.problems.map(({ path }) => path.join('.'))).toEqual([
    'rules.0.on',
    'rules.0.times',
    'rules.0',
    'rules.2.probability',
  ])
  expect(error.message).toMatch(/ \(and 3 more problems\)$/)
  const of = (...ons: string[]) =>
    errorOf({ name: 'a', rules: ons.map((on) => ({ on, fault: 'status' })) }).message
  expect(of('x', 'y')).toMatch(
    /^rule 1 of 'a': on: unknown operation 'x'.* \(and rule 2 of 'a': on: unknown operation 'y'/,
  )
  expect(of('x')).toMatch(/createResponse, text$/)
})

describe('checkScenario: problems of all kinds', () => {
  const fault = 'status'
  const reply = { text: 'a' }
  const on = 'createResponse'
  const matches = { matches: '(' }
  const rules: object[] = [
    // Matching.
    { on: [], fault },
    { on: '', fault },
    { on: ['listProviders', 'x'], fault },
    { on: ['*', 'GET /presets/a/b', 'GET /presets'], fault },
    { on: 'POST /presets/mine', fault },
    { on: 'GET /api/v1/models', fault },
    { on: 'GET /api/v1', fault },
    { on: 'GET /a?b=1', fault },
    { on: 'HEAD /a', fault },
    { on: 'TRACE /a', fault },
    { on: '*', when: { model: [] }, fault },
    { on: '*', when: { model: '', input: '', call: 0, state: '' }, fault },
    { on: '*', when: { call: 1, state: 's', model: 'm', input: 'i' }, fault },
    { on: '*', when: { call: [] }, fault },
    { on: '*', when: { headers: { a: matches }, query: { b: matches }, params: { c: matches } }, fault },
    { on: '*', when: { body: { 'a.b': matches, c: { matches: 'a', flags: 'gg' } }, input: matches }, fault },
    { on: '*', when: { input: { matches: 'a'.repeat(200) } }, fault },
    { on: '*', when: { input: { matches: '' } }, fault },
    { on: '*', when: { input: /a/ }, fault },
    { on: '*', when: /a/g, fault },
    { on: '*', when: { body: { a: { equals: undefined } } }, fault },
    { on: '*', when: { body: { a: { eqals: 1 } } }, fault },
    { on: '*', when: { body: { a: { equals: 1, contains: 'a' } } }, fault },
    { on: '*', when: { body: { a: [1] } }, fault },
    { on: '*', when: { stream: 'yes' }, fault },
    // Frequency.
    { on: '*', times: 1, after: 0, probability: 0, fault },
    { on: '*', times: -1, after: -1, probability: -0.1, fault },
    { on: '*', times: 1.5, fault },
    { on: '*', probability: 1, fault },
    { on: '*', probability: 1.1, fault },
    { on: '*', probability: { from: 0, to: 1, overMs: 1 }, fault },
    { on: '*', probability: '1', fault },
    { on: '*', during: { fromMs: 8, toMs: 9 }, fault },
    { on: '*', during: { toMs: 0 }, fault },
    { on: '*', during: { fromMs: 9 }, fault },
    { on: '*', during: { fromMs: -1 }, fault },
    { on: '*', during: { from: 1 }, fault },
    { on: '*', quota: { limit: 1, windowMs: 1 } },
    { on: '*', rateLimit: { requests: 1, per: '1m', window: 'sliding' } },
    { on: '*', rateLimit: { per: '1m', tokens: 0, requests: 0 } },
    { on: '*', rateLimit: { per: 0, tokens: 1 } },
    { on: '*', rateLimit: { per: '1m' } },
    { on: '*', rateLimit: { per: '1m', token: 1 } },
    { on: '*', setState: 'a' },
    { on: '*', setState: '' },
    { on: '*', name: '' },
    { on: '*', fault, onEnd: 'repeat-last' },
    { on: '*', sequence: ['pass'], onEnd: 'never' },
    { on: '*', sequence: ['pass'], onEnd: 'pass' },
    // Faults.
    { on: '*', faults: [] },
    { on: '*', fault: {} },
    { on: '*', fault: { ms: 1 } },
    { on: '*', fault: 1 },
    { on: '*', fault: 'wrong-type' },
    { on: '*', fault: { name: 'status', status: 99 } },
    { on: '*', fault: { name: 'status', status: 600 } },
    { on: '*', fault: { name: 'latency', ms: '5' } },
    { on: ['listProviders', on], fault: 'stream-cut' },
    { on, faults: ['stream-cut', 'unknown-event'] },
    { on, faults: ['latency', 'stream-cut', 'connection-reset'] },
    { on, when: { stream: true }, fault: 'stream-cut' },
    { on, when: { stream: true }, fault: 'missing-field' },
    { on, when: { stream: true }, fault: { name: 'missing-field', path: 'id' } },
    { on, when: { stream: false }, fault: { name: 'missing-field', path: 'id' } },
    { on: 'listProviders', fault: { name: 'missing-field', path: 'data' } },
    { on: '*', fault: 'citation-missing-field' },
    { on, fault: 'citation-missing-field' },
    // Replies.
    { on, reply: {} },
    { on, reply },
    { on, reply: { headers: { a: 'b' }, status: 200 } },
    { on: ['*', on], reply },
    { on: 'listProviders', reply: { body: {} } },
    { on, reply: { ...reply, body: {}, frames: [] } },
    { on, reply: { usage: { input_tokens: 1, tokens: 2 } } },
    { on, reply: { text: 'a', citations: [{ url: 'here', titel: 'b' }] } },
    { on, reply: { ...reply, incompleteReason: 'max_output_tokens' } },
    { on, reply: { ...reply, incompleteReason: 'max_output_tokens', responseStatus: 'incomplete' } },
    { on, reply: { ...reply, incompleteReason: 'max_output_tokens', responseStatus: 'completed' } },
    { on, reply: { ...reply, incompleteReason: 'max_output_tokens', error: { code: 'a', message: 'b' } } },
    { on, reply: { ...reply, responseStatus: 'failed', error: { code: 'server_error', message: 'b' } } },
    { on, reply: { ...reply, responseStatus: 'completed', error: { code: 'server_error', message: 'b' } } },
    { on, reply: { ...reply, error: { code: 'server_error', message: 'b' } } },
    { on, reply: { ...reply, error: { cod: 'server_error' } } },
    { on, reply: { text: '{{#a}}' } },
    { on: '*', reply: { body: { a: ['{{a}}', '{{'] }, headers: { b: '{{/c}}' } } },
    { on: '*', reply: { body: { a: null, base64: '{{' } } },
    { on: '*', reply: { frames: [{ data: '{{#a}}' }, { base64: 'e3sjYX19' }, { bytes: '{{#b}}' }] } },
    { on: '*', reply: { frames: [{ wait: -1 }, { hangUp: 'now' }, { done: false }, { event: {} }] } },
    { on, reply, fault },
    { on, reply, faults: ['latency', 'connection-reset'] },
    { on, reply, fault: 'latency' },
    // Sequences.
    { on, reply, sequence: ['pass'] },
    { on, fault, reply, sequence: ['pass'] },
    { on, sequence: ['pass', { fault: 'nothing' }, { reply: {} }, { reply, fault }] },
    { on, sequence: [{ fault, reply: undefined }, {}, { reply, falt: 1 }, 7] },
    { on, sequence: [{ fault, onEnd: 1 }] },
    // Scripts.
    { on, script: [] },
    { on: ['*', on], script: [{ text: 'a' }] },
    { on, onEnd: 'pass', fault },
    { on, script: [{ text: 'a' }], onEnd: 'pass' },
    ...['times', 'after', 'probability'].map((name) => ({
      on,
      script: [reply],
      [name]: 1,
    })),
    { on, script: [reply], rateLimit: { per: '1m', tokens: 1 }, during: {}, setState: 'a' },
    { on, script: [reply], fault, reply, sequence: ['pass'] },
    { on, script: [{}, { usage: { input_tokens: 1 } }, { id: 'a' }, { interleave: true }] },
    { on, script: [{ fault }, { fault, usage: { input_tokens: 1 } }, { ...reply, fault }] },
    {
      on,
      script: [
        { ...reply, faults: ['latency', 'connection-reset'] },
        { ...reply, fault: 'latency' },
      ],
    },
    {
      on,
      script: [{ citations: [{ url: 'https://a.example' }], output: [{ type: 'message', content: 'a' }] }],
    },
    { on, script: [{ ...reply, citations: [{ url: 'https://a.example' }] }] },
    { on, script: [{ ...reply, call: { f: {} }, citations: [{ url: 'https://a.example' }] }] },
    { on, script: [{ call: [] }, { call: { '': {} } }, { call: { f: 'x' } }] },
    { on, script: [{ ...reply, incompleteReason: 'max_output_tokens', responseStatus: 'failed' }] },
    { on, script: [reply, { text: '{{#a}}' }] },
    { on, script: [{ ...reply, expect: { input: matches, result: { f: matches, g: ['a', matches] } } }] },
    { on, script: [{ ...reply, expect: { inputs: 'a', tools: [], result: { f: [] } } }] },
    { on, script: [{ ...reply, expect: { result: { f: '' } } }] },
    { on, script: [{ ...reply, fault: 'stream-cut' }, { tetx: 'a' }] },
    { on: 'listProviders', script: [{ ...reply, fault: 'stream-cut' }] },
    // Values at a limit and just beyond it.
    { on: [''], fault },
    { on: ['*'], name: 'a', fault },
    { on: '*', when: { input: 'i', model: ['m'], state: ['s'], call: [1], headers: { a: 'b' } }, fault },
    { on: '*', when: { input: { contains: '' }, model: [''], state: [''], call: [0] }, fault },
    { on: '*', when: { model: '', state: '', headers: { '': 'b' }, body: { a: { contains: '' } } }, fault },
    { on: '*', when: { input: { matches: 'a', flags: 'dgimsuy' } }, fault },
    { on: '*', when: { input: { matches: 'a', flags: 'dgimsuyyy' } }, fault },
    { on: '*', times: 1e12, after: 1e12, fault },
    { on: '*', times: 1e12 + 1, after: 1e12 + 1, fault },
    ...[2, 1.99, 100, 101].map((probability) => ({ on: '*', probability, fault })),
    { on: '*', rateLimit: { per: 1, requests: 0 } },
    { on: '*', rateLimit: { per: 0, requests: 1 } },
    { on: '*', faults: ['latency'] },
    { on: '*', sequence: ['pass'] },
    { on, reply: { ...reply, id: '', error: { code: '' } } },
    { on, reply: { ...reply, id: 'a', error: { code: 'a' } } },
    { on, reply: { output: [{ type: 'message', id: '', content: 'a' }] } },
    { on, reply: { ...reply, usage: { input_tokens: 1_000_000_000 } } },
    { on, reply: { ...reply, usage: { input_tokens: 1_000_000_001 } } },
    ...[199, 200, 599, 600, 200.5].map((status) => ({ on, reply: { status, ...reply } })),
    ...[
      { start_index: 0, end_index: 3 },
      { start_index: 1, end_index: 1 },
      { start_index: 0, end_index: 4 },
      { start_index: 0 },
      { end_index: 3 },
      { end_index: 4 },
      { text: '' },
    ].map((span) => ({ on, reply: { text: 'abc', citations: [{ url: 'https://a.example', ...span }] } })),
    {
      on,
      reply: { text: '{{a}}', citations: [{ url: 'https://a.example', start_index: 0, end_index: 99 }] },
    },
    {
      on,
      script: [
        { ...reply, expect: { result: { f: [] } } },
        { ...reply, expect: { tools: [''] } },
      ],
    },
    { on, script: [{ call: [{ f: {} }] }, { ...reply, expect: { tools: ['f'], result: { f: ['a'] } } }] },
    ...['{{}}', '{{ }}', `{{ ${'a'.repeat(30)}`, '{{=<% %>=}}{{', '{{ > a }}'].map((text) => ({
      on,
      reply: { text },
    })),
    // Values of the wrong kind, and fields of other tools.
    { on: '*', sequence: ['status', 'nothing', 7] },
    { on: '*', fault: ['status'] },
    { on: '*', fault: 7 },
    { on: '*', fault: { name: 'stream-bom', at: 1 } },
    { on: 'a b/c', fault },
    { on: '*', when: { body: { a: null, b: { matches: 'c', flags: 'i', equals: 1 } } }, fault },
    { on: '*', rateLimit: { requests: 1, per: 'status' } },
    { on: '*', fault: 'latency', ms: 5, sigma: 1, jiterMs: 2 },
    { on: '*', fault: 'nothing', ms: 5 },
    { on: '*', fault: { name: 'nothing', ms: 5 } },
    { on: '*', once: true, delay: 5, status: 503, text: 'Hi', path: '/a', method: 'GET', retryAfter: 3 },
    { on: '*', once: 1, delay: '5s', status: '503', text: {}, body: {}, response: 'a', fault },
    { on: '*', when: { path: '/a', method: 'GET', status: 1 }, fault },
    { on, when: 'a/b', fault },
    { on, rateLimit: '60/m' },
    { on, rateLimit: { requests: 1 } },
    { on, script: 'Hello' },
    { on, script: [{ call: 'f' }, { call: 7 }] },
    { on, reply: { text: 'a', citations: ['https://a.example', 7] } },
    { on: '*', fault, when: /tides/i },
    { on: '*', fault, when: new Map([['model', 'a/b']]) },
  ]
  const scenarios: unknown[] = [
    undefined,
    7,
    { rules: [{ on: '*', fault }] },
    { name: '', rules: [{ on: '*', fault }] },
    { name: '.a', rules: [{ on: '*', fault }] },
    { name: 'a'.repeat(100), rules: [{ on: '*', fault }] },
    { name: 'a'.repeat(101), rules: [{ on: '*', fault }] },
    { name: 'a', rules: [] },
    { name: 'a', rules: /a/ },
    { name: 'a', rules: [7] },
    { name: 'a', rules: [/a/u] },
    { name: 'a', ruels: [{ on: '*', fault }] },
    { name: 7, rules: [{ onn: '*' }] },
    { name: 'a', rules: [{ on: '*', fault }], description: 1, $schema: 1 },
  ]

  it('match the snapshot mistakes.txt', async () => {
    const all: [unknown, unknown][] = [
      ...rules.map((rule) => [rule, { name: 'outage', rules: [rule] }] satisfies [unknown, unknown]),
      ...scenarios.map((scenario) => [scenario, scenario] satisfies [unknown, unknown]),
    ]
    const lines = all.map(([input, scenario]) => {
      const toText = (_key: string, value: unknown) => (value instanceof RegExp ? String(value) : value)
      let problems: readonly Problem[] = []
      try {
        checkScenario(scenario, { operations })
      } catch (error) {
        problems = (error as ScenarioError).problems
      }
      const messages = problems.map(
        ({ path, message }) =>
          `  ${path.join('.')}: ${message.replace(/there are latency, .*/, 'there are …')}`,
      )
      return [String(JSON.stringify(input, toText)), ...(messages.length === 0 ? ['  valid'] : messages)]
    })
    await expect(`${lines.flat().join('\n')}\n`).toMatchFileSnapshot('mistakes.txt')
  })
})

it.each([[null], [[]], ['text'], [{}], [{ name: 'a b', rules: [] }], [{ name: 'a', rules: {} }]])(
  'checkScenario rejects %j',
  (input) => {
    expect(() => checkScenario(input, { operations })).toThrow(ScenarioError)
  },
)

it.each<[string, () => unknown]>([
  [
    'reply(): reply is empty: add text, output, a body or frames',
    () => createGateway().reply({ headers: { a: 'b' } }),
  ],
  [
    'reply(): times must be 1 or more, got 0: to disable a rule, remove it',
    () => createGateway().reply('Hi', { times: 0 }),
  ],
  [
    'reply(): text: bad template: {{ is not closed; to write literal braces, start the text with {{=<% %>=}}',
    () => createGateway().reply('{{'),
  ],
  [
    'fail(): times must be 1 or more, got 0: to disable a rule, remove it',
    () => createGateway().fail(503, { times: 0 }),
  ],
  [
    'fail(): when.model must not be empty (and 2 more problems)',
    () => createGateway().fail(503, { when: { call: [], model: [], state: [] } }),
  ],
])('messages name the argument: %s', (message, mistake) => {
  expect(mistake).toThrow(expect.objectContaining({ message }))
})

it('defineScenario returns its argument', () => {
  const scenario: ScenarioInput = {
    name: 'a',
    rules: [{ on: '*', fault: 'latency', during: { toMs: 9 } }],
  }
  expect(defineScenario(scenario)).toBe(scenario)
})

it('bundledScenario finds scenarios by exact name, not by inherited property names', () => {
  expect(() => bundledScenario('flakey')).toThrow("Unknown scenario 'flakey'; did you mean 'flaky'?")
  expect(() => bundledScenario('__proto__')).toThrow(ScenarioError)
  expect(() => bundledScenario('constructor')).toThrow(ScenarioError)
})

it('checkScenario accepts its own output', () => {
  const scenario = checkScenario(
    { name: 'a', rules: [{ on: '*', fault: 'latency', during: { toMs: 9 } }] },
    { operations },
  )
  expect(checkScenario(scenario, { operations })).toEqual(scenario)
})
