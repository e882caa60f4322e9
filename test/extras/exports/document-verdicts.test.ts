/**
 * Compares the API's OpenAPI document with the server: both must accept and reject the same
 * bodies.
 */
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { apiDocument } from '../../../src/extras/exports/documents.ts'
import { createGateway } from '../../../src/index.ts'
import { open } from '../../call.ts'
import { cases } from '../../suite-size.ts'

const ajv = addFormats.default(new Ajv2020({ strict: false }))
ajv.addFormat('double', true)
ajv.addSchema(apiDocument(), 'document')
const gateway = createGateway()

/** Rules that JSON Schema cannot fully express, because they compare fields or interpret a schema. */
const unsayable = new Set(['date_order', 'unknown_tool', 'json_schema'])

async function verdict(line: string, body: unknown): Promise<'accepted' | 'refused' | 'unsayable'> {
  const response = await open(gateway, line, { body: JSON.stringify(body) })
  if (response.status !== 400) {
    await response.body?.cancel()
    return 'accepted'
  }
  const { error } = (await response.json()) as { error: { metadata: { violations: { rule: string }[] } } }
  return error.metadata.violations.every(({ rule }) => unsayable.has(rule)) ? 'unsayable' : 'refused'
}

const anything = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 26, 2 ** 60, '', 'a b', [], {}, [{}]),
  fc.jsonValue(),
)

/**
 * Generates required fields and up to three optional fields, mostly with valid, sometimes with arbitrary
 * values.
 */
function fields(right: Record<string, fc.Arbitrary<unknown>>, required: string[]): fc.Arbitrary<object> {
  const optional = Object.keys(right).filter((name) => !required.includes(name))
  const value = (name: string) =>
    fc.oneof({ weight: 30, arbitrary: right[name] ?? anything }, { weight: 1, arbitrary: anything })
  return fc
    .subarray(optional, { maxLength: Math.min(3, optional.length) })
    .chain((names) =>
      fc.record(Object.fromEntries([...required, ...names].map((name) => [name, value(name)]))),
    )
}

/** Generates mostly valid values and sometimes an invalid one. */
function one(rights: unknown[], wrongs: unknown[]): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...rights) },
    { weight: 1, arbitrary: fc.constantFrom(...wrongs) },
  )
}

const text = one(['How do tides work?', '', '🦊'.repeat(500)], ['x'.repeat(501)])
const word = one(['ok', 'a-b'], ['-a', 'A', 'ä', 'x'.repeat(51), '🦊'.repeat(50), ''])
const part = fields(
  {
    type: one(['input_text', 'output_text', 'refusal', 'input_image'], ['smell']),
    text,
    refusal: text,
  },
  ['type'],
)
const content = fc.oneof(text, fc.array(part, { maxLength: 2 }))
const item = fields(
  {
    type: one(['message', 'reasoning'], ['function_call', 'function_call_output', 'item_reference', 'odd']),
    role: fc.constantFrom('user', 'assistant', 'system', 'developer'),
    content,
    call_id: fc.constant('c'),
    name: fc.constant('n'),
    arguments: fc.constant('{}'),
    output: content,
    id: fc.constant('i'),
  },
  ['role', 'content'],
)
const domains = fc.array(one(['example.com', '*.example.com'], ['']), { maxLength: 2 })
const terms = {
  engine: one(['native', 'engine_a', 'engine_b'], ['auto', 'engine_z']),
  max_results: one([1, 5, 25], [26, 0]),
}
const handles = fc.array(one(['ada', '@Grace', 'x_1'], ['@', 'a b']), { maxLength: 11 })
const day = one(['2025-01-01', '2025-06-30', '2024-02-29'], ['2025-02-29', 'June', '2025-01-01T00:00:00Z'])
const responses = fields(
  {
    model: one(['aurora/dawn-2', 'x-ai/meridian-1:online', '@preset/code-review'], ['dawn', 'a/b/c', 'a/']),
    input: fc.oneof(text, fc.array(item, { minLength: 1, maxLength: 3 })),
    plugins: fc.array(
      fields({ id: fc.constant('web'), ...terms, include_domains: domains, exclude_domains: domains }, [
        'id',
      ]),
      { maxLength: 2 },
    ),
    tools: fc.array(
      fc.oneof(
        fields(
          {
            type: fc.constant('function'),
            name: one(['f', 'g'], ['']),
            parameters: fc.constantFrom({}, null, { type: 'object' }),
            strict: fc.boolean(),
          },
          ['type', 'name'],
        ),
        fields(
          {
            type: fc.constant('gateway:web_search'),
            parameters: fields(
              {
                ...terms,
                max_total_results: one([1], [0]),
                allowed_domains: domains,
                search_context_size: fc.constantFrom('low', 'tiny'),
              },
              [],
            ),
          },
          ['type'],
        ),
        fields({ type: fc.constant('elsewhere'), name: fc.constant(1) }, ['type']),
      ),
      { maxLength: 2 },
    ),
    tool_choice: fc.constantFrom(
      'auto',
      'none',
      'required',
      'maybe',
      { type: 'function', name: 'f' },
      { type: 'function' },
      { type: 'other' },
    ),
    max_output_tokens: one([1, 20], [0, 1.5, 2 ** 60]),
    stream: fc.boolean(),
    x_search_filter: fields(
      {
        allowed_x_handles: handles,
        excluded_x_handles: handles,
        from_date: day,
        to_date: day,
        enable_image_understanding: fc.boolean(),
      },
      [],
    ),
    text: fields(
      {
        format: fields(
          {
            type: fc.constantFrom('text', 'json_object', 'json_schema', 'xml'),
            schema: fc.constantFrom({ type: 'object' }, null),
          },
          ['type'],
        ),
        verbosity: fc.constantFrom('low', 'odd'),
      },
      [],
    ),
    reasoning: fields({ effort: fc.constant('low'), max_tokens: fc.constantFrom(5, -1) }, []),
    temperature: fc.constantFrom(0, 1.5),
    metadata: fc.constantFrom({ run: '7' }, {}),
    store: fc.constantFrom(false, true),
    previous_response_id: fc.constantFrom(null, 'resp_1'),
    anything: fc.jsonValue(),
  },
  ['model', 'input'],
)
const workspace = fields(
  {
    name: fc.oneof(word, text),
    slug: word,
    description: text,
    default_text_model: word,
    default_provider_sort: fc.constantFrom('price', 'vibes', null),
    io_logging_api_key_ids: fc.oneof(
      fc.array(fc.constantFrom(1, -1, 2 ** 60, 0.5), { maxLength: 2 }),
      fc.constant(null),
    ),
    io_logging_sampling_rate: fc.constantFrom(0.0001, 1, 0.00009, 1.1, 0.5),
    is_data_discount_logging_enabled: fc.boolean(),
    is_observability_broadcast_enabled: fc.boolean(),
    anything: fc.jsonValue(),
  },
  [],
)

describe('the schemas in the API document', () => {
  it.each([
    ['POST /responses', 'CreateResponseBody', responses, cases(150, 600)],
    ['PATCH /workspaces/staging', 'WorkspaceUpdate', workspace, cases(100, 400)],
  ])('accept and reject the same bodies of %s as the server', async (line, schema, bodies, numRuns) => {
    const validate = ajv.compile({ $ref: `document#/components/schemas/${schema}` })
    const counts = { accepted: 0, refused: 0, unsayable: 0 }
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const actual = await verdict(line, body)
        counts[actual]++
        if (actual === 'unsayable') return
        const isValid = validate(JSON.parse(JSON.stringify(body)))
        expect({ isValid, errors: isValid ? [] : validate.errors?.slice(0, 3) }).toMatchObject({
          isValid: actual !== 'refused',
        })
      }),
      { numRuns, seed: 12 },
    )
    expect(counts.accepted).toBeGreaterThan(numRuns / 10)
    expect(counts.refused).toBeGreaterThan(numRuns / 10)
  })
})
