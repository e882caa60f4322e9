/** Converts zod schemas to TypeScript: plain interfaces with the sentences in `.describe` above the fields. */
import type * as z from 'zod'

type Side = 'input' | 'output'

/** Settings for writing a file's types. */
export interface Writing {
  readonly side: Side
  /** Names of schemas, including those in other files. */
  readonly names: ReadonlyMap<z.ZodType, string>
}

// biome-ignore lint/suspicious/noExplicitAny: zod has a separate type for each kind of schema, and this code reads several
const definitionOf = (schema: z.ZodType): any => schema._zod.def

/** Returns a lazy schema's inner schema, which, unlike its getter's result, is always the same object. */
const innerOf = (schema: z.ZodType) => (schema as z.ZodLazy)._zod.innerType as z.ZodType

/** @param name Name of the type, which is an interface for an object. */
export function declaration(schema: z.ZodType, name: string, writing: Writing): string {
  const others = new Map(writing.names)
  others.delete(schema)
  const bare = unwrapped(schema)
  const inner = { ...writing, names: others }
  return definitionOf(bare).type === 'object'
    ? `export interface ${name} {\n${fieldsOf(bare, inner, 1)}}`
    : `export type ${name} =${typeOf(bare, inner, 0).replace(/^(?! ?\n)/, ' ')}`
}

/** Returns an object type's fields as TypeScript, one per line. */
export function fieldsOf(schema: z.ZodType, writing: Writing, depth: number): string {
  const { shape, catchall } = definitionOf(schema)
  const margin = '  '.repeat(depth)
  const fields = Object.entries<z.ZodType>(shape).map(([name, field]) => {
    const optional = isOptional(field, writing.side) ? '?' : ''
    const type = typeOf(field, writing, depth)
    const key = /^\w+$/.test(name) ? name : `'${name}'`
    return `${comment(descriptionOf(field), depth)}${margin}${key}${optional}: ${type}\n`
  })
  const isLoose = catchall && definitionOf(catchall).type !== 'never'
  return fields.join('') + (isLoose ? `${margin}[field: string]: unknown\n` : '')
}

function isOptional(schema: z.ZodType, side: Side): boolean {
  const { type, innerType } = definitionOf(schema)
  if (type === 'optional') return true
  if (type === 'default' || type === 'prefault') return side === 'input'
  return (type === 'nullable' || type === 'readonly') && isOptional(innerType, side)
}

function descriptionOf(schema: z.ZodType): string | undefined {
  if (schema.description !== undefined) return schema.description
  const { type, innerType } = definitionOf(schema)
  return ['optional', 'default', 'prefault', 'nullable'].includes(type) ? descriptionOf(innerType) : undefined
}

function typeOf(schema: z.ZodType, writing: Writing, depth: number): string {
  const name = nameOf(schema, writing)
  if (name !== undefined) return name
  const definition = definitionOf(schema)
  const inner = (other: z.ZodType) => typeOf(other, writing, depth)
  switch (definition.type) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'unknown':
    case 'null':
      return definition.type
    case 'any':
    case 'custom':
      return 'unknown'
    case 'int':
      return 'number'
    case 'lazy':
      return isJson(innerOf(schema)) ? 'Json' : inner(innerOf(schema))
    case 'optional':
    case 'default':
    case 'prefault':
    case 'readonly':
    case 'nonoptional':
    case 'catch':
      return inner(definition.innerType)
    case 'nullable':
      return `${inner(definition.innerType)} | null`
    case 'pipe':
      return inner(writing.side === 'input' ? definition.in : definition.out)
    case 'literal':
      return definition.values.map(literal).join(' | ')
    case 'enum':
      return Object.values(definition.entries).map(literal).join(' | ')
    case 'template_literal': {
      const parts: (string | z.ZodType)[] = definition.parts
      return `\`${parts.map((part) => (typeof part === 'object' ? `\${${inner(part)}}` : part)).join('')}\``
    }
    case 'array': {
      const element = inner(definition.element)
      return / [|&] /.test(element) || element.startsWith('\n') ? `Array<${element.trim()}>` : `${element}[]`
    }
    case 'tuple':
      return `[${definition.items.map(inner).join(', ')}]`
    case 'record':
      return `Record<string, ${inner(definition.valueType)}>`
    case 'union':
      return [...new Set<string>(definition.options.map(inner))].join(' | ')
    case 'intersection':
      return `${inner(definition.left)} & ${inner(definition.right)}`
    case 'object':
      return `{\n${fieldsOf(schema, writing, depth + 1)}${'  '.repeat(depth)}}`
    default:
      throw new Error(`Schemas of kind '${definition.type}' cannot be written as a type`)
  }
}

/** Returns the name of a schema, or of the schema from which it was derived by changing the description. */
function nameOf(schema: z.ZodType | undefined, writing: Writing): string | undefined {
  if (schema === undefined) return undefined
  return writing.names.get(schema) ?? nameOf(schema._zod.parent as z.ZodType | undefined, writing)
}

/** Returns true for a schema created by `z.json()`. */
function isJson(schema: z.ZodType): boolean {
  const { type, options } = definitionOf(schema)
  const kinds = ['string', 'number', 'boolean', 'null', 'array', 'record']
  return (
    type === 'union' && options.map((option: z.ZodType) => definitionOf(option).type).join() === kinds.join()
  )
}

function unwrapped(schema: z.ZodType): z.ZodType {
  const { type, innerType } = definitionOf(schema)
  if (type === 'lazy') return unwrapped(innerOf(schema))
  return type === 'readonly' ? unwrapped(innerType) : schema
}

const literal = (value: unknown) => (typeof value === 'string' ? `'${value}'` : String(value))

export function union(names: readonly string[]): string {
  return `\n${names.map((name) => `  | ${name}`).join('\n')}`
}

export function comment(text: string | undefined, depth: number): string {
  return text === undefined ? '' : `${'  '.repeat(depth)}/** ${text.replaceAll('*/', '*\\/')} */\n`
}

export function pascal(name: string): string {
  return name.replace(/(?:^|-)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}
