/** Schemas shared by all parts of a scenario. */
import * as z from 'zod'

export function field<Schema extends z.ZodType>(schema: Schema, description: string): z.ZodOptional<Schema> {
  return schema.optional().describe(description)
}

export const text = z.lazy(() => z.string().min(1))

/** Returns the schema of an object without unknown fields, which is created on first use. */
export function lazyObject<Shape extends z.ZodRawShape>(
  shape: () => Shape,
): z.ZodLazy<z.ZodObject<Shape, z.core.$strict>> {
  return z.lazy(() => z.strictObject(shape()))
}
