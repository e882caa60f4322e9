/** Schemas that all parts of a scenario use. */
import * as z from 'zod'

export function field<Schema extends z.ZodType>(schema: Schema, description: string): z.ZodOptional<Schema> {
  return schema.optional().describe(description)
}

export const text = z.lazy(() => z.string().min(1))
