/** Returns the schema of an optional field with its description. */
import type * as z from 'zod'

export function field<Schema extends z.ZodType>(schema: Schema, description: string): z.ZodOptional<Schema> {
  return schema.optional().describe(description)
}
