/** Arbitrary JSON Schemas, including useful, unusual and unsatisfiable ones. A schema has a value, or gets a 400. */
import fc from 'fast-check'
import { loadFakeValue } from '../../../src/model/structured.ts'
import type { JsonSchema } from '../../../src/resources/json-schema.ts'
import { part, some } from './part.ts'

const low = fc.nat({ max: 4 })
const bound = fc.oneof(fc.integer({ min: -20, max: 20 }), fc.double({ min: -5, max: 5, noNaN: true }))
const name = fc.constantFrom('a', 'b', 'c', 'id', 'name')

const patterns = [
  '^[A-Z]{2}-[0-9]{4}$',
  '^(foo|bar)+$',
  '\\d{3}',
  '^[^aeiou ]+$',
  '^\\p{Lu}\\w*$',
  '^(?=.*[A-Z])(?=.*\\d).{8,}$',
  '^(.)\\1$',
  '^\\S+@\\S+\\.com$',
  '(?<!x)y\\b',
  '^$',
  'a{2,3}?b*',
  '[\\u0430-\\u044f]{2}',
]
const formats = ['date-time', 'date', 'time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uri', 'uuid']

const json = fc.constantFrom<unknown>(
  null,
  true,
  0,
  7,
  1.5,
  '',
  'x',
  'red',
  [],
  [1, 2],
  {},
  { a: 1 },
  { a: 'x' },
)

/** References can lead to the root and to three definitions, which can contain further references. */
const { schema } = fc.letrec<{ schema: JsonSchema; object: object }>((tie) => {
  const inner = tie('schema')
  const list = fc.array(inner, { minLength: 1, maxLength: 3 })
  const leaf = fc.oneof(
    fc.constantFrom(
      { type: 'string' },
      { type: 'boolean' },
      { type: 'null' },
      { type: ['integer', 'null'] },
      {},
      true,
    ),
    some({ minLength: low, maxLength: fc.integer({ min: 3, max: 30 }) }).map((rest) => ({
      type: 'string',
      ...rest,
    })),
    fc.constantFrom(...patterns).map((pattern) => ({ type: 'string', pattern })),
    fc.constantFrom(...formats).map((format) => ({ type: 'string', format })),
    some({
      minimum: bound,
      maximum: bound,
      exclusiveMinimum: bound,
      multipleOf: fc.constantFrom(1, 2, 3, 0.5, 0.01),
    }).chain((rest) => fc.constantFrom('integer', 'number').map((type) => ({ type, ...rest }))),
    fc.array(json, { minLength: 1, maxLength: 4 }).map((values) => ({ enum: values })),
    json.map((value) => ({ const: value })),
    fc.constantFrom('#', '#/$defs/a', '#/$defs/b', '#/$defs/c').map(($ref) => ({ $ref })),
  )
  const object = fc
    .tuple(
      fc.dictionary(name, inner, { maxKeys: 4 }),
      some({
        required: fc.uniqueArray(name, { maxLength: 3 }),
        additionalProperties: fc.oneof(fc.boolean(), inner),
        patternProperties: fc.dictionary(fc.constantFrom('^x', '^[a-c]$'), inner, { minKeys: 1, maxKeys: 2 }),
        propertyNames: fc.constantFrom({ maxLength: 12 }, { pattern: '^[a-z]+$' }),
        minProperties: low,
        maxProperties: fc.integer({ min: 2, max: 6 }),
        dependentRequired: fc.dictionary(name, fc.uniqueArray(name, { maxLength: 2 }), { maxKeys: 2 }),
        dependentSchemas: fc.dictionary(name, inner, { maxKeys: 1 }),
      }),
    )
    .map(([properties, rest]) => ({ type: 'object', properties, ...rest }))
  const array = some({
    items: inner,
    prefixItems: list,
    contains: inner,
    minItems: low,
    maxItems: fc.integer({ min: 2, max: 6 }),
    uniqueItems: fc.boolean(),
  }).map((rest) => ({ type: 'array', ...rest }))
  const combined = fc.oneof(
    list.map((anyOf) => ({ anyOf })),
    list.map((oneOf) => ({ oneOf })),
    list.map((allOf) => ({ allOf })),
    inner.map((not) => ({ not })),
    fc.tuple(inner, inner, inner).map(([first, then, other]) => ({ if: first, then, else: other })),
    fc.tuple(tie('object'), list).map(([first, anyOf]) => ({ ...first, anyOf })),
  )
  return { schema: fc.oneof({ maxDepth: 4 }, leaf, object, array, combined), object }
})

/** A complete schema, all of whose references resolve. */
export const anySchema = fc
  .tuple(schema, schema, schema, schema)
  .map(([root, a, b, c]) => ({ ...(typeof root === 'boolean' ? {} : root), $defs: { a, b, c } }))

const fakeValue = await loadFakeValue()

export const schemas = part('schemas', anySchema, () => (schema) => {
  try {
    fakeValue(schema, { path: 'schema', subject: 'tides', seed: '1', warn() {} })
    return true
  } catch (error) {
    if ((error as { status?: number }).status !== 400) throw error
    return false
  }
})
