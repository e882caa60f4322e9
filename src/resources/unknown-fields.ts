/** Finds unknown fields in a request, at every depth, in time proportional to the request's size. */
import * as z from 'zod'
import { nearest } from '../lib/did-you-mean.ts'
import { isObject, lookUp } from '../lib/json.ts'
import { isOfOtherType, kindOf, kindsOf } from './object-by-type.ts'

/** Names for the same thing in different places: the plugin's `include_domains` is the tool's `allowed_domains`. */
const synonyms = [
  ['max_output_tokens', 'max_completion_tokens', 'max_tokens'],
  ['input', 'messages'],
  ['instructions', 'system'],
  ['text.format', 'response_format'],
  ['reasoning.effort', 'reasoning_effort'],
  ['tools', 'functions'],
  ['parameters', 'params', 'options'],
  ['allowed_domains', 'include_domains', 'included_domains'],
  ['excluded_domains', 'exclude_domains', 'blocked_domains'],
  ['allowed_x_handles', 'include_x_handles', 'included_x_handles'],
  ['excluded_x_handles', 'exclude_x_handles', 'blocked_x_handles'],
]

export interface UnknownField {
  /** Keys and indexes, outermost first. */
  path: readonly (string | number)[]
  name: string
  value: unknown
  fields: Fields
  suggestion: string | undefined
}

/** Maximum number of unknown fields to find and count. */
const maxFound = 10_000
/** Maximum number of unknown fields that get suggestions. */
const maxCompared = 100
/** Maximum length of a field name that gets suggestions. */
const maxNameLength = 60

type Fields = Readonly<Record<string, z.ZodType>>

/** @param schema If undefined, all fields are unknown. */
export function unknownFields(schema: z.ZodType | undefined, value: unknown): UnknownField[] {
  const unknown: UnknownField[] = []
  const path: (string | number)[] = []
  const visit = (schema: z.ZodType, value: unknown, key?: string | number): void => {
    if (typeof value !== 'object' || value === null || unknown.length >= maxFound) return
    if (key !== undefined) path.push(key)
    const shape = shapeFor(schema, value)
    if (shape instanceof z.ZodArray) {
      for (const [index, item] of (value as unknown[]).entries())
        visit(shape.element as z.ZodType, item, index)
    } else if (shape) visitFields(shape.shape, value)
    if (key !== undefined) path.pop()
  }
  const visitFields = (fields: Fields, value: object): void => {
    for (const [name, inner] of Object.entries(value)) {
      if (unknown.length >= maxFound) return
      const field = lookUp(fields, name)
      if (field) visit(field, inner, name)
      else {
        const suggestion = unknown.length < maxCompared ? suggest(name, fields) : undefined
        unknown.push({ path: [...path, name], name, value: inner, fields, suggestion })
      }
    }
  }
  if (schema) visit(schema, value)
  else if (isObject(value)) visitFields({}, value)
  return unknown
}

function suggest(name: string, fields: Fields): string | undefined {
  if (name.length > maxNameLength) return undefined
  const rootOf = (field: string) => field.replace(/\..*/, '')
  const others = synonyms.find((each) => each.some((field) => rootOf(field) === name))
  return others?.find((field) => Object.hasOwn(fields, rootOf(field))) ?? nearest(name, Object.keys(fields))
}

/** Returns undefined for values whose items or fields are not described. */
function shapeFor(schema: z.ZodType | undefined, value: object): z.ZodArray | z.ZodObject | undefined {
  const kinds = schema && kindsOf(schema)
  if (kinds) return shapeFor(kindOf(kinds, value), value)
  if (schema instanceof z.ZodArray) return Array.isArray(value) ? schema : undefined
  if (schema instanceof z.ZodObject) {
    const isDescribed = !Array.isArray(value) && Object.keys(schema.shape).length > 0
    return isDescribed ? schema : undefined
  }
  if (schema instanceof z.ZodUnion) return ofUnion(schema, value)
  if (schema instanceof z.ZodLazy) return shapeFor(schema._zod.innerType as z.ZodType, value)
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return shapeFor(schema.unwrap() as z.ZodType, value)
  return undefined
}

/** Returns the option for the value's `type` or, without one, the only option of the same kind (object or list). */
function ofUnion(union: z.ZodUnion, value: object): z.ZodArray | z.ZodObject | undefined {
  if (isOfOtherType(union, value)) return undefined
  const shapes = (union.options as readonly z.ZodType[])
    .map((option) => shapeFor(option, value))
    .filter((shape) => shape !== undefined)
  return shapes.find((shape) => isOfType(shape, value)) ?? (shapes.length === 1 ? shapes[0] : undefined)
}

function isOfType(shape: z.ZodArray | z.ZodObject, value: object): boolean {
  const type = shape instanceof z.ZodObject ? (shape.shape['type'] as z.ZodType | undefined) : undefined
  const sent = Reflect.get(value, 'type')
  // A failed parse takes a hundred times as long as a look-up.
  return type?._zod.values?.has(sent) ?? type?.safeParse(sent).success ?? false
}
