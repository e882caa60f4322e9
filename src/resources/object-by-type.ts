/**
 * Validates objects with the schema for their `type`. A union would report an invalid field as an unknown
 * type; this schema reports violations for the type that the object names.
 */
import * as z from 'zod'
import { check } from '../lib/check.ts'

type Kinds = Readonly<Record<string, z.ZodType>>

const kindsOfSchemas = new WeakMap<object, Kinds>()

/**
 * Returns a schema for objects of these types. Objects of any other type are accepted. Type `''` means
 * objects without a type.
 */
export function objectByType(kinds: Kinds) {
  // The cast hides that the type may be missing, which readers of this schema handle.
  const type = ('' in kinds ? z.string().optional() : z.string()) as z.ZodString
  const schema = z.looseObject({ type }).check(({ value, issues }) => {
    const kind = kindOf(kinds, value)
    for (const issue of (kind && check(kind, value).error?.issues) ?? [])
      issues.push({ ...issue, input: value } as never)
  })
  kindsOfSchemas.set(schema, kinds)
  return schema
}

export function kindOf(kinds: Kinds, { type = '' }: { type?: unknown }): z.ZodType | undefined {
  return typeof type === 'string' && Object.hasOwn(kinds, type) ? kinds[type] : undefined
}

/** Returns the types in a schema created by `objectByType`, or undefined for any other schema. */
export function kindsOf(schema: z.core.$ZodType): Kinds | undefined {
  return kindsOfSchemas.get(schema)
}
