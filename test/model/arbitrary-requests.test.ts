import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { ResponseObject } from '../../src/operations/responses/response-object.ts'
import { call } from '../call.ts'
import { cases } from '../suite-size.ts'

const gateway = createGateway({ search: { limitedEngine: 'engine_a' } })

async function create(body: object): Promise<{ status: number; text: string }> {
  const response = await call(gateway, 'POST /responses', { body })
  return { status: response.status, text: response.text }
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '\ud800', 'a\u0301'),
)
const part = fc.oneof(
  fc.record({ type: fc.constantFrom('input_text', 'output_text'), text }),
  fc.record({ type: fc.constant('refusal'), refusal: text }),
  fc.record({ type: fc.constant('input_image'), image_url: text }),
)
const content = fc.oneof(text, fc.array(part, { maxLength: 3 }))
const item = fc.oneof(
  fc.record({ role: fc.constantFrom('user', 'assistant', 'system', 'developer'), content }),
  fc.record({ type: fc.constant('function_call_output'), call_id: text, output: content }),
  fc.record({ type: fc.constant('function_call'), call_id: text, name: text, arguments: text }),
  fc.record({ type: fc.constant('reasoning'), summary: fc.jsonValue() }),
)
const nonEmpty = text.map((inner) => `.${inner}`)
const handle = fc.oneof(fc.constantFrom('@ada', 'Grace'), nonEmpty)
const domains = fc.array(fc.oneof(nonEmpty, fc.constantFrom('*.example', '*', 'example.com/a', '[::1]')), {
  maxLength: 3,
})
const terms = { max_results: fc.integer({ min: 1, max: 21 }), engine: fc.constantFrom('native', 'engine_a') }
const format = fc.oneof(
  fc.record({ type: fc.constantFrom('text', 'json_object') }),
  fc.record({
    type: fc.constant('json_schema'),
    schema: fc.object({ key: fc.constantFrom('type', 'items', 'enum', '$ref', 'anyOf') }),
  }),
)
/** Requests in which most fields are valid, and a few have arbitrary values. */
const request = fc.record(
  Object.fromEntries(
    Object.entries({
      model: fc.constantFrom('a/b', 'b/c:online', 'x-ai/d:online', '@preset/code-review'),
      input: fc.oneof(text, fc.array(item, { maxLength: 4 })),
      instructions: text,
      max_output_tokens: fc.integer({ min: 1, max: 200 }),
      stream: fc.boolean(),
      plugins: fc.array(
        fc.record(
          { id: fc.constant('web'), include_domains: domains, exclude_domains: domains, ...terms },
          { requiredKeys: ['id'] },
        ),
      ),
      tools: fc.array(
        fc.oneof(
          fc.record({
            type: fc.constant('gateway:web_search'),
            parameters: fc.record({ allowed_domains: domains, ...terms }, { requiredKeys: [] }),
          }),
          fc.record(
            { type: fc.constant('function'), name: fc.constantFrom('f', 'g'), parameters: fc.object() },
            { requiredKeys: ['type', 'name'] },
          ),
        ),
      ),
      tool_choice: fc.constantFrom('auto', 'none', 'required'),
      text: fc.record({ format }),
      x_search_filter: fc.record(
        { allowed_x_handles: fc.array(handle, { maxLength: 10 }), from_date: fc.constant('2025-01-01') },
        { requiredKeys: [] },
      ),
      metadata: fc.object(),
      temperature: fc.double({ noNaN: true, noDefaultInfinity: true }),
    }).map(([field, valid]) => [
      field,
      fc.oneof(
        { weight: 40, arbitrary: valid as fc.Arbitrary<unknown> },
        { weight: 1, arbitrary: fc.jsonValue() },
      ),
    ]),
  ),
  { requiredKeys: ['model', 'input'] },
)

it('POST /responses responds to arbitrary requests with a valid reply or a 400', async () => {
  const runs = cases(30, 3000)
  const statusCounts = new Map<number, number>()
  await fc.assert(
    fc.asyncProperty(request, async (body) => {
      const { status, text: reply } = await create(body)
      statusCounts.set(status, (statusCounts.get(status) ?? 0) + 1)
      expect([200, 400]).toContain(status)
      if (status === 200 && body['stream'] !== true)
        expect(() => ResponseObject.parse(JSON.parse(reply))).not.toThrow()
      if (status === 200 && body['stream'] === true) expect(reply).toMatch(/data: \[DONE\]\n\n$/)
      if (status === 400) expect(JSON.parse(reply).error.metadata.violations).not.toEqual([])
    }),
    { numRuns: runs },
  )
  // Fails if too few generated requests are valid.
  expect(statusCounts.get(200)).toBeGreaterThan(runs / 5)
})
