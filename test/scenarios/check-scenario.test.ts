import { describe, expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { bundledScenario } from '../../src/scenarios/bundled.ts'
import { checkScenario } from '../../src/scenarios/check-scenario.ts'
import { ScenarioError } from '../../src/scenarios/scenario-error.ts'
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
      "on: unknown operation 'listProvider'; did you mean 'listProviders'?",
    ],
    [
      { on: 'somethingElse', ...status },
      "on: unknown operation 'somethingElse'; expected one of getPreset, listProviders, createResponse, text",
    ],
    [{ on: '*', fault: 'stream-cutt' }, "fault: 'stream-cutt' is unknown; did you mean 'stream-cut'?"],
    [{ on: '*', fault: ['latency', 'statuss'] }, "fault[1]: 'statuss' is unknown; did you mean 'status'?"],
    [{ on: '*', fault: 'constructor' }, "fault: 'constructor' is unknown; see docs/faults.md for all faults"],
    [{ on: '*', tims: 2, ...status }, "unknown field 'tims'; did you mean 'times'?"],
    [{ on: 'createResponse', reply: { txt: 'Hello' } }, "unknown field 'reply.txt'; did you mean 'text'?"],
    [
      { on: 'createResponse', reply: { output: [{ type: 'mesage', content: 'Hello' }] } },
      "reply.output[0].type: unknown type 'mesage'; did you mean 'message'?",
    ],
    [
      { on: 'createResponse', reply: { output: [{ type: 'function_call' }] } },
      'reply.output[0].name is required',
    ],
    [
      { on: 'createResponse', reply: { output: [{ type: 'message' }] } },
      'reply.output[0].content is required: text, or a list of parts with text or a refusal',
    ],
    [
      { on: '*', sequence: ['pas'] },
      "sequence[0] must be 'pass', or an object with a fault or a reply, got 'pas'",
    ],
    [{ on: '*', rateLimit: { requests: 1 }, ...status }, 'rateLimit.per is required'],
    [
      { ...status },
      "on is required: an operation such as 'createResponse', 'text' or '*', or a list of them",
    ],
    [
      { on: 'post /chat/completions', ...status },
      "on: 'post /chat/completions' must be a method and a path without the base URL, as in 'POST /chat/completions'",
    ],
    [
      { on: 'GET /presets/mine', ...status },
      "on: 'GET /presets/mine' is an operation: use its id 'getPreset'",
    ],
  ]

  it.each(cases)('reports the location and a suggestion for %j', (rule, message) => {
    expect(problemOf(rule)).toContain(`rule 2 of 'outage': ${message}`)
    expect(problemOf(rule)).not.toContain('\n')
  })
})

describe('checkScenario: contradictory rules', () => {
  const cases: [object, string][] = [
    [{ on: '*', times: 0, fault: 'status' }, 'times must be 1 or more, got 0: to disable a rule, remove it'],
    ...[-1, 0, 1.5, 2, 100, 101].map((probability): [object, string] => [
      { on: '*', fault: 'status', probability },
      `probability must be more than 0 and at most 1, got ${probability}${{ 0: ': to disable a rule, remove it', 2: '; write 0.02 for 2 %', 100: '; write 1 for 100 %' }[probability] ?? ''}`,
    ]),
    [
      { on: '*', rateLimit: { requests: 1, per: 60 } },
      "rateLimit.per needs a unit, got 60: write '60s' or '60ms'",
    ],
    [{ on: '*', rateLimit: { requests: 1, per: 0 } }, 'rateLimit.per must be at least 1 millisecond'],
    ...[
      [1, 1],
      [2, 1],
      [1, 6],
    ].map(([start_index, end_index]): [object, string] => [
      {
        on: 'createResponse',
        reply: { text: 'Tides', citations: [{ url: 'https://a.example/', start_index, end_index }] },
      },
      `reply.citations[0] is not within the text, which has 5 characters: start_index ${start_index}, end_index ${end_index}`,
    ]),
    ...[[{ weather: {} }, 'Sunny'], [{ weather: {} }], [undefined]].map(
      ([turnCall, text]): [object, string] => [
        {
          on: 'createResponse',
          script: [{ call: turnCall, text, output: [], citations: [{ url: 'https://a.example/' }] }],
        },
        'script[0].citations requires text, and no calls, in the same turn',
      ],
    ),
    [
      { on: 'listProviders', fault: 'stream-cut' },
      "fault: 'stream-cut' applies to streams, which 'listProviders' does not have: use it on 'text'",
    ],
    [
      { on: 'getPreset', fault: 'citation-missing-field' },
      "fault: 'citation-missing-field' applies to generated answers, which 'getPreset' does not have",
    ],
    [
      { on: '*', when: { stream: false }, fault: 'stream-cut' },
      "fault: 'stream-cut' never applies: it needs a request for a stream, but when.stream is false",
    ],
    ...['input', 'model', 'body', 'stream'].map((name): [object, string] => [
      {
        on: ['listProviders', 'GET /reports/7'],
        when: { [name]: { body: { a: 1 }, stream: true }[name] ?? 'x' },
        fault: 'status',
      },
      `when.${name} never matches: requests to 'listProviders' and 'GET /reports/7' have no body`,
    ]),
    ...['GET /reports/7', 'text'].map((on): [object, string] => [
      { on, when: { params: { id: '7' } }, fault: 'status' },
      `when.params.id is not a parameter of ${on.split(' ').at(-1)}`,
    ]),
    [
      { on: 'listProviders', rateLimit: { tokens: 10, per: '1m' } },
      "rateLimit.tokens has no effect: 'listProviders' uses no tokens",
    ],
    [
      { on: '*', when: { call: [1, 2] }, after: 2, fault: 'status' },
      'when.call never matches: after skips the first 2 calls',
    ],
    ...[{ limit: 5 }, { retryAfterMs: 5 }].map((field): [object, string] => [
      { on: '*', rateLimit: { requests: 1, per: '1m' }, fault: { name: 'rate-limit', ...field } },
      `fault: ${Object.keys(field)[0]} has no effect, because the rule's rateLimit determines it`,
    ]),
    [{ on: '*' }, 'the rule has no effect: add a fault, a reply, a sequence or a script'],
    [
      { on: 'createResponse', fault: 'status', reply: { text: 'Hello' } },
      "fault: 'status' replaces the reply next to it: use a sequence for both",
    ],
    [
      { on: '*', fault: 'status', sequence: ['pass'] },
      'sequence cannot be combined with fault: make fault the first step of the sequence',
    ],
    [
      { on: '*', fault: ['status', 'timeout'] },
      "fault: 'status' and 'timeout' cannot be combined: with 'timeout', there is no reply for 'status'; use a sequence for both",
    ],
    [
      { on: '*', fault: ['slow-head', 'slow-head'] },
      "fault: 'slow-head' and 'slow-head' cannot be combined: the same fault is listed twice; use a sequence for both",
    ],
    [{ on: '*', sequence: [] }, 'sequence needs a step: add one, or remove the rule'],
    [
      { on: '*', fault: 'status', onEnd: 'repeat-last' },
      "onEnd: 'repeat-last' has no effect: the rule needs a sequence or a script",
    ],
    [{ on: '*', during: { from: 9, to: 9 }, fault: 'status' }, 'during must start before its end: from < to'],
    [
      { on: '*', when: { input: { matches: '(' } }, fault: 'status' },
      'when.input.matches: the regular expression /(/ cannot be used: Unterminated group',
    ],
    [
      { on: '*', when: { body: { a: { matches: 'a', flags: 'q' } } }, fault: 'status' },
      "when.body.a.matches: the regular expression /a/q cannot be used: Invalid flags supplied to RegExp constructor 'q'",
    ],
    [
      { on: '*', when: { input: { matches: 'a'.repeat(201) } }, fault: 'status' },
      'when.input.matches must have at most 200 characters, got 201',
    ],
    [
      { on: '*', when: { input: { contains: 'a', matches: 'a' } }, fault: 'status' },
      'when.input must be text, { contains } or { matches }, got an object',
    ],
    [
      { on: '*', fault: { name: 'stream-cut', afterEvents: 1, afterBytes: 1 } },
      'fault: a fault acts at one position',
    ],
    [{ on: '*', fault: 'field' }, "fault: 'field' requires path; write { name: 'field', path: … }"],
    [
      { on: '*', reply: { text: 'Hello' } },
      "reply.text is for operations that generate text, but '*' does not: use a body or frames",
    ],
    [{ on: 'createResponse', reply: { status: 200 } }, 'reply is empty: add text, output, a body or frames'],
    [
      { on: 'createResponse', reply: { text: 'a', body: {} } },
      'reply.text cannot be combined with body, which is the whole reply',
    ],
    [
      { on: '*', fault: { name: 'status', headers: { 'retry after': '1' } } },
      'fault.headers["retry after"]: a header name cannot contain spaces or colons',
    ],
    [
      { on: '*', reply: { body: {}, headers: { a: '1\r\nset-cookie: b' } } },
      'reply.headers.a: a header value must be a single line of Latin-1 text',
    ],
    [
      { on: '*', reply: { frames: [{ evnt: {} }] } },
      'reply.frames[0] must be a frame with event, data, bytes, base64, wait, done or hangUp, got an object',
    ],
  ]

  it.each(cases)('rejects %j', (rule, message) => {
    expect(problemOf(rule)).toContain(`rule 2 of 'outage': ${message}`)
  })
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
      { on: 'x', onEnd: 'repeat' },
      { on: '*', fault: 'status' },
      { on: 'GET /x', fault: 'stream-cut' },
    ],
  })
  expect(error.problems.map(({ path }) => path.join('.'))).toEqual([
    'rules.0.on',
    'rules.0.onEnd',
    'rules.0',
    'rules.2.fault',
  ])
  expect(error.message).toMatch(/ \(and 3 more problems\)$/)
  const of = (...ons: string[]) =>
    errorOf({ name: 'a', rules: ons.map((on) => ({ on, fault: 'status' })) }).message
  expect(of('x', 'y')).toMatch(
    /^rule 1 of 'a': on: unknown operation 'x'.* \(and rule 2 of 'a': on: unknown operation 'y'/,
  )
  expect(of('x')).toMatch(/text, getPreset, listProviders, createResponse$/)
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
    'fail(): when.model must not be empty (and 2 more problems)',
    () => createGateway().fail(503, { when: { call: [], model: [], state: [] } }),
  ],
])('messages name the argument: %s', (message, mistake) => {
  expect(mistake).toThrow(expect.objectContaining({ message }))
})

it('bundledScenario finds scenarios by exact name, not by inherited property names', () => {
  expect(() => bundledScenario('flakey')).toThrow("Unknown scenario 'flakey'; did you mean 'flaky'?")
  expect(() => bundledScenario('__proto__')).toThrow(ScenarioError)
  expect(() => bundledScenario('constructor')).toThrow(ScenarioError)
})

it('checkScenario accepts its own output', () => {
  const scenario = checkScenario(
    { name: 'a', rules: [{ on: '*', fault: 'latency', during: { to: 9 } }] },
    { operations },
  )
  expect(checkScenario(scenario, { operations })).toEqual(scenario)
})
