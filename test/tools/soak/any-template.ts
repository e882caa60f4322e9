/**
 * Generates templates of text and tags with a known result, and arbitrary text with braces. A template
 * renders the values it names, or is rejected with a one-line message and a position.
 */
import fc from 'fast-check'
import type { Gateway } from '../../../src/index.ts'
import { ScenarioError } from '../../../src/scenarios/check-scenario.ts'
import { call } from '../../call.ts'

export interface AnyTemplate {
  readonly template: string
  /** Expected result; undefined if unknown. */
  readonly written?: string
}

const request = { model: 'aurora/dawn-2', input: 'Hello? }} {{ method }}', metadata: { a: '<b>"\\n' } }

const text = fc.string({ unit: 'binary', maxLength: 12 }).map((any) => any.toWellFormed().replaceAll('{', ''))
const blanks = fc.constantFrom('', ' ', '\n', '   ')
const named = fc.constantFrom(
  ['method', 'POST'],
  ['input', request.input],
  ['model', request.model],
  ['body.metadata.a', request.metadata.a],
  ['body.metadata', JSON.stringify(request.metadata)],
  ['body.no', ''],
  ['body.__proto__', ''],
  ['constructor', ''],
  ['params.x', ''],
)
const part = fc.oneof(
  text.map((each) => ({ template: each, written: each })),
  fc
    .tuple(blanks, named, blanks)
    .map(([before, [path, written], after]) => ({ template: `{{${before}${path}${after}}}`, written })),
)
const predictable = fc.array(part, { maxLength: 12 }).map((parts) => ({
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
const unpredictable = fc
  .array(fc.oneof(text, braces), { maxLength: 12 })
  .map((parts): AnyTemplate => ({ template: parts.join('') }))

export const anyTemplate: fc.Arbitrary<AnyTemplate> = fc.oneof(predictable, unpredictable)

/** Returns the problem or, if there is none, whether the template was accepted. */
export async function tryTemplate(
  gateway: Gateway,
  { template, written }: AnyTemplate,
): Promise<{ wrong?: string; isValid: boolean }> {
  const sandbox = gateway.createSandbox()
  try {
    sandbox.use({ on: 'createResponse', reply: { body: { written: template } } })
  } catch (error) {
    const hasPlace =
      error instanceof ScenarioError &&
      error.problems.every(({ path, message }) => path.length > 0 && !/[\r\n]/.test(message))
    if (written !== undefined) return { isValid: false, wrong: `refused: ${error}` }
    return { isValid: false, ...(!hasPlace && { wrong: `rejected without a position: ${error}` }) }
  }
  const target = { fetch: gateway.fetch, apiKey: sandbox.apiKey }
  const reply = await call(target, 'POST /responses', { body: request })
  sandbox.dispose()
  if (reply.status !== 200) return { isValid: true, wrong: `${reply.status}: ${reply.text.slice(0, 300)}` }
  const actual = JSON.parse(reply.text).written
  if (written !== undefined && actual !== written)
    return { isValid: true, wrong: `wrote ${JSON.stringify(actual)}, expected ${JSON.stringify(written)}` }
  return { isValid: true }
}
