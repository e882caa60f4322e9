/** Reads keywords of JSON Schemas sent by callers. A keyword whose value has the wrong type counts as absent. */

import { isObject } from '../../lib/unchecked-json.ts'
import { readAt } from '../../lib/value-path.ts'
import type { JsonSchema, SchemaObject, TypeName } from '../../resources/json-schema.ts'

/** Keywords that are ignored. No provider accepts them in strict mode. */
export const ignoredKeywords = (
  'not if contains patternProperties propertyNames dependencies dependentRequired dependentSchemas ' +
  'unevaluatedItems unevaluatedProperties $dynamicRef $recursiveRef'
).split(' ')

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isObject(value)
}

export function numberAt(schema: SchemaObject, keyword: string): number | undefined {
  const value = schema[keyword]
  return typeof value === 'number' ? value : undefined
}

/** Returns a keyword's numeric values in several schemas. */
export function numbersAt(schemas: readonly SchemaObject[], keyword: string): number[] {
  return schemas.flatMap((schema) => numberAt(schema, keyword) ?? [])
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

/** Returns the allowed types, or undefined if any type is allowed. */
export function typesOf(schema: SchemaObject): TypeName[] | undefined {
  const { type } = schema
  if (typeof type === 'string') return [type as TypeName]
  return Array.isArray(type) ? (textsAt(schema, 'type') as TypeName[]) : undefined
}

/** Returns the values of `const` or `enum`. */
export function listedValues(schema: SchemaObject): readonly unknown[] | undefined {
  if ('const' in schema) return [schema['const']]
  return Array.isArray(schema['enum']) ? schema['enum'] : undefined
}

/** Returns the schemas of an array's first items, which older drafts specify in `items`. */
export function prefixOf({ items, prefixItems }: SchemaObject): readonly unknown[] {
  if (Array.isArray(items)) return items
  return Array.isArray(prefixItems) ? prefixItems : []
}

export function itemSchema(schema: SchemaObject, index: number): JsonSchema {
  const prefix = prefixOf(schema)
  const item =
    index < prefix.length ? prefix[index] : schema[prefix === schema['items'] ? 'additionalItems' : 'items']
  return isSchema(item) ? item : true
}

/** Returns the schemas of `properties` by name. */
export function propertiesOf({ properties }: SchemaObject): Map<string, JsonSchema> {
  const entries = isObject(properties) ? Object.entries(properties) : []
  return new Map(entries.filter((entry): entry is [string, JsonSchema] => isSchema(entry[1])))
}

export function propertySchema(schema: SchemaObject, name: string): JsonSchema {
  const { properties } = schema
  const property = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
  if (isSchema(property)) return property
  // A property without a schema may match an ignored pattern.
  return 'patternProperties' in schema ? true : (schemaAt(schema, 'additionalProperties') ?? true)
}

/** Thrown for a `$ref` without a target in the same schema. */
export class LostReference extends Error {
  override name = 'LostReference'
  readonly reference: string

  constructor(reference: string) {
    super(`the reference '${reference}' cannot be resolved`)
    this.reference = reference
  }
}

/** Resolves `$ref`s, which are JSON pointers into the root schema. */
export class References {
  readonly #root: JsonSchema
  readonly #targets = new Map<string, JsonSchema>()

  constructor(root: JsonSchema) {
    this.#root = root
  }

  /** Returns the target of a schema's `$ref`, or undefined if it has none. Throws `LostReference`. */
  follow(schema: SchemaObject): JsonSchema | undefined {
    const reference = textAt(schema, '$ref')
    if (reference === undefined) return undefined
    const target = this.#targets.get(reference) ?? this.#lookUp(reference)
    if (!isSchema(target)) throw new LostReference(reference)
    this.#targets.set(reference, target)
    return target
  }

  #lookUp(reference: string): unknown {
    if (!/^#(\/|$)/.test(reference)) return undefined
    const steps = reference.split('/').slice(1)
    const keys = steps.map((step) => step.replace(/(?:%[\da-f]{2})+/gi, decodeURIComponent))
    return readAt(
      this.#root,
      keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~')),
    )
  }
}
