/** Types for JSON Schemas in requests and documents. */
export type JsonSchema = boolean | SchemaObject
export type SchemaObject = { readonly [keyword: string]: unknown }
export type TypeName = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object'
