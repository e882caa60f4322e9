/**
 * Converts an OpenAPI document's schemas to plain JSON Schema for requests or replies, without `nullable`, `readOnly`
 * and `writeOnly`. Schemas are converted on first use, because most schemas in a large document are never used.
 */
import { GatewayError } from '../../http/errors.ts'
import { LostReference } from '../../model/json-schema/schema.ts'
import { isJson, type Json, type OpenApiDocument } from '../documents/openapi-document.ts'

export type Direction = 'request' | 'reply'

export class PlainSchemas {
  readonly #hidden: 'readOnly' | 'writeOnly'
  readonly #converted = new Map<object, Json>()
  /** Targets of references, shared by all converted schemas. */
  readonly #shared: Json

  constructor(document: OpenApiDocument, direction: Direction) {
    this.#hidden = direction === 'request' ? 'readOnly' : 'writeOnly'
    const { components, paths } = document.root
    const { schemas } = Object(components)
    const shared = {}
    for (const name of Object.keys(Object(schemas))) lazily(shared, name, () => this.#plain(schemas[name]))
    this.#shared = { components: { ...Object(components), schemas: shared }, paths }
  }

  /** Returns a converted schema, including its references' targets. */
  rooted(schema: unknown = true): Json {
    const plain = this.#plain(schema)
    return { ...(isJson(plain) ? plain : { allOf: [plain] }), ...this.#shared }
  }

  #plain(schema: unknown): unknown {
    if (!isJson(schema)) return schema
    const converted = this.#converted.get(schema)
    if (converted) return converted
    const plain: Record<string, unknown> = {}
    // Stored before it is complete, because a dereferenced document may be circular.
    this.#converted.set(schema, plain)
    for (const [keyword, value] of Object.entries(schema)) plain[keyword] = this.#keyword(keyword, value)
    this.#hide(plain)
    allowNull(plain)
    return plain
  }

  #keyword(keyword: string, value: unknown): unknown {
    if (named.has(keyword))
      return Object.fromEntries(
        Object.entries(Object(value)).map(([name, each]) => [name, this.#plain(each)]),
      )
    if (inner.has(keyword))
      return Array.isArray(value) ? value.map((each) => this.#plain(each)) : this.#plain(value)
    return value
  }

  /** Makes read-only properties optional in requests, and removes write-only ones from replies. */
  #hide(schema: Record<string, unknown>): void {
    const { properties, required } = schema
    if (!isJson(properties)) return
    const isHidden = (name: string) => {
      const property = properties[name]
      return isJson(property) && property[this.#hidden] === true
    }
    if (!Object.keys(properties).some(isHidden)) return
    if (Array.isArray(required)) schema['required'] = required.filter((name) => !isHidden(String(name)))
    if (this.#hidden === 'writeOnly')
      schema['properties'] = Object.fromEntries(
        Object.entries(properties).filter(([name]) => !isHidden(name)),
      )
  }
}

/** Keywords whose values map names to schemas. */
const named = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])
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

function lazily(target: object, name: string, make: () => unknown): void {
  Object.defineProperty(target, name, { get: make })
}

/** Replaces OpenAPI 3.0's `nullable: true`. */
function allowNull(schema: Record<string, unknown>): void {
  if (schema['nullable'] !== true) return
  delete schema['nullable']
  const { type } = schema
  if (typeof type === 'string') {
    schema['type'] = [type, 'null']
    if (Array.isArray(schema['enum'])) schema['enum'] = [...schema['enum'], null]
    return
  }
  const rest = { ...schema }
  for (const keyword of Object.keys(schema)) delete schema[keyword]
  schema['anyOf'] = [rest, { type: 'null' }]
}

/** Resolves a reference to a required part. Throws a `LostReference` for a broken or external reference. */
export function follow(document: OpenApiDocument, value: unknown): Json | undefined {
  const target = document.resolve(value)
  const reference = isJson(value) ? value['$ref'] : undefined
  if (target === undefined && typeof reference === 'string') throw new LostReference(reference)
  return target
}

/** Returns the result of `read`. Throws 501 if a reference cannot be resolved. */
export function reading<Part>(read: () => Part): Part {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof LostReference)) throw error
    const { reference } = error
    const message = reference.startsWith('#')
      ? `Unresolved reference '${reference}' in the OpenAPI document`
      : `Unsupported reference '${reference}' to another file: bundle the OpenAPI document into one file`
    throw new GatewayError(501, message, undefined, { assumption: 'document' })
  }
}
