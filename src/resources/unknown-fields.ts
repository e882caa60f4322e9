/**
 * Fields of a request that its schema does not name, at every depth. Takes time in proportion to the request.
 */
import * as z from 'zod'
import { nearest } from '../lib/did-you-mean.ts'
import { kindsOf } from './object-by-type.ts'

/** Names by which a field is known elsewhere, for example in an older form of the same request. */
export const otherNames = z.registry<{ names: readonly string[] }>()

export interface UnknownField {
  /** Keys and indexes, from the outside in. */
  path: readonly (string | number)[]
  /** The known field that was probably meant. */
  meant: string | undefined
}

/** Maximum number of fields that are compared with the known ones. */
const maxCompared = 100
/** Longer names are not compared with the known ones. */
const comparedLength = 60

/** What a value is compared with; undefined where the schema leaves everything open. */
type Known = KnownObject | KnownList | KnownChoice | undefined

interface KnownObject {
  kind: 'object'
  fields: Readonly<Record<string, z.ZodType>>
}
interface KnownList {
  kind: 'list'
  element: z.ZodType
}
/** The schema that is meant for a value, among several. */
interface KnownChoice {
  kind: 'choice'
  choose(value: object): z.ZodType | undefined
}

/** @param schema Undefined where no field is known. */
export function unknownFields(schema: z.ZodType | undefined, value: unknown): UnknownField[] {
  const found: UnknownField[] = []
  visit(schema ? knownOf(schema) : noFields, value, [], found)
  return found
}

const noFields: KnownObject = { kind: 'object', fields: {} }

function visit(known: Known, value: unknown, path: (string | number)[], found: UnknownField[]): void {
  if (typeof value !== 'object' || value === null) return
  if (known?.kind === 'choice') {
    const chosen = known.choose(value)
    if (chosen) visit(knownOf(chosen), value, path, found)
  } else if (known?.kind === 'list' && Array.isArray(value)) {
    for (const [index, item] of value.entries()) visitAt(index, known.element, item, path, found)
  } else if (known?.kind === 'object' && !Array.isArray(value)) {
    for (const [name, inner] of Object.entries(value)) {
      const field = Object.hasOwn(known.fields, name) ? known.fields[name] : undefined
      if (field) visitAt(name, field, inner, path, found)
      else tell(name, known, path, found)
    }
  }
}

function visitAt(
  key: string | number,
  schema: z.ZodType,
  value: unknown,
  path: (string | number)[],
  found: UnknownField[],
): void {
  if (typeof value !== 'object' || value === null) return
  path.push(key)
  visit(knownOf(schema), value, path, found)
  path.pop()
}

function tell(name: string, { fields }: KnownObject, path: (string | number)[], found: UnknownField[]): void {
  const meant = found.length < maxCompared ? meantBy(name, fields) : undefined
  found.push({ path: [...path, name], meant })
}

function meantBy(name: string, fields: KnownObject['fields']): string | undefined {
  if (name.length > comparedLength) return undefined
  const names = Object.keys(fields)
  return names.find((known) => otherNamesOf(fields[known]).includes(name)) ?? nearest(name, names)
}

function otherNamesOf(schema: z.ZodType | undefined): readonly string[] {
  return (schema && otherNames.get(schema)?.names) ?? []
}

const knownOfSchemas = new WeakMap<z.ZodType, { known: Known }>()

function knownOf(schema: z.ZodType): Known {
  const kept = knownOfSchemas.get(schema)
  if (kept) return kept.known
  const known = readKnown(schema)
  knownOfSchemas.set(schema, { known })
  return known
}

function readKnown(schema: z.ZodType): Known {
  const kinds = kindsOf(schema)
  if (kinds) return { kind: 'choice', choose: (value) => byType(kinds, value) }
  if (schema instanceof z.ZodObject) {
    const fields = schema.shape as Record<string, z.ZodType>
    return Object.keys(fields).length > 0 ? { kind: 'object', fields } : undefined
  }
  if (schema instanceof z.ZodArray) return { kind: 'list', element: schema.element as z.ZodType }
  if (schema instanceof z.ZodUnion) return { kind: 'choice', choose: (value) => ofUnion(schema, value) }
  if (schema instanceof z.ZodLazy) return knownOf(schema._zod.innerType as z.ZodType)
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return knownOf(schema.unwrap() as z.ZodType)
  return undefined
}

/** The option whose `type` is the value's own; of several without one, the first that is of the same kind. */
function ofUnion({ options }: z.ZodUnion, value: object): z.ZodType | undefined {
  const alike = (options as readonly z.ZodType[]).filter((option) => {
    const known = knownOf(option)
    return known !== undefined && (known.kind === 'list') === Array.isArray(value)
  })
  return alike.find((option) => isOfType(option, value)) ?? (alike.length === 1 ? alike[0] : undefined)
}

function isOfType(option: z.ZodType, value: object): boolean {
  const known = knownOf(option)
  const type = known?.kind === 'object' ? known.fields['type'] : undefined
  return type?.safeParse(Reflect.get(value, 'type')).success ?? false
}

function byType(kinds: Readonly<Record<string, z.ZodType>>, value: object): z.ZodType | undefined {
  const type = Reflect.get(value, 'type')
  return typeof type === 'string' && Object.hasOwn(kinds, type) ? kinds[type] : undefined
}
