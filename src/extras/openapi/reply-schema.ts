/** Converts an OpenAPI document's reply schemas to plain, self-contained JSON Schema. */
import { isObject } from '../../lib/json.ts'
import type { SchemaObject } from '../../resources/json-schema.ts'
import type { OpenApiDocument } from './document.ts'

type Draft = Record<string, unknown>

/** Returns a self-contained schema. Schemas that are used more than once are in its `$defs`. */
export function replySchema(document: OpenApiDocument, schema: unknown): SchemaObject {
  const $defs: Draft = {}
  const converted = new Map<object, Draft>()
  const names = new Map<object, string>()

  function convert(value: unknown): unknown {
    if (!isObject(value)) return value
    const before = converted.get(value)
    if (before) {
      const name = names.get(value) ?? `schema${names.size}`
      names.set(value, name)
      $defs[name] = before
      return { $ref: `#/$defs/${name}` }
    }
    const plain: Draft = {}
    // Stored before it is complete, because schemas may be recursive.
    converted.set(value, plain)
    const { $ref, nullable, ...keywords } = value
    for (const [keyword, each] of Object.entries(keywords)) plain[keyword] = convertKeyword(keyword, each)
    hideWriteOnly(plain, keywords['properties'])
    if (typeof $ref === 'string')
      plain['allOf'] = [convert(document.at($ref)), ...[plain['allOf'] ?? []].flat()]
    if (nullable === true) allowNull(plain)
    return plain
  }

  function convertKeyword(keyword: string, value: unknown): unknown {
    if (inner.has(keyword)) return Array.isArray(value) ? value.map(convert) : convert(value)
    if (!named.has(keyword) || !isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, convert(each)]))
  }

  return { allOf: [convert(schema)], $defs } as SchemaObject
}

/** Keywords whose values map names to schemas. */
const named = new Set(['properties', 'patternProperties', 'dependentSchemas'])
/** Keywords whose values are a schema or a list of schemas. */
const inner = new Set([
  'items',
  'prefixItems',
  'additionalItems',
  'additionalProperties',
  'propertyNames',
  'contains',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
])

function hideWriteOnly(plain: Draft, original: unknown): void {
  const { properties, required } = plain
  if (!isObject(properties) || !isObject(original)) return
  for (const [name, property] of Object.entries(original)) {
    if (!isObject(property) || property['writeOnly'] !== true) continue
    delete properties[name]
    if (Array.isArray(required)) plain['required'] = required.filter((each) => each !== name)
  }
}

/** Replaces OpenAPI 3.0's `nullable: true` with a union. */
function allowNull(plain: Draft): void {
  const rest = { ...plain }
  for (const keyword of Object.keys(plain)) delete plain[keyword]
  plain['anyOf'] = [rest, { type: 'null' }]
}
