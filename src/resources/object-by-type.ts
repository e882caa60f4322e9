/** Validates objects with the schema for their `type`. A union would report an invalid field as an unknown type. */
import * as z from 'zod'
import { meantBy, nearest } from '../lib/did-you-mean.ts'
import { fieldsOf, lookUp } from '../lib/json.ts'
import { check } from '../lib/schema-messages.ts'

type Kinds = Readonly<Record<string, z.ZodType>>

const kindsOfSchemas = new WeakMap<object, Kinds>()

/** Accepts objects of any other type. The type `''` stands for objects without a type. */
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
  return lookUp(kinds, type)
}

/** Returns undefined for a schema that `objectByType` did not create. */
export function kindsOf(schema: z.core.$ZodType): Kinds | undefined {
  return kindsOfSchemas.get(schema)
}

const init: (union: z.ZodUnion, definition: z.core.$ZodUnionDef) => void = z.ZodUnion.init
/** A union that reports violations of the option for the object's type, not of the last option. */
const OpenUnion = z.core.$constructor<z.ZodUnion>('OpenUnion', (union, definition) => {
  init(union, definition)
  union._zod.parse = (payload, context) => {
    const [kinds, other] = definition.options as [z.ZodDiscriminatedUnion, z.ZodType]
    return (isOther(kinds, payload.value) ? other : kinds)._zod.run(payload, context)
  }
})

/** Returns a schema for objects of these types, or of any other type with at least these fields. */
export function openUnion<Kinds extends z.ZodDiscriminatedUnion, Fields extends z.ZodRawShape>(
  kinds: Kinds,
  fields: Fields,
) {
  const names = [...(kinds._zod.propValues['type'] ?? [])].filter((name) => typeof name === 'string')
  // Rejects misspelt names of the types, which are at most two letters away.
  const type = z.string().refine((name) => nearest(name, names, 2) === undefined, {
    error: ({ input }) => `Unknown type '${input}'${meantBy(String(input), names)}`,
  })
  const other = z.looseObject({ type: type.meta({ not: { enum: names } }), ...fields })
  return new OpenUnion({ type: 'union', options: [kinds, other] }) as z.ZodUnion<[Kinds, typeof other]>
}

function isOther(kinds: z.ZodDiscriminatedUnion, value: unknown): boolean {
  const { type } = fieldsOf(value)
  return typeof type === 'string' && !kinds._zod.propValues['type']?.has(type)
}

/** Returns true for a value that is valid only because its type is not one of the schema's. */
export function isOfOtherType(schema: z.ZodType, value: unknown): boolean {
  return schema instanceof OpenUnion && isOther(schema.options[0] as z.ZodDiscriminatedUnion, value)
}
