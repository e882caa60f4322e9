import type * as z from 'zod'
import { inWords } from './schema-messages.ts'

/** Validates like `schema.safeParse(value)`, and reports problems in plain English. */
export function check<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.ZodSafeParseResult<z.output<Schema>> {
  return schema.safeParse(value, { error: inWords })
}
