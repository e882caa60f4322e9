/**
 * Generates arbitrary scenarios and checks their properties: a valid one leaves the gateway usable and the journal
 * readable; an invalid one is rejected with the error's position.
 */
import fc from 'fast-check'
import { faultNames } from '../../../src/faults/index.ts'
import type { Gateway, ScenarioInput } from '../../../src/index.ts'
import { ScenarioError } from '../../../src/scenarios/check-scenario.ts'
import { open } from '../../call.ts'

const text = fc.oneof(
  fc.constantFrom(
    'aurora/*',
    'Hello',
    'listProviders',
    '{{ input }}',
    '{{',
    '(a+)+$',
    '__proto__',
    '[DONE]',
    '\n\n',
  ),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
)
const number = fc.oneof(
  fc.integer({ min: -1, max: 5 }),
  fc.constantFrom(0.5, 1e9, 2 ** 31, Number.MAX_SAFE_INTEGER, 1e308, -0),
)
const json = fc.jsonValue({ maxDepth: 2 })
/** Mostly valid values for a field, occasionally an invalid one. */
const nearly = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 60, arbitrary: value as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: json })
const some = (fields: Record<string, fc.Arbitrary<unknown>>, required: string[] = []) =>
  fc.record(Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, nearly(value)])), {
    requiredKeys: required,
  })

const condition = fc.oneof(
  text,
  fc.boolean(),
  fc.record({ equals: json }),
  fc.record({ contains: text }),
  fc.record({ present: fc.boolean() }),
  fc.record({ matches: text, flags: fc.constantFrom('', 'i', 'gimsuy', 'x') }, { requiredKeys: ['matches'] }),
)
const conditions = fc.dictionary(
  fc.constantFrom('authorization', 'model', 'input[0].content', 'a.b', '['),
  condition,
  { maxKeys: 2 },
)
const fault = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...faultNames) as fc.Arbitrary<unknown> },
  {
    weight: 1,
    arbitrary: some(
      {
        name: fc.constantFrom(...faultNames),
        ms: number,
        status: fc.constantFrom(200, 429, 500, 99),
        bytes: number,
        everyMs: number,
        after: number,
        message: text,
      },
      ['name'],
    ),
  },
)
const faults = fc.oneof(
  { weight: 4, arbitrary: fault },
  { weight: 1, arbitrary: fc.array(fault, { maxLength: 3 }) },
)
const frame = fc.oneof(
  fc.record({ event: fc.record({ type: text, delta: json }) }),
  fc.record({ data: text }),
  fc.record({ bytes: text }),
  fc.record({ base64: fc.base64String() }),
  fc.record({ wait: number }),
  fc.constant({ done: true }),
  fc.record({ hangUp: fc.constantFrom('end', 'reset', 'stall') }),
)
const wholeReply = some({
  status: fc.constantFrom(200, 204, 304, 404, 500, 599),
  headers: fc.dictionary(fc.constantFrom('content-type', 'x-a', 'content-length'), text, { maxKeys: 2 }),
  text,
  body: json,
  frames: fc.array(frame, { maxLength: 6 }),
  usage: some({ input_tokens: number, output_tokens: number }),
  output: fc.array(
    some({ type: fc.constantFrom('message', 'function_call', 'reasoning'), text, name: text }),
    { maxLength: 2 },
  ),
  citations: fc.array(some({ url: fc.webUrl(), title: text }), { maxLength: 2 }),
})
const reply = fc
  .tuple(
    wholeReply,
    fc.constantFrom('text', 'body', 'frames', 'output'),
    fc.constantFrom('status', 'usage', 'headers', 'text'),
  )
  .map(([whole, content, other]) =>
    Object.fromEntries([content, other].flatMap((name) => (name in whole ? [[name, whole[name]]] : []))),
  )
const step = fc.oneof(fc.constant('pass'), fc.record({ fault: faults }), fc.record({ reply }))
const rule = some(
  {
    on: fc.oneof(
      fc.constantFrom(
        '*',
        'listProviders',
        'createResponse',
        'createResponse',
        'updateWorkspace',
        'GET /x',
        'no',
      ),
      fc.array(fc.constantFrom('listProviders', 'createResponse'), { minLength: 1, maxLength: 2 }),
    ),
    when: some({
      model: text,
      input: text,
      stream: fc.boolean(),
      headers: conditions,
      body: conditions,
      state: text,
    }),
    times: number,
    after: number,
    probability: fc.constantFrom(0, 0.5, 1, 2),
    rateLimit: some({
      requests: number,
      tokens: number,
      per: fc.constantFrom('1s', '1m', 'x'),
    }),
    setState: text,
    fault: faults,
    reply,
    sequence: fc.array(step, { maxLength: 3 }),
  },
  ['on', 'when', 'times', 'after', 'probability', 'rateLimit', 'setState', 'fault', 'reply', 'sequence'],
)

/** Rules with few fields and one effect, because hardly any rule with all fields would be valid. */
const fewFields = fc
  .tuple(
    rule,
    fc.constantFrom('fault', 'reply', 'sequence', 'setState'),
    fc.subarray(['when', 'times', 'after', 'probability', 'rateLimit', 'fault'], { maxLength: 2 }),
  )
  .map(([whole, effect, others]) =>
    Object.fromEntries(['on', effect, ...others].map((name) => [name, whole[name]])),
  )

export const anyScenario: fc.Arbitrary<unknown> = fc.record({
  name: fc.oneof({ weight: 20, arbitrary: fc.constant('any') }, { weight: 1, arbitrary: text }),
  rules: fc.array(fewFields, { minLength: 1, maxLength: 3 }),
})

/** Returns the problem or, if there is none, whether the scenario was accepted. */
export async function tryScenario(
  gateway: Gateway,
  scenario: unknown,
): Promise<{ wrong?: string; isValid: boolean }> {
  const sandbox = gateway.createSandbox()
  try {
    sandbox.use(scenario as ScenarioInput)
  } catch (error) {
    sandbox.dispose()
    const hasPlace =
      error instanceof ScenarioError &&
      error.problems.every(({ path, message }) => path.length > 0 && !message.includes('\n'))
    return { isValid: false, ...(!hasPlace && { wrong: `rejected without a position: ${error}` }) }
  }
  const headers = { authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json' }
  const body = (stream: boolean) => JSON.stringify({ model: 'aurora/dawn-2', input: 'Hello?', stream })
  await ask(gateway, '/providers', { headers })
  await ask(gateway, '/responses', { method: 'POST', headers, body: body(true) })
  await ask(gateway, '/responses', { method: 'POST', headers, body: body(false) })
  await ask(gateway, '/workspaces/production', { method: 'PATCH', headers, body: '{"name":"Any"}' })
  const entries = sandbox.journal.entries()
  JSON.stringify([entries, sandbox.journal.har()])
  for (const entry of entries) sandbox.journal.explain(entry)
  const broken = entries.find((entry) => entry.schemaViolation)
  sandbox.reset()
  const after = await open({ fetch: gateway.fetch, apiKey: sandbox.apiKey }, 'GET /providers')
  sandbox.dispose()
  if (entries.length !== 4) return { isValid: true, wrong: `${entries.length} entries in the journal` }
  if (broken) return { isValid: true, wrong: `a reply violated its schema: ${broken.warnings}` }
  return { isValid: true, ...(after.status !== 200 && { wrong: `${after.status} after a reset` }) }
}

/** Reads the reply if there is one. Aborts after several turns of the event loop without a reply. */
export async function ask(gateway: Gateway, path: string, init: RequestInit): Promise<void> {
  const controller = new AbortController()
  let isDone = false
  const answer = gateway
    .fetch(`https://gateway.example/api/v1${path}`, { ...init, signal: controller.signal })
    .then((response) => response.arrayBuffer())
    // A broken connection is an expected outcome.
    .catch(() => {})
    .finally(() => {
      isDone = true
    })
  for (let turn = 0; turn < 3000 && !isDone; turn++) await new Promise((resolve) => setImmediate(resolve))
  controller.abort()
  await answer
}
