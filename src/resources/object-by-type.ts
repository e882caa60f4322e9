/**
 * Objects whose field `type` says which schema they have to fit. A union would report a bad field of one kind as "no
 * kind at all", so the type is looked at first, and the violations are those of that kind.
 */
import * as z from 'zod'

type Kinds = Readonly<Record<string, z.ZodType>>

const kindsOfSchemas = new WeakMap<object, Kinds>()

/** A schema for objects of some kinds; an object of any other type is let through. */
export function objectByType(kinds: Kinds) {
  const schema = z.looseObject({ type: z.string() }).check(({ value, issues }) => {
    const kind = Object.hasOwn(kinds, value.type) ? kinds[value.type] : undefined
    for (const issue of kind?.safeParse(value).error?.issues ?? [])
      issues.push({ ...issue, input: value } as never)
  })
  kindsOfSchemas.set(schema, kinds)
  return schema
}

/** The schemas of an object by type; undefined for any other schema. */
export function kindsOf(schema: z.core.$ZodType): Kinds | undefined {
  return kindsOfSchemas.get(schema)
}
