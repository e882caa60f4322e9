/**
 * Validates values against schemas, compiled if possible.
 */
import type * as z from 'zod'
import { inWords } from './in-words.ts'

const context = { error: inWords }
const compiledForms = new WeakMap<z.ZodType, z.ZodType>()

/** Same as `schema.safeParse(value)`, with the compiled form of the schema if it has one, and problems in plain English. */
export function check<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.ZodSafeParseResult<z.output<Schema>> {
  // A compiled form reports the same issues as its schema.
  return ((compiledForms.get(schema) as Schema | undefined) ?? schema).safeParse(value, context)
}

/** Registers the compiled form of a schema. */
export function checkBy(compiled: z.ZodType, schema: z.ZodType): void {
  compiledForms.set(schema, compiled)
}
