/** Finds unknown fields in a request, at every depth, in time proportional to the request's size. */
import * as z from 'zod'
import { nearest } from '../lib/did-you-mean.ts'
import { kindOf, kindsOf } from './object-by-type.ts'

/**
 * Wrong names that clients use for a field, such as the plugin's `include_domains` for the tool's `allowed_domains`.
 */
export const otherNames = z.registry<{ names: readonly string[] }>()

export interface UnknownField {
  /** Keys and indexes, outermost first. */
  path: readonly (string | number)[]
  /** The path's last key. */
  name: string
  value: unknown
  /** Known fields at the same level. */
  fields: ObjectShape['fields']
  /** The known field that the client probably meant. */
  suggestion: string | undefined
}

/** Maximum number of unknown fields that get suggestions. */
const maxCompared = 100
/** Maximum length of a field name that gets suggestions. */
const maxNameLength = 60

/** A value's known fields; undefined if the schema accepts anything. */
type Shape = ObjectShape | ListShape | ChoiceShape | undefined

interface ObjectShape {
  kind: 'object'
  fields: Readonly<Record<string, z.ZodType>>
}
interface ListShape {
  kind: 'list'
  element: z.ZodType
}
/** Selects one of several schemas for a value. */
interface ChoiceShape {
  kind: 'choice'
  choose(value: object): z.ZodType | undefined
}

/** @param schema If undefined, all fields are unknown. */
export function unknownFields(schema: z.ZodType | undefined, value: unknown): UnknownField[] {
  const unknown: UnknownField[] = []
  visit(schema ? shapeOf(schema) : noFields, value, [], unknown)
  return unknown
}

const noFields: ObjectShape = { kind: 'object', fields: {} }

function visit(shape: Shape, value: unknown, path: (string | number)[], unknown: UnknownField[]): void {
  if (typeof value !== 'object' || value === null) return
  if (shape?.kind === 'choice') {
    const schema = shape.choose(value)
    if (schema) visit(shapeOf(schema), value, path, unknown)
  } else if (shape?.kind === 'list' && Array.isArray(value)) {
    for (const [index, item] of value.entries()) visitAt(index, shape.element, item, path, unknown)
  } else if (shape?.kind === 'object' && !Array.isArray(value)) {
    for (const [name, inner] of Object.entries(value)) {
      const field = Object.hasOwn(shape.fields, name) ? shape.fields[name] : undefined
      if (field) visitAt(name, field, inner, path, unknown)
      else {
        const suggestion = unknown.length < maxCompared ? suggest(name, shape.fields) : undefined
        unknown.push({ path: [...path, name], name, value: inner, fields: shape.fields, suggestion })
      }
    }
  }
}

function visitAt(
  key: string | number,
  schema: z.ZodType,
  value: unknown,
  path: (string | number)[],
  unknown: UnknownField[],
): void {
  if (typeof value !== 'object' || value === null) return
  path.push(key)
  visit(shapeOf(schema), value, path, unknown)
  path.pop()
}

function suggest(name: string, fields: ObjectShape['fields']): string | undefined {
  if (name.length > maxNameLength) return undefined
  const names = Object.keys(fields)
  return names.find((field) => otherNamesOf(fields[field]).includes(name)) ?? nearest(name, names)
}

function otherNamesOf(schema: z.ZodType | undefined): readonly string[] {
  return (schema && otherNames.get(schema)?.names) ?? []
}

const shapesOfSchemas = new WeakMap<z.ZodType, { shape: Shape }>()

function shapeOf(schema: z.ZodType): Shape {
  const cached = shapesOfSchemas.get(schema)
  if (cached) return cached.shape
  const shape = readShape(schema)
  shapesOfSchemas.set(schema, { shape })
  return shape
}

function readShape(schema: z.ZodType): Shape {
  const kinds = kindsOf(schema)
  if (kinds) return { kind: 'choice', choose: (value) => kindOf(kinds, value) }
  if (schema instanceof z.ZodObject) {
    const fields = schema.shape as Record<string, z.ZodType>
    return Object.keys(fields).length > 0 ? { kind: 'object', fields } : undefined
  }
  if (schema instanceof z.ZodArray) return { kind: 'list', element: schema.element as z.ZodType }
  if (schema instanceof z.ZodUnion) return { kind: 'choice', choose: (value) => ofUnion(schema, value) }
  if (schema instanceof z.ZodLazy) return shapeOf(schema._zod.innerType as z.ZodType)
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return shapeOf(schema.unwrap() as z.ZodType)
  return undefined
}

/** Returns the option for the value's `type` or, without one, the only option of the same kind (object or list). */
function ofUnion({ options }: z.ZodUnion, value: object): z.ZodType | undefined {
  const candidates = (options as readonly z.ZodType[]).filter((option) => {
    const shape = shapeOf(option)
    return shape !== undefined && (shape.kind === 'list') === Array.isArray(value)
  })
  return (
    candidates.find((option) => isOfType(option, value)) ??
    (candidates.length === 1 ? candidates[0] : undefined)
  )
}

function isOfType(option: z.ZodType, value: object): boolean {
  const shape = shapeOf(option)
  const type = shape?.kind === 'object' ? shape.fields['type'] : undefined
  const sent = Reflect.get(value, 'type')
  // A failed parse takes a hundred times as long as a look-up.
  return type?._zod.values?.has(sent) ?? type?.safeParse(sent).success ?? false
}
