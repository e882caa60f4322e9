/**
 * Reads JSON Schemas for forms: the variants of a field, initial values, and paths of problems.
 */

export interface Schema {
  $ref?: string
  $defs?: Record<string, Schema>
  type?: string | string[]
  format?: string
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | boolean
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  default?: unknown
  pattern?: string
  minimum?: number
}

/** Keys and indexes, outermost first. */
export type Path = readonly (string | number)[]

/** Way to enter a value. `tagged` objects have a field that selects their other fields, such as a fault's name. */
export type Kind =
  | 'text'
  | 'choice'
  | 'number'
  | 'boolean'
  | 'list'
  | 'object'
  | 'map'
  | 'tagged'
  | 'null'
  | 'json'

export interface Variant {
  kind: Kind
  title: string
  schema: Schema
  /** Values of a choice, suggestions for a text, or tags. */
  options: string[]
  /** Name of a tagged object's tag field. */
  tag?: string
  /** Schemas of tagged objects, by tag. */
  tagged?: Map<string, Schema>
}

/** Returns the schema that a reference names, with the reference's description. */
export function resolved(schema: Schema, root: Schema): Schema {
  const { $ref, ...rest } = schema
  if ($ref === undefined) return schema
  const target = $ref === '#' ? root : root.$defs?.[$ref.replace('#/$defs/', '')]
  return { ...resolved(target ?? {}, root), ...rest }
}

/** Returns all alternatives of a schema, without references, unions and lists of types. */
function branchesOf(schema: Schema, root: Schema): Schema[] {
  const found = resolved(schema, root)
  const union = found.anyOf ?? found.oneOf
  if (union) return union.flatMap((each) => branchesOf(each, root))
  return Array.isArray(found.type) ? found.type.map((type) => ({ ...found, type })) : [found]
}

/** Returns the ways to enter a value. There is at least one. */
export function variantsOf(schema: Schema, root: Schema): Variant[] {
  const branches = branchesOf(schema, root)
  const texts = branches.filter((each) => isText(each))
  const objects = branches.filter((each) => each.properties)
  const tag = objects.length > 1 ? commonTag(objects, root) : undefined
  const tagged = new Map(tag === undefined ? [] : objects.map((each) => [tagOf(each, tag, root), each]))
  const options = texts
    .flatMap((each) => each.enum ?? (each.const === undefined ? [] : [each.const]))
    .map(String)
  const isClosed = texts.every((each) => each.enum || each.const !== undefined)
  // A tag alone is short for an object without other fields.
  const isShorthand = tag !== undefined && isClosed && options.every((each) => tagged.has(each))
  const variants: Variant[] = branches.flatMap((each): Variant[] => {
    if (isText(each)) {
      if (each !== texts[0] || isShorthand) return []
      return [{ kind: isClosed ? 'choice' : 'text', title: 'text', schema: each, options }]
    }
    if (each.properties) {
      if (tag === undefined)
        return [{ kind: 'object', title: each.required?.join(', ') || 'fields', schema: each, options: [] }]
      if (each !== objects[0]) return []
      return [{ kind: 'tagged', title: tag, schema: each, options: [...tagged.keys()], tag, tagged }]
    }
    const [kind, title] = simpleKind(each)
    return [{ kind, title, schema: each, options: [] }]
  })
  return variants.length > 0 ? variants : [{ kind: 'json', title: 'JSON', schema: {}, options: [] }]
}

function isText({ type, enum: values, const: only, pattern }: Schema): boolean {
  if (values) return values.every((each) => typeof each === 'string')
  return type === 'string' || typeof only === 'string' || (type === undefined && pattern !== undefined)
}

function simpleKind({ type, items, additionalProperties }: Schema): [Kind, string] {
  if (type === 'array' && items) return ['list', 'list']
  if (type === 'object' && additionalProperties) return ['map', 'names and values']
  if (type === 'integer' || type === 'number') return ['number', 'number']
  if (type === 'boolean') return ['boolean', 'true or false']
  return type === 'null' ? ['null', 'null'] : ['json', 'JSON']
}

/** Returns the field that has a different constant in each of the objects. */
function commonTag(objects: readonly Schema[], root: Schema): string | undefined {
  return Object.keys(objects[0]?.properties ?? {}).find((name) => {
    const tags = objects.map((each) => tagOf(each, name, root))
    return !tags.includes('') && new Set(tags).size === tags.length
  })
}

function tagOf({ properties = {} }: Schema, name: string, root: Schema): string {
  const field = properties[name]
  return field ? String(resolved(field, root).const ?? '') : ''
}

/** Returns the variant that fits a value. For a field without a value, returns the first one. */
export function variantOf(value: unknown, variants: readonly Variant[]): Variant {
  const [first] = variants as [Variant]
  if (value === undefined) return first
  const kinds = kindsOf(value)
  const possible = variants.filter(({ kind }) => kinds.includes(kind))
  const keys = Object.keys(Object(value))
  const fits = ({ schema: { properties = {}, required = [] } }: Variant) =>
    keys.every((key) => Object.hasOwn(properties, key)) && required.every((key) => keys.includes(key))
  return (
    possible.find((each) => each.kind !== 'object' || fits(each)) ??
    possible[0] ?? { kind: 'json', title: 'JSON', schema: {}, options: [] }
  )
}

function kindsOf(value: unknown): Kind[] {
  if (value === null) return ['null', 'json']
  if (Array.isArray(value)) return ['list', 'json']
  switch (typeof value) {
    case 'string':
      return ['text', 'choice', 'tagged', 'json', 'number']
    case 'number':
      return ['number', 'json']
    case 'boolean':
      return ['boolean', 'json']
    default:
      return ['object', 'tagged', 'map', 'json']
  }
}

/** Returns an initial value for a variant. Keeps the value if the variant changes between a value and a list. */
export function initialOf({ kind, schema, options, tag }: Variant, root: Schema, before?: unknown): unknown {
  switch (kind) {
    case 'text':
      if (Array.isArray(before) && typeof before[0] === 'string') return before[0]
      if (schema.format === 'uuid') return globalThis.crypto?.randomUUID?.() ?? ''
      return schema.default ?? ''
    case 'choice':
      return options[0]
    case 'number':
      return Array.isArray(before) && typeof before[0] === 'number' ? before[0] : (schema.minimum ?? 0)
    case 'boolean':
      return false
    case 'list':
      return typeof before === 'string' || typeof before === 'number' ? [before] : []
    case 'null':
      return null
    case 'tagged':
      return { [tag ?? '']: options[0] }
    case 'object':
      return Object.fromEntries(
        (schema.required ?? []).map((name) => [name, firstValue(schema.properties?.[name] ?? {}, root)]),
      )
    case 'map':
      return {}
    case 'json':
      return ''
  }
}

/** Returns an initial value for a field: null if the field is nullable. */
export function firstValue(schema: Schema, root: Schema): unknown {
  const variants = variantsOf(schema, root)
  const [first] = variants as [Variant]
  return initialOf(variants.find(({ kind }) => kind === 'null') ?? first, root)
}

/** Returns a copy with the value at a path replaced, or removed if it is undefined. */
export function withValueAt(value: unknown, [key, ...rest]: Path, next: unknown): unknown {
  if (key === undefined) return next
  if (Array.isArray(value)) {
    const index = Number(key)
    const item = withValueAt(value[index], rest, next)
    return value.toSpliced(index, 1, ...(item === undefined ? [] : [item]))
  }
  const object = Object(value) as Record<string, unknown>
  const item = withValueAt(Object.hasOwn(object, key) ? object[key] : undefined, rest, next)
  if (item !== undefined) return { ...object, [key]: item }
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key))
}

/** Parses a path in JavaScript notation, such as `workspaces.tags[0]`, without its first name. */
export function parsePath(text: string): Path {
  return [...text.matchAll(/\.([\w$-]+)|\[(\d+|"(?:[^"\\]|\\.)*")\]/g)].map(
    ([, name, key = '']) => name ?? (JSON.parse(key) as string | number),
  )
}
