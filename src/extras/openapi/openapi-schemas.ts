/**
 * The schemas of an OpenAPI document as plain JSON Schema, for one direction: `nullable`, `readOnly` and `writeOnly` become
 * what any reader of JSON Schema knows. Each is rewritten when it is first looked at: of a large document most never
 * are.
 */
import { GatewayError } from '../../http/errors.ts'
import { isJson, type Json, type OpenApiDocument } from '../../http/openapi-document.ts'
import { LostReference } from '../../model/json-schema/schema.ts'

export type Direction = 'request' | 'reply'

export class PlainSchemas {
  readonly #hidden: 'readOnly' | 'writeOnly'
  readonly #known = new Map<object, Json>()
  /** What references lead into. */
  readonly #shared: Json

  constructor(document: OpenApiDocument, direction: Direction) {
    this.#hidden = direction === 'request' ? 'readOnly' : 'writeOnly'
    const { components, paths } = document.root
    const schemas = isJson(components) ? components['schemas'] : undefined
    const shared = {}
    if (isJson(schemas))
      for (const name of Object.keys(schemas)) lazily(shared, name, () => this.#plain(schemas[name]))
    this.#shared = { components: { ...(isJson(components) && components), schemas: shared }, paths }
  }

  /** A schema with all that its references lead to; the same one for the same schema. */
  rooted(schema: unknown): Json {
    const plain = this.#plain(schema)
    return { ...(isJson(plain) ? plain : { allOf: [plain ?? true] }), ...this.#shared }
  }

  #plain(schema: unknown): unknown {
    if (!isJson(schema)) return schema
    const known = this.#known.get(schema)
    if (known) return known
    const plain: Record<string, unknown> = {}
    // Known before it is whole: a document whose references were replaced by objects may contain itself.
    this.#known.set(schema, plain)
    for (const [keyword, value] of Object.entries(schema)) plain[keyword] = this.#keyword(keyword, value)
    this.#hide(plain)
    allowNull(plain)
    return plain
  }

  #keyword(keyword: string, value: unknown): unknown {
    if (named.has(keyword) && isJson(value))
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.#plain(each)]))
    if (!inner.has(keyword)) return value
    return Array.isArray(value) ? value.map((each) => this.#plain(each)) : this.#plain(value)
  }

  /** What goes the other way only is not asked for, and not given. */
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

/** Keywords that hold schemas by name. */
const named = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'])
/** Keywords that hold a schema, or a list of them. */
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
  Object.defineProperty(target, name, { enumerable: true, get: make })
}

/** `nullable: true`, as OpenAPI 3.0 has it. */
function allowNull(schema: Record<string, unknown>): void {
  if (schema['nullable'] !== true) return
  delete schema['nullable']
  const { type } = schema
  if (typeof type === 'string') {
    schema['type'] = [type, 'null']
    if (Array.isArray(schema['enum']) && !schema['enum'].includes(null))
      schema['enum'] = [...schema['enum'], null]
    return
  }
  if (
    Array.isArray(type) ||
    !['$ref', 'allOf', 'anyOf', 'oneOf', 'enum'].some((keyword) => keyword in schema)
  )
    return
  const rest = { ...schema }
  for (const keyword of Object.keys(schema)) delete schema[keyword]
  schema['anyOf'] = [rest, { type: 'null' }]
}

/** Like `document.resolve`, for parts that an operation needs. Throws `LostReference`. */
export function follow(document: OpenApiDocument, value: unknown): Json | undefined {
  const target = document.resolve(value)
  const reference = isJson(value) ? value['$ref'] : undefined
  if (target === undefined && typeof reference === 'string') throw new LostReference(reference)
  return target
}

/** Returns the result of `read`. Throws 501 in one clear line for a reference that leads nowhere. */
export function reading<Part>(read: () => Part): Part {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof LostReference)) throw error
    const { reference } = error
    const message = reference.startsWith('#')
      ? `The OpenAPI document refers to '${reference}', and has nothing there`
      : `'${reference}' lies outside of the OpenAPI document: bundle it into one file`
    throw new GatewayError(501, message, undefined, { assumption: 'document' })
  }
}
