/**
 * Arbitrary scenarios and templates. A valid one leaves the gateway usable and the journal readable; an invalid one is
 * rejected with the error's position.
 */
import fc from 'fast-check'
import { faultNames } from '../../../src/faults/index.ts'
import { createGateway, type Gateway, type Sandbox, type ScenarioInput } from '../../../src/index.ts'
import { ScenarioError } from '../../../src/scenarios/scenario-error.ts'
import { call } from '../../call.ts'
import { part } from './part.ts'

const odd = [
  'aurora/*',
  'Hello',
  'listProviders',
  '{{ input }}',
  '{{',
  '(a+)+$',
  '__proto__',
  '[DONE]',
  '\n\n',
]
const text = fc.oneof(fc.constantFrom(...odd), fc.string({ unit: 'grapheme', maxLength: 20 }))
const edges = fc.constantFrom(0.5, 1e9, 2 ** 31, Number.MAX_SAFE_INTEGER, 1e308, -0)
const number = fc.oneof(fc.integer({ min: -1, max: 5 }), edges)
const json = fc.jsonValue({ maxDepth: 2 })
const few = <Item>(item: fc.Arbitrary<Item>) => fc.array(item, { maxLength: 3 })
/** Mostly valid values for a field, occasionally an invalid one. */
const nearly = (value: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 60, arbitrary: value }, { weight: 1, arbitrary: json as fc.Arbitrary<unknown> })
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
const names = fc.constantFrom('authorization', 'model', 'input[0].content', 'a.b', '[')
const conditions = fc.dictionary(names, condition, { maxKeys: 2 })
const faultName = fc.constantFrom(...faultNames)
const faultFields = {
  name: faultName,
  ms: number,
  status: fc.constantFrom(200, 429, 500, 99),
  bytes: number,
  everyMs: number,
  after: number,
  message: text,
}
const fault = fc.oneof(
  { weight: 12, arbitrary: faultName as fc.Arbitrary<unknown> },
  { weight: 1, arbitrary: some(faultFields, ['name']) },
)
const faults = fc.oneof({ weight: 4, arbitrary: fault }, { weight: 1, arbitrary: few(fault) })
const frame = fc.oneof(
  fc.record({ event: fc.record({ type: text, delta: json }) }),
  fc.record({ data: text }),
  fc.record({ bytes: text }),
  fc.record({ base64: fc.base64String() }),
  fc.record({ wait: number }),
  fc.constant({ done: true }),
  fc.record({ hangUp: fc.constantFrom('end', 'reset', 'stall') }),
)
const itemType = fc.constantFrom('message', 'function_call', 'reasoning')
const wholeReply = some({
  status: fc.constantFrom(200, 204, 304, 404, 500, 599),
  headers: fc.dictionary(fc.constantFrom('content-type', 'x-a', 'content-length'), text, { maxKeys: 2 }),
  text,
  body: json,
  frames: fc.array(frame, { maxLength: 6 }),
  usage: some({ input_tokens: number, output_tokens: number }),
  output: few(some({ type: itemType, text, name: text })),
})
const contents = fc.constantFrom('text', 'body', 'frames', 'output')
const others = fc.constantFrom('status', 'usage', 'headers', 'text')
const pick = (whole: Record<string, unknown>, keys: readonly string[]) =>
  Object.fromEntries(keys.flatMap((name) => (name in whole ? [[name, whole[name]]] : [])))
const reply = fc.tuple(wholeReply, contents, others).map(([whole, ...keys]) => pick(whole, keys))
const step = fc.oneof(fc.constant('pass'), fc.record({ fault: faults }), fc.record({ reply }))
const operations = [
  '*',
  'listProviders',
  'createResponse',
  'createResponse',
  'updateWorkspace',
  'GET /x',
  'no',
]
const ruleFields = {
  on: fc.oneof(fc.constantFrom(...operations), few(fc.constantFrom('listProviders', 'createResponse'))),
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
  rateLimit: some({ requests: number, tokens: number, per: fc.constantFrom('1s', '1m', 'x') }),
  setState: text,
  fault: faults,
  reply,
  sequence: few(step),
}
const effects = fc.constantFrom('fault', 'reply', 'sequence', 'setState')
const modifiers = fc.subarray(['when', 'times', 'after', 'probability', 'rateLimit', 'fault'], {
  maxLength: 2,
})

/** Rules with few fields and one effect, because hardly any rule with all fields would be valid. */
const rule = fc
  .tuple(some(ruleFields, Object.keys(ruleFields)), effects, modifiers)
  .map(([whole, effect, more]) => pick(whole, ['on', effect, ...more]))

const anyScenario = fc.record({
  name: fc.oneof({ weight: 20, arbitrary: fc.constant('any') }, { weight: 1, arbitrary: text }),
  rules: fc.array(rule, { minLength: 1, maxLength: 3 }),
})

export const scenarios = part('scenarios', anyScenario, () => {
  const gateway = createGateway({ timeScale: 0 })
  return (scenario) => tryScenario(gateway, scenario)
})

/** Returns false for a scenario that is rejected with the position of each problem. */
export async function tryScenario(gateway: Gateway, scenario: unknown): Promise<boolean> {
  const sandbox = gateway.createSandbox()
  try {
    sandbox.use(scenario as ScenarioInput)
  } catch (error) {
    const { problems } = error as ScenarioError
    if (
      error instanceof ScenarioError &&
      problems.every(({ path, message }) => path.length > 0 && !message.includes('\n'))
    )
      return false
    throw error
  }
  await exercise(gateway, sandbox)
  sandbox.reset()
  const { status } = await call({ fetch: gateway.fetch, apiKey: sandbox.apiKey }, 'GET /providers')
  if (status !== 200) throw new Error(`${status} after a reset`)
  sandbox.dispose()
  return true
}

/** Sends a request of each kind, and reads everything that the sandbox says about them. */
export async function exercise(
  gateway: Gateway,
  sandbox: Sandbox,
  more: readonly object[] = [],
): Promise<void> {
  const model = { model: 'aurora/dawn-2', input: 'Hello?' }
  const bodies = [model, { ...model, stream: true }, ...more]
  await ask(gateway, sandbox, 'GET', '/providers')
  await ask(gateway, sandbox, 'GET', '/presets/code-review')
  await ask(gateway, sandbox, 'PATCH', '/workspaces/production', { name: 'Any' })
  for (const body of bodies) await ask(gateway, sandbox, 'POST', '/responses', body)
  const entries = sandbox.journal.entries()
  JSON.stringify([
    entries,
    sandbox.journal.har(),
    sandbox.activeScenarios(),
    sandbox.scripts(),
    sandbox.usage(),
  ])
  for (const entry of entries) sandbox.journal.explain(entry)
  const broken = entries.find(
    ({ schemaViolation, status, rules }) => schemaViolation || (status >= 500 && rules.length === 0),
  )
  if (broken) throw new Error(`${broken.status}: ${broken.error} ${broken.warnings}`)
}

/** Reads the reply if there is one. Disconnects after several turns of the event loop without a reply. */
async function ask(
  gateway: Gateway,
  { apiKey }: Sandbox,
  method: string,
  path: string,
  body?: object,
): Promise<void> {
  const controller = new AbortController()
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const init = { method, headers, signal: controller.signal, ...(body && { body: JSON.stringify(body) }) }
  let isDone = false
  const answer = gateway
    .fetch(`https://gateway.example/api/v1${path}`, init)
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

const request = { model: 'aurora/dawn-2', input: 'Hello? }} {{ method }}', metadata: { a: '<b>"\\n' } }
const plain = fc
  .string({ unit: 'binary', maxLength: 12 })
  .map((any) => any.toWellFormed().replaceAll('{', ''))
const blanks = fc.constantFrom('', ' ', '\n', '   ')
const named = fc.constantFrom(
  ['method', 'POST'],
  ['input', request.input],
  ['model', request.model],
  ['body.metadata.a', request.metadata.a],
  ['body.metadata', JSON.stringify(request.metadata)],
  ...['body.no', 'body.__proto__', 'constructor', 'params.x'].map((name) => [name, '']),
)
const tag = fc
  .tuple(blanks, named, blanks)
  .map(([before, [path, written], after]) => ({ template: `{{${before}${path}${after}}}`, written }))
const known = fc
  .array(
    fc.oneof(
      plain.map((each) => ({ template: each, written: each })),
      tag,
    ),
    { maxLength: 12 },
  )
  .map((parts) => ({
    template: parts.map(({ template }) => template).join(''),
    written: parts.map(({ written }) => written).join(''),
  }))
const braces = fc.constantFrom(
  ...[
    '{{',
    '}}',
    '{',
    '}',
    '{{{',
    '{{#body}}',
    '{{/body}}',
    '{{ input',
    '{{=<% %>=}}',
    '{{>x}}',
    '{{!',
    '.',
    '[',
  ],
  ...[
    '{{ body[0] }}',
    '{{ body["a b"] }}',
    '{{ now }}',
    '{{ random.uuid }}',
    '{{ call }}',
    '{{ }}',
    '{{ body }}',
  ],
)
const unknown = fc
  .array(fc.oneof(plain, braces), { maxLength: 12 })
  .map((parts) => ({ template: parts.join(''), written: undefined }))

/** A template renders the values it names, or is rejected with a position. */
export const templates = part('templates', fc.oneof(known, unknown), () => {
  const gateway = createGateway({ timeScale: 0 })
  return async ({ template, written }) => {
    using sandbox = gateway.createSandbox()
    try {
      sandbox.use({ on: 'createResponse', reply: { body: { written: template } } })
    } catch (error) {
      if (written !== undefined || !(error instanceof ScenarioError)) throw error
      return false
    }
    const target = { fetch: gateway.fetch, apiKey: sandbox.apiKey }
    const { body, status } = await call(target, 'POST /responses', { body: request })
    if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`)
    if (written !== undefined && body.written !== written)
      throw new Error(`Wrote ${JSON.stringify(body.written)}`)
    return true
  }
})
