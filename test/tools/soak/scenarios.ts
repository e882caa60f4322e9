/**
 * Arbitrary scenarios and templates. A valid one leaves the gateway usable and the journal readable; an invalid one is
 * rejected with the error's position.
 */
import fc from 'fast-check'
import { faultNames } from '../../../src/faults/index.ts'
import { createGateway, type Gateway, type Sandbox, type Scenario } from '../../../src/index.ts'
import { ScenarioError } from '../../../src/scenarios/scenario-error.ts'
import { call } from '../../call.ts'
import { number as anyNumber, few, json, part, some, text } from './part.ts'

const number = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 1, max: 5 }) },
  { weight: 1, arbitrary: anyNumber },
)

const conditions = fc.dictionary(
  fc.constantFrom('authorization', 'model', 'input[0].content', 'a.b', '['),
  fc.oneof(
    text,
    fc.record({ equals: json }),
    fc.record({ contains: text }),
    fc.record({ present: fc.boolean() }),
    fc.record({ matches: text, flags: fc.constantFrom('', 'i', 'gimsuy', 'x') }),
  ),
  { maxKeys: 2 },
)
const faultName = fc.constantFrom(...faultNames)
const fault = fc.oneof(
  { weight: 12, arbitrary: faultName as fc.Arbitrary<unknown> },
  { weight: 2, arbitrary: fc.record({ name: faultName, ms: number }) },
  { weight: 1, arbitrary: few(fc.constantFrom('latency', 'timeout', 'status', 'none')) },
)
const frame = fc.oneof(
  fc.record({ event: fc.record({ type: text, delta: json }) }),
  fc.record({ data: text }),
  fc.record({ bytes: text }),
  fc.record({ base64: fc.base64String() }),
  fc.record({ wait: fc.nat({ max: 5 }) }),
  fc.constant({ done: true }),
  fc.record({ hangUp: fc.constantFrom('end', 'reset', 'stall') }),
)
const status = fc.constantFrom(200, 204, 304, 404, 500, 599)
const headers = fc.dictionary(fc.constantFrom('content-type', 'x-a', 'content-length'), text, { maxKeys: 2 })
const item = some({ type: fc.constantFrom('message', 'function_call', 'reasoning'), text, name: text })
const reply = fc.oneof(
  fc.record({ text, usage: some({ input_tokens: number, output_tokens: number }) }),
  fc.record({ status, headers, body: json }),
  fc.record({ frames: few(frame) }),
  fc.record({ output: few(item) }),
)
const operation = fc.constantFrom('*', 'listProviders', 'createResponse', 'createResponse')
const when = some({ model: text, input: text, stream: fc.boolean(), headers: conditions, body: conditions })
const rateLimit = some({ requests: number, tokens: number, per: fc.constantFrom('1s', '1m') })
const step = fc.oneof(fc.constant('pass'), fc.record({ fault }), fc.record({ reply }))
const effect = fc.oneof(
  fc.record({ fault }),
  fc.record({ reply }),
  fc.record({ reply, fault }),
  fc.record({ sequence: fc.array(step, { minLength: 1, maxLength: 3 }) }),
)
const modifiers = fc.oneof(
  fc.constant({}),
  fc.record({ when }),
  fc.record({ times: number }),
  fc.record({ after: number, probability: fc.constantFrom(0, 0.5, 1, 2) }),
  fc.record({ rateLimit }),
)
const rule = fc
  .tuple(operation, effect, modifiers)
  .map(([on, effect, modifiers]) => ({ on, ...effect, ...modifiers }))
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
  using sandbox = gateway.createSandbox()
  if (!isUsed(sandbox, scenario)) return false
  await exercise(gateway, sandbox)
  sandbox.reset()
  const { status } = await call({ fetch: gateway.fetch, apiKey: sandbox.apiKey }, 'GET /providers')
  if (status !== 200) throw new Error(`${status} after a reset`)
  return true
}

function isUsed(sandbox: Sandbox, scenario: unknown): boolean {
  try {
    sandbox.use(scenario as Scenario)
    return true
  } catch (error) {
    // Only a scenario that is no object has no position.
    const least = typeof scenario === 'object' ? 1 : 0
    const hasPositions =
      error instanceof ScenarioError &&
      error.problems.every(({ path, message }) => path.length >= least && !message.includes('\n'))
    if (hasPositions) return false
    throw error
  }
}

/** Sends a request of each kind, and reads everything that the sandbox says about them. */
export async function exercise(gateway: Gateway, sandbox: Sandbox, more: object[] = []): Promise<void> {
  const body = { model: 'aurora/dawn-2', input: 'Hello?' }
  await ask(gateway, sandbox, 'GET', '/providers')
  await ask(gateway, sandbox, 'PATCH', '/workspaces/production', { name: 'Any' })
  for (const each of [body, { ...body, stream: true }, ...more])
    await ask(gateway, sandbox, 'POST', '/responses', each)
  const entries = sandbox.journal.entries()
  JSON.stringify([sandbox.journal.har(), sandbox.activeScenarios(), sandbox.scripts(), sandbox.usage()])
  for (const entry of entries) sandbox.journal.explain(entry)
  const broken = entries.find(
    ({ schemaViolation, status, rules }) => schemaViolation || (status >= 500 && rules.length === 0),
  )
  if (broken) throw new Error(`${broken.status}: ${broken.error} ${broken.warnings}`)
}

/** Reads the reply if there is one. Disconnects after several turns of the event loop without a reply. */
async function ask(gateway: Gateway, { apiKey }: Sandbox, method: string, path: string, body?: object) {
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
const plain = text.map((any) => any.replaceAll('{', '')).map((any) => ({ template: any, written: any }))
const tag = fc.constantFrom(
  { template: '{{method}}', written: 'POST' },
  { template: '{{ input\n}}', written: request.input },
  { template: '{{   body.metadata.a }}', written: request.metadata.a },
  { template: '{{ body.metadata }}', written: JSON.stringify(request.metadata) },
  ...['body.no', 'body.__proto__', 'constructor'].map((name) => ({ template: `{{${name}}}`, written: '' })),
)
const odd = [
  ...['{{', '}}', '{', '{{{', '{{#body}}', '{{/body}}', '{{=<% %>=}}', '{{>x}}', '{{!', '{{ }}'],
  ...['{{ body[0] }}', '{{ body["a b"] }}', '{{ now }}', '{{ random.uuid }}', '{{ call }}'],
]
const braces = fc.constantFrom(...odd).map((template) => ({ template, written: undefined }))

/** A template renders the values it names, or is rejected with a position. */
export const templates = part('templates', fc.array(fc.oneof(plain, tag, braces), { maxLength: 6 }), () => {
  const gateway = createGateway({ timeScale: 0 })
  return async (parts) => {
    using sandbox = gateway.createSandbox()
    const template = parts.map((each) => each.template).join('')
    const isKnown = parts.every(({ written }) => written !== undefined)
    if (!isUsed(sandbox, { on: 'createResponse', reply: { body: { written: template } } })) {
      if (isKnown) throw new Error('A valid template is rejected')
      return false
    }
    const target = { fetch: gateway.fetch, apiKey: sandbox.apiKey }
    const { body, status } = await call(target, 'POST /responses', { body: request })
    if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`)
    if (isKnown && body.written !== parts.map(({ written }) => written).join(''))
      throw new Error(`Wrote ${JSON.stringify(body.written)}`)
    return true
  }
})
