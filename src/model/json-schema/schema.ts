/**
 * A JSON Schema as a caller may send it: nothing in it is sure to be what it should be, so each keyword is read by
 * its kind, and one of another kind counts as absent. Drafts 4 to 2020-12, as far as they name the same things.
 */

export type JsonSchema = boolean | SchemaObject
export type SchemaObject = { readonly [keyword: string]: unknown }

export type TypeName = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object'

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isObject(value)
}

export function isObject(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function numberAt(schema: SchemaObject, keyword: string): number | undefined {
  const value = schema[keyword]
  return typeof value === 'number' ? value : undefined
}

/** The largest of a keyword's values; undefined where there is none. */
export function largest(schemas: readonly SchemaObject[], keyword: string): number | undefined {
  return schemas.map((schema) => numberAt(schema, keyword)).reduce(by(Math.max), undefined)
}

export function smallest(schemas: readonly SchemaObject[], keyword: string): number | undefined {
  return schemas.map((schema) => numberAt(schema, keyword)).reduce(by(Math.min), undefined)
}

function by(choose: (left: number, right: number) => number) {
  return (left: number | undefined, right: number | undefined) =>
    left === undefined || right === undefined ? (left ?? right) : choose(left, right)
}

export function textAt(schema: SchemaObject, keyword: string): string | undefined {
  const value = schema[keyword]
  return typeof value === 'string' ? value : undefined
}

export function textsAt(schema: SchemaObject, keyword: string): string[] {
  const value = schema[keyword]
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}

export function schemaAt(schema: SchemaObject, keyword: string): JsonSchema | undefined {
  const value = schema[keyword]
  return isSchema(value) ? value : undefined
}

export function schemasAt(schema: SchemaObject, keyword: string): JsonSchema[] {
  const value = schema[keyword]
  return Array.isArray(value) ? value.filter(isSchema) : []
}

/** Name and schema, of `properties` and its like. */
export function namedSchemas(schema: SchemaObject, keyword: string): [string, JsonSchema][] {
  const value = schema[keyword]
  return isObject(value)
    ? Object.entries(value).filter((entry): entry is [string, JsonSchema] => isSchema(entry[1]))
    : []
}

/** Name and names, of `dependentRequired`, and of `dependencies` in older drafts. */
export function namedNames(schema: SchemaObject): [string, string[]][] {
  return ['dependentRequired', 'dependencies'].flatMap((keyword) => {
    const value = schema[keyword]
    if (!isObject(value)) return []
    return Object.keys(value).map((name): [string, string[]] => [name, textsAt(value, name)])
  })
}

/** The types that a schema names; undefined where any will do. */
export function typesOf(schema: SchemaObject): TypeName[] | undefined {
  const { type } = schema
  if (typeof type === 'string') return [type as TypeName]
  return Array.isArray(type) ? (textsAt(schema, 'type') as TypeName[]) : undefined
}

/** The schema of the item at a place; undefined where any will do. */
export function itemSchema(schema: SchemaObject, index: number): JsonSchema | undefined {
  const first = firstItems(schema)
  if (index < first.length) return isSchema(first[index]) ? first[index] : undefined
  return schemaAt(schema, Array.isArray(schema['items']) ? 'additionalItems' : 'items')
}

/** The schemas of the first items, each its own. */
export function firstItems({ items, prefixItems }: SchemaObject): readonly unknown[] {
  if (Array.isArray(items)) return items
  return Array.isArray(prefixItems) ? prefixItems : []
}

/** The values that are allowed, where they are listed. */
export function listedValues(schema: SchemaObject): unknown[] | undefined {
  if ('const' in schema) return [schema['const']]
  return Array.isArray(schema['enum']) ? schema['enum'] : undefined
}

/** Equal values have equal texts: the order of fields does not matter. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (!isObject(value)) return JSON.stringify(value)
  const fields = Object.keys(value).sort()
  return `{${fields.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join()}}`
}

/** A reference to what is not there, or stands in another file. */
export class LostReference extends Error {
  override name = 'LostReference'
  readonly reference: string

  constructor(reference: string) {
    super(`the reference '${reference}' leads nowhere`)
    this.reference = reference
  }
}

/** Looks up references within one schema. */
export class References {
  readonly #root: JsonSchema
  /** By `$id` and by `#anchor`. */
  #named: Map<string, JsonSchema> | undefined

  constructor(root: JsonSchema) {
    this.#root = root
  }

  /** The schema that a reference leads to; undefined where there is none. Throws where it leads nowhere. */
  follow(schema: SchemaObject): JsonSchema | undefined {
    const reference =
      textAt(schema, '$ref') ?? textAt(schema, '$dynamicRef') ?? textAt(schema, '$recursiveRef')
    if (reference === undefined) return undefined
    const found = this.#lookUp(reference)
    if (found === undefined) throw new LostReference(reference)
    return found
  }

  #lookUp(reference: string): JsonSchema | undefined {
    if (!/^#(\/|$)/.test(reference)) {
      this.#named ??= namesIn(this.#root, new Map())
      return this.#named.get(reference)
    }
    let found: unknown = this.#root
    for (const step of decoded(reference).split('/').slice(1)) {
      const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
      if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
      found = Reflect.get(found, key)
    }
    return isSchema(found) ? found : undefined
  }
}

function namesIn(value: unknown, names: Map<string, JsonSchema>): Map<string, JsonSchema> {
  if (typeof value !== 'object' || value === null) return names
  if (isObject(value)) {
    const id = textAt(value, '$id') ?? textAt(value, 'id')
    const anchor = textAt(value, '$anchor') ?? textAt(value, '$dynamicAnchor')
    if (id !== undefined) names.set(id, value)
    if (anchor !== undefined) names.set(`#${anchor}`, value)
  }
  for (const inner of Object.values(value)) namesIn(inner, names)
  return names
}

function decoded(reference: string): string {
  try {
    return decodeURIComponent(reference)
  } catch {
    return reference
  }
}
