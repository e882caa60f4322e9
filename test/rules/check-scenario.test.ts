import { describe, expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { bundledScenario } from '../../src/rules/bundled.ts'
import { checkScenario, ScenarioError } from '../../src/rules/check-scenario.ts'

const operations = [
  { id: 'listProviders', method: 'get', path: '/providers' },
  { id: 'getPreset', method: 'get', path: '/presets/{slug}' },
  { id: 'createResponse', method: 'post', path: '/responses', streams: true },
]

function problemOf(rule: object): string {
  return errorOf({ name: 'outage', rules: [{ on: '*', fault: 'status' }, rule] }).message
}

function errorOf(scenario: unknown): ScenarioError {
  try {
    checkScenario(scenario, operations)
  } catch (error) {
    if (error instanceof ScenarioError) return error
    throw error
  }
  throw new Error('It was accepted')
}

describe('a wrong word is named with its place and the nearest right one', () => {
  const status = { fault: 'status' }
  const cases: [object, string][] = [
    [
      { on: 'listProvider', ...status },
      "Unknown operation 'listProvider' in scenario 'outage', rule 2: did you mean 'listProviders'?",
    ],
    [
      { on: 'somethingElse', ...status },
      "Unknown operation 'somethingElse' in scenario 'outage', rule 2; there are listProviders, getPreset, createResponse",
    ],
    [
      { on: '*', fault: 'stream-cutt' },
      "Unknown fault 'stream-cutt' in scenario 'outage', rule 2: did you mean 'stream-cut'?",
    ],
    [
      { on: '*', fault: { name: 'latancy', ms: 5 } },
      "Unknown fault 'latancy' in scenario 'outage', rule 2: did you mean 'latency'?",
    ],
    [
      { on: '*', fault: ['latency', 'statuss'] },
      "Unknown fault 'statuss' in scenario 'outage', rule 2: did you mean 'status'?",
    ],
    [
      { on: '*', fault: 'constructor' },
      "Unknown fault 'constructor' in scenario 'outage', rule 2; there are latency, timeout, connection-reset",
    ],
    [
      { on: '*', tims: 2, ...status },
      "Unknown field 'tims' in scenario 'outage', rule 2: did you mean 'times'?",
    ],
    [
      { on: '*', when: { modl: 'a/*' }, ...status },
      "Unknown field 'modl' in scenario 'outage', rule 2: did you mean 'model'?",
    ],
    [
      { on: '*', fault: { name: 'latency', mss: 5 } },
      "Unknown field 'mss' in scenario 'outage', rule 2: did you mean 'ms'?",
    ],
    [
      { on: 'createResponse', reply: { txt: 'Hello' } },
      "Unknown field 'txt' in scenario 'outage', rule 2: did you mean 'text'?",
    ],
    [
      { on: 'createResponse', reply: { output: [{ type: 'mesage', content: 'Hello' }] } },
      "Wrong 'reply.output[0].type' in scenario 'outage', rule 2: an item is message, reasoning, function_call, web_search_call or image_generation_call",
    ],
    [
      { on: 'createResponse', reply: { output: [{ type: 'function_call' }] } },
      "'reply.output[0].name' is missing in scenario 'outage', rule 2",
    ],
    [
      { on: 'createResponse', reply: { output: [{ type: 'message' }] } },
      "Wrong 'reply.output[0].content' in scenario 'outage', rule 2: give a text, or parts with a text",
    ],
    [
      { on: '*', sequence: ['pas'] },
      "Wrong 'sequence[0]' in scenario 'outage', rule 2: a step is 'pass', a fault or a reply",
    ],
    [
      { on: '*', sequence: [{ falt: 'status' }] },
      "Unknown field 'falt' in scenario 'outage', rule 2: did you mean 'fault'?",
    ],
    [{ on: '*', quota: { limit: 1 }, ...status }, "'quota.windowMs' is missing in scenario 'outage', rule 2"],
    [{ ...status }, "Wrong 'on' in scenario 'outage', rule 2: give an operation, several of them, or *"],
    [
      { on: 'post /chat/completions', ...status },
      "'post /chat/completions' in scenario 'outage', rule 2 is not of the form 'POST /chat/completions': a method in capitals and a path below the base address",
    ],
    [
      { on: 'GET /presets/mine', ...status },
      "'GET /presets/mine' in scenario 'outage', rule 2 is the operation 'getPreset': use that name",
    ],
  ]

  it.each(cases)('%j', (rule, message) => {
    expect(problemOf(rule)).toContain(message)
    expect(problemOf(rule)).not.toContain('\n')
  })
})

describe('a rule that contradicts itself is refused', () => {
  const cases: [object, string][] = [
    [
      { on: '*', times: 0, fault: 'status' },
      "'times: 0' in scenario 'outage', rule 2 never happens: give 1 or more, or leave the rule out",
    ],
    [
      { on: 'listProviders', fault: 'stream-cut' },
      "'stream-cut' in scenario 'outage', rule 2 is a fault of streams, and 'listProviders' has none: use it on 'createResponse'",
    ],
    [
      { on: 'POST /chat/completions', fault: 'stream-cut' },
      "'stream-cut' in scenario 'outage', rule 2 is a fault of streams, and 'POST /chat/completions' has none",
    ],
    [
      { on: 'getPreset', fault: 'citation-missing-field' },
      "is a fault of generated answers, and 'getPreset' has none",
    ],
    [
      { on: '*', when: { stream: false }, fault: 'stream-cut' },
      "never happens: it needs a request for a stream, and the rule wants 'stream: false'",
    ],
    [
      { on: '*' },
      "Nothing happens in scenario 'outage', rule 2: give it a fault, a reply, a sequence or a script",
    ],
    [
      { on: 'createResponse', fault: 'status', reply: { text: 'Hello' } },
      "'status' in scenario 'outage', rule 2 answers in place of the reply beside it: use a sequence for both",
    ],
    [
      { on: '*', fault: 'status', sequence: ['pass'] },
      "Both fault and sequence in scenario 'outage', rule 2",
    ],
    [
      { on: '*', fault: ['status', 'timeout'] },
      "'status' and 'timeout' in scenario 'outage', rule 2 cannot act together: both decide the answer of the call",
    ],
    [{ on: '*', sequence: [] }, "The sequence in scenario 'outage', rule 2 is empty"],
    [
      { on: '*', fault: 'status', afterwards: 'last' },
      "'afterwards' in scenario 'outage', rule 2 has no sequence to follow",
    ],
    [
      { on: '*', during: { fromMs: 9, toMs: 9 }, fault: 'status' },
      'is over before it begins: fromMs 9 is not below toMs 9',
    ],
    [
      { on: '*', probability: 1.5, fault: 'status' },
      "Probability 1.5 in scenario 'outage', rule 2 is not between 0 and 1",
    ],
    [{ on: '*', probability: { from: 0, to: 2, overMs: 9 }, fault: 'status' }, 'Probability 2 in'],
    [
      { on: '*', when: { input: { matches: '(' } }, fault: 'status' },
      "Bad regular expression /(/ in scenario 'outage', rule 2: Unterminated group",
    ],
    [
      { on: '*', when: { body: { a: { matches: 'a', flags: 'q' } } }, fault: 'status' },
      'Bad regular expression /a/q',
    ],
    [
      { on: '*', when: { input: { matches: 'a'.repeat(201) } }, fault: 'status' },
      "Wrong 'when.input.matches' in scenario 'outage', rule 2",
    ],
    [
      { on: '*', when: { input: { contains: 'a', matches: 'a' } }, fault: 'status' },
      "'matches' in scenario 'outage', rule 2 does not go with what stands beside it",
    ],
    [{ on: '*', when: { input: { equal: 'a' } }, fault: 'status' }, 'there are contains, matches, flags'],
    [{ on: '*', fault: { name: 'stream-cut', atEvent: 1, atByte: 1 } }, 'a fault falls at one place'],
    [
      { on: '*', fault: 'missing-field' },
      "Fault 'missing-field' in scenario 'outage', rule 2 needs 'path': write { name: 'missing-field', … }",
    ],
    [
      { on: '*', reply: { text: 'Hello' } },
      "'text' in scenario 'outage', rule 2 is for operations that write texts, '*' is none: give a body or frames",
    ],
    [{ on: 'createResponse', reply: { status: 200 } }, "The reply in scenario 'outage', rule 2 is empty"],
    [
      { on: 'createResponse', reply: { text: 'a', body: {} } },
      "Both 'body' and 'text' in scenario 'outage', rule 2: 'body' is the whole reply",
    ],
    [
      { on: '*', fault: { name: 'status', headers: { 'retry after': '1' } } },
      'a header name has no spaces or colons',
    ],
    [
      { on: '*', reply: { body: {}, headers: { a: '1\r\nset-cookie: b' } } },
      'a header value is one line of Latin-1',
    ],
    [
      { on: '*', reply: { frames: [{ evnt: {} }] } },
      "Unknown field 'evnt' in scenario 'outage', rule 2: did you mean 'event'?",
    ],
    [
      { on: '*', reply: { frames: ['done'] } },
      'a frame is one of event, data, bytes, base64, wait, done, hangUp',
    ],
  ]

  it.each(cases)('%j', (rule, message) => expect(problemOf(rule)).toContain(message))
})

it('takes a usage of a billion tokens, and refuses more: the total would be no integer that JSON readers keep', async () => {
  const gateway = createGateway()
  const using = (count: number) => ({
    on: 'createResponse' as const,
    reply: { text: 'Hi', usage: { input_tokens: count, output_tokens: count } },
  })
  expect(() => gateway.use(using(1_000_000_001))).toThrow('usage.input_tokens')
  expect(() => gateway.use(using(Number.MAX_SAFE_INTEGER))).toThrow('usage.input_tokens')
  gateway.use(using(1_000_000_000))
  const reply = await gateway.fetch('https://gateway.example/api/v1/responses', {
    method: 'POST',
    headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
    body: '{"model":"aurora/dawn-2","input":"Hello?"}',
  })
  expect((await reply.json()).usage.total_tokens).toBe(2_000_000_000)
})

it('lists every problem with its path, and counts them in the message', () => {
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
})

it.each([[null], [[]], ['text'], [{}], [{ name: 'a b', rules: [] }], [{ name: 'a', rules: {} }]])(
  'refuses %j',
  (input) => {
    expect(() => checkScenario(input, operations)).toThrow(ScenarioError)
  },
)

it('knows bundled scenarios by their own names only', () => {
  expect(() => bundledScenario('flakey')).toThrow("Unknown scenario 'flakey': did you mean 'flaky'?")
  expect(() => bundledScenario('__proto__')).toThrow(ScenarioError)
  expect(() => bundledScenario('constructor')).toThrow(ScenarioError)
})

it('accepts what it made itself', () => {
  const scenario = checkScenario(
    { name: 'a', rules: [{ on: '*', fault: 'latency', during: { toMs: 9 } }] },
    operations,
  )
  expect(checkScenario(scenario, operations)).toEqual(scenario)
})
