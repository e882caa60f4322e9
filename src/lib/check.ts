/**
 * Values against schemas, which may have a compiled form.
 */
import type * as z from 'zod'

const compiledForms = new WeakMap<z.ZodType, z.ZodType>()

/** As `schema.safeParse(value)`. */
export function check<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.ZodSafeParseResult<z.output<Schema>> {
  // A compiled form finds what the schema finds.
  return ((compiledForms.get(schema) as Schema | undefined) ?? schema).safeParse(value)
}

/** From now on, values are checked by this form of a schema. */
export function checkBy(compiled: z.ZodType, schema: z.ZodType): void {
  compiledForms.set(schema, compiled)
}
