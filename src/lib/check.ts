/** Validates values against schemas, in their compiled form if there is one. */
import type * as z from 'zod'
import { inWords } from './schema-messages.ts'

const context = { error: inWords }
const compiledForms = new WeakMap<z.ZodType, z.ZodType>()

/** Validates like `schema.safeParse(value)`, and reports problems in plain English. */
export function check<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.ZodSafeParseResult<z.output<Schema>> {
  // A compiled form reports the same issues as the original schema.
  return ((compiledForms.get(schema) as Schema | undefined) ?? schema).safeParse(value, context)
}

export function checkBy(compiled: z.ZodType, schema: z.ZodType): void {
  compiledForms.set(schema, compiled)
}
