/** Types for JSON Schemas in requests, and the interface for proposing values. */
export type JsonSchema = boolean | SchemaObject
export type SchemaObject = { readonly [keyword: string]: unknown }
export type TypeName = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object'

/**
 * Proposes a value for a location, or a number of items for an array; undefined leaves the choice to the generator. A
 * proposal that the schema rejects is dropped, or truncated or repeated if it is a string. A location without schemas
 * is a string that needs words, such as part of a URL or a field name.
 */
export type ValueSource = (place: ValuePlace) => unknown

export interface ValuePlace {
  /** Keys and indexes, outermost first. */
  path: readonly (string | number)[]
  type: TypeName
  /** Schemas that must all accept the value. */
  schemas: readonly SchemaObject[]
  /** Returns numbers in [0, 1) that depend on the seed and the path. */
  random(): number
}
