/**
 * Shapes describe types, nullability, required fields and closed sets of values. Schemas and samples are
 * converted to shapes, which are compared by their effect on clients. For example, a missing field in a reply is
 * breaking and an additional one is not, whereas an additional type is breaking in a reply but not in a request.
 */
import { isJson, type Json, type OpenApiDocument } from '../documents/openapi-document.ts'

export type TypeName = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'object' | 'array'

export interface Shape {
  /** Types. Empty if unknown, in which case the shape has no differences. */
  readonly types: ReadonlySet<TypeName>
  /** Values as JSON, as listed in a schema or found in samples. Undefined if any value is possible. */
  readonly values?: ReadonlySet<string> | undefined
  /** Objects by tag: the value of `type` or `source` that distinguishes union members, or `''` without a tag. */
  readonly objects: ReadonlyMap<string, ObjectShape>
  readonly items?: Shape | undefined
  /** Constraints by JSON Schema keyword, such as `maxLength` or `pattern`. */
  readonly limits: Readonly<Record<string, unknown>>
  readonly isDeprecated?: boolean
}

export interface ObjectShape {
  readonly fields: ReadonlyMap<string, Field>
  /** If true, additional fields are allowed. */
  readonly isOpen: boolean
  /** Name of the document's schema that declares the object. */
  readonly schema?: string | undefined
}

export interface Field {
  readonly shape: Shape
  /** If true, all objects of this shape have the field. */
  readonly isRequired: boolean
}

export const unknownShape: Shape = { types: new Set(), objects: new Map(), limits: {} }

/** Fields that distinguish union members, in order of precedence. */
const tagFields = ['type', 'source'] as const

/** Returns the union of two shapes. */
export function unionOf(left: Shape, right: Shape): Shape {
  if (left === right) return left
  if (left.types.size === 0) return right
  if (right.types.size === 0) return left
  const objects = new Map(left.objects)
  for (const [tag, object] of right.objects) {
    const existing = objects.get(tag)
    objects.set(tag, existing ? unionOfObjects(existing, object) : object)
  }
  return {
    types: new Set([...left.types, ...right.types]),
    values: unionOfValues(left, right),
    objects,
    items: left.items && right.items ? unionOf(left.items, right.items) : (left.items ?? right.items),
    limits: commonLimits(left.limits, right.limits),
  }
}

function unionOfObjects(left: ObjectShape, right: ObjectShape): ObjectShape {
  const fields = new Map<string, Field>()
  for (const name of new Set([...left.fields.keys(), ...right.fields.keys()])) {
    const [ours, theirs] = [left.fields.get(name), right.fields.get(name)]
    const shape = ours && theirs ? unionOf(ours.shape, theirs.shape) : ((ours ?? theirs) as Field).shape
    fields.set(name, { shape, isRequired: Boolean(ours?.isRequired && theirs?.isRequired) })
  }
  const schema = left.schema === right.schema ? left.schema : undefined
  return { fields, isOpen: left.isOpen || right.isOpen, schema }
}

/** Returns the union of two closed sets, or undefined (open) if a side does not list its values. */
function unionOfValues(left: Shape, right: Shape): Set<string> | undefined {
  const isOpen = ({ types, values }: Shape) => !values && [...types].some((type) => type !== 'null')
  if (isOpen(left) || isOpen(right)) return undefined
  return new Set([...(left.values ?? []), ...(right.values ?? [])])
}

function commonLimits(left: Shape['limits'], right: Shape['limits']): Shape['limits'] {
  return Object.fromEntries(Object.entries(left).filter(([name, value]) => right[name] === value))
}

/** Returns the intersection of two shapes, as in `allOf`. */
function intersectionOf(left: Shape, right: Shape): Shape {
  if (left.types.size === 0) return right
  if (right.types.size === 0) return left
  const objects = new Map<string, ObjectShape>()
  const tags = new Set([...left.objects.keys(), ...right.objects.keys()].filter((tag) => tag !== ''))
  for (const tag of tags.size > 0 ? tags : ['']) {
    const parts = [left, right].flatMap(({ objects }) => objects.get(tag) ?? objects.get('') ?? [])
    objects.set(tag, {
      fields: parts.map(({ fields }) => fields).reduce(intersectionOfFields, new Map()),
      isOpen: parts.some(({ isOpen }) => isOpen),
    })
  }
  const types = [...left.types].filter((type) => right.types.has(type))
  return {
    types: new Set(types.length > 0 ? types : left.types),
    values: left.values ?? right.values,
    objects,
    items: left.items?.types.size ? left.items : right.items,
    limits: { ...left.limits, ...right.limits },
  }
}

function intersectionOfFields(left: ObjectShape['fields'], right: ObjectShape['fields']): Map<string, Field> {
  const fields = new Map(left)
  for (const [name, { shape, isRequired }] of right) {
    const existing = fields.get(name)
    fields.set(name, {
      shape: existing ? intersectionOf(existing.shape, shape) : shape,
      isRequired: isRequired || Boolean(existing?.isRequired),
    })
  }
  return fields
}

const limitNames = [
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minItems',
  'maxItems',
  'pattern',
]
const typeNames = new Set<string>(['null', 'boolean', 'integer', 'number', 'string', 'object', 'array'])

/** Converts a document's schemas to shapes. Each reference is resolved only once. */
export class SchemaReader {
  readonly #document: OpenApiDocument
  readonly #byReference = new Map<string, Shape>()

  constructor(document: OpenApiDocument) {
    this.#document = document
  }

  shapeOf(schema: unknown): Shape {
    if (!isJson(schema)) return unknownShape
    const { $ref } = schema
    if (typeof $ref !== 'string') return this.#read(schema)
    if (schema['deprecated'] === true) return { ...this.shapeOf({ $ref }), isDeprecated: true }
    const cached = this.#byReference.get($ref)
    if (cached) return cached
    // Recursive schemas are compared only at the outer level.
    this.#byReference.set($ref, unknownShape)
    const shape = named(this.#read(this.#document.resolve(schema) ?? {}), $ref)
    this.#byReference.set($ref, shape)
    return shape
  }

  #read(schema: Json): Shape {
    const alternatives = [schema['anyOf'], schema['oneOf']].filter(Array.isArray)
    const parts = Array.isArray(schema['allOf']) ? schema['allOf'] : []
    let shape = this.#keywords(schema)
    for (const members of alternatives) {
      const union = members.map((member) => this.shapeOf(member)).reduce(unionOf, unknownShape)
      shape = intersectionOf(shape, union)
    }
    for (const part of parts) shape = intersectionOf(shape, this.shapeOf(part))
    if (schema['nullable'] === true && shape.types.size > 0)
      shape = { ...shape, types: new Set<TypeName>([...shape.types, 'null']) }
    return schema['deprecated'] === true ? { ...shape, isDeprecated: true } : shape
  }

  /** Returns the shape that a schema describes without its `anyOf`, `oneOf` and `allOf`. */
  #keywords(schema: Json): Shape {
    const types = typesOf(schema)
    if (types.size === 0) return unknownShape
    const closed = 'const' in schema ? [schema['const']] : schema['enum']
    const values = Array.isArray(closed)
      ? new Set(closed.filter((value) => value !== null).map((value) => JSON.stringify(value)))
      : undefined
    const limits = Object.fromEntries(
      limitNames.flatMap((name) => (name in schema ? [[name, schema[name]]] : [])),
    )
    return {
      types,
      values,
      objects: types.has('object') ? this.#objects(schema) : new Map(),
      ...(types.has('array') && { items: this.shapeOf(schema['items']) }),
      limits,
    }
  }

  #objects(schema: Json): Map<string, ObjectShape> {
    const properties = isJson(schema['properties']) ? schema['properties'] : {}
    const required = Array.isArray(schema['required']) ? schema['required'] : []
    const fields = new Map<string, Field>(
      Object.entries(properties).map(([name, inner]) => [
        name,
        { shape: this.shapeOf(inner), isRequired: required.includes(name) },
      ]),
    )
    const more = schema['additionalProperties']
    const isOpen = more === true || isJson(more)
    const [name, tags] = schemaTags(fields)
    return new Map(tags.map((tag) => [tag, { fields: name ? withTag(fields, name, tag) : fields, isOpen }]))
  }
}

/** Adds a schema's name to its objects. Objects that another schema has named keep their name. */
function named(shape: Shape, reference: string): Shape {
  const schema = reference.split('/').at(-1)
  const objects = [...shape.objects].map(([tag, object]) => [tag, { schema, ...object }] as const)
  return { ...shape, objects: new Map(objects) }
}

function typesOf(schema: Json): Set<TypeName> {
  const named = [schema['type']].flat().filter((type): type is TypeName => typeNames.has(String(type)))
  if (named.length > 0) return new Set(named)
  if ('const' in schema) return new Set([typeOf(schema['const'])])
  if (Array.isArray(schema['enum'])) return new Set(schema['enum'].map(typeOf))
  if ('properties' in schema || 'additionalProperties' in schema) return new Set(['object'])
  return new Set('items' in schema ? ['array'] : [])
}

/** Returns the name and the possible values of an object's tag field, or undefined and `''` if it has none. */
function schemaTags(fields: ReadonlyMap<string, Field>): [name: string | undefined, tags: string[]] {
  for (const name of tagFields) {
    const values = fields.get(name)?.shape.values
    if (values && values.size > 0 && fields.get(name)?.isRequired)
      return [name, [...values].map((value) => String(JSON.parse(value)))]
  }
  return [undefined, ['']]
}

/** Restricts an object's tag field, which may allow several values, to one of them. */
function withTag(fields: ReadonlyMap<string, Field>, name: string, tag: string): ReadonlyMap<string, Field> {
  // The tag is one of the field's values.
  const { shape, isRequired } = fields.get(name) as Field
  const values = [...(shape.values as Set<string>)].filter((value) => String(JSON.parse(value)) === tag)
  return new Map([...fields, [name, { shape: { ...shape, values: new Set(values) }, isRequired }]])
}

export function shapeOfSample(sample: unknown): Shape {
  const type = typeOf(sample)
  const types = new Set([type])
  if (Array.isArray(sample)) {
    const items = sample.map(shapeOfSample).reduce(unionOf, unknownShape)
    return { types, objects: new Map(), items, limits: {} }
  }
  if (type === 'object') {
    const object = sample as object
    const fields = Object.entries(object).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, { shape: shapeOfSample(value), isRequired: true }] as const],
    )
    const objects = new Map([[sampleTag(object), { fields: new Map(fields), isOpen: false }]])
    return { types, objects, limits: {} }
  }
  // Longer strings are not considered members of a closed set.
  const isShort = typeof sample === 'string' && sample.length <= 64
  const values = isShort ? new Set([JSON.stringify(sample)]) : undefined
  return { types, objects: new Map(), values, limits: {} }
}

function sampleTag(sample: object): string {
  for (const name of tagFields) {
    const value: unknown = Reflect.get(sample, name)
    if (typeof value === 'string') return value
  }
  return ''
}

function typeOf(value: unknown): TypeName {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value === 'boolean' || typeof value === 'string' ? (typeof value as TypeName) : 'object'
}

/** Effect of a difference on a client that was tested with Understudy. */
export type Severity = 'breaking' | 'additive' | 'info'

export interface Difference {
  /** Part of the operation, such as `reply 200`, `request` or `stream`. */
  readonly part: string
  /** Path into the body, such as `data[].slug`, or `output[message].content` for a union member. */
  readonly path: string
  /** Kind of difference, such as `field-added` or `type-changed`. */
  readonly kind: string
  readonly severity: Severity
  /** Description of the difference, without its path. */
  readonly message: string
  /** Place in the document's schemas, such as `Model.pricing.image`. Undefined outside a named schema. */
  readonly schema?: string | undefined
  /** Values, types or limits that differ, as listed in the message. */
  readonly values?: readonly string[]
}

/** A difference without its path. */
type Change = Pick<Difference, 'kind' | 'severity' | 'message' | 'values'>

export interface CompareSetup {
  readonly part: string
  readonly direction: 'reply' | 'request'
  /** If true, the other shape comes from samples, which may be incomplete. */
  readonly isObserved: boolean
}

/**
 * Yields the differences between two shapes.
 *
 * @param path Path of the two shapes, which is empty for a whole body.
 * @param schema Place of `theirs` in its document's schemas. Default: outside a named schema.
 */
export function* compareShapes(
  ours: Shape,
  theirs: Shape,
  setup: CompareSetup,
  path = '',
  schema?: string,
): Generator<Difference> {
  if (ours.types.size === 0 || theirs.types.size === 0) return
  const place = { part: setup.part, path, schema }
  for (const change of compareTypes(ours, theirs, setup)) yield { ...place, ...change }
  for (const change of compareValues(ours, theirs, setup)) yield { ...place, ...change }
  for (const change of compareLimits(ours, theirs, setup)) yield { ...place, ...change }
  if (!setup.isObserved) for (const change of compareDeprecation(ours, theirs)) yield { ...place, ...change }
  if (ours.items && theirs.items)
    yield* compareShapes(ours.items, theirs.items, setup, `${path}[]`, schema && `${schema}[]`)
  if (ours.types.has('object') && theirs.types.has('object'))
    yield* compareObjects(ours, theirs, setup, path, schema)
}

function* compareTypes(
  ours: Shape,
  theirs: Shape,
  { direction, isObserved }: CompareSetup,
): Generator<Change> {
  const has = (types: ReadonlySet<TypeName>, type: TypeName) =>
    types.has(type) || (type === 'integer' && types.has('number'))
  const more = [...theirs.types].filter((type) => !has(ours.types, type))
  const fewer = isObserved ? [] : [...ours.types].filter((type) => !has(theirs.types, type))
  if (more.some((type) => type !== 'null') && fewer.some((type) => type !== 'null')) {
    const message = `is ${words(theirs.types)}, but Understudy has ${words(ours.types)}`
    yield { kind: 'type-changed', severity: 'breaking', message, values: [...theirs.types] }
    return
  }
  const isReply = direction === 'reply'
  for (const type of more) {
    const severity = isReply ? 'breaking' : 'additive'
    yield type === 'null'
      ? { kind: 'null-added', severity, message: 'may be null' }
      : {
          kind: 'type-added',
          severity,
          message: `may be ${type}, but Understudy has ${words(ours.types)}`,
          values: [type],
        }
  }
  for (const type of fewer) {
    const kind = type === 'null' ? 'null-removed' : 'type-removed'
    const severity = isReply ? 'info' : 'breaking'
    yield { kind, severity, message: `is never ${type}`, values: [type] }
  }
}

/** Maximum number of sampled values in a closed set. With more, the set counts as open. */
const maxValues = 200

function* compareValues(
  ours: Shape,
  theirs: Shape,
  { direction, isObserved }: CompareSetup,
): Generator<Change> {
  const added = ours.values ? without(theirs.values, ours.values) : []
  if (isObserved) {
    if (theirs.values && theirs.values.size <= maxValues)
      yield* listed('value-added', 'additive', 'may be', added)
    return
  }
  const fewer = direction === 'reply' ? 'info' : 'breaking'
  if (ours.values && theirs.values) {
    yield* listed('value-added', 'additive', 'may be', added)
    yield* listed('value-removed', fewer, 'is never', without(ours.values, theirs.values))
  } else if (ours.values && theirs.types.has('string')) {
    const message = `may be any text, but Understudy has one of ${[...ours.values].join(', ')}`
    yield { kind: 'values-opened', severity: 'additive', message }
  } else if (theirs.values && ours.types.has('string')) {
    yield { kind: 'values-closed', severity: fewer, message: `is one of ${[...theirs.values].join(', ')}` }
  }
}

/** Returns the values that are missing from the other set. */
function without(values: Shape['values'], others: ReadonlySet<string>): string[] {
  return [...(values ?? [])].filter((value) => !others.has(value))
}

/** Yields a single change for all values, if there are any. */
function* listed(
  kind: string,
  severity: Severity,
  lead: string,
  values: readonly string[],
): Generator<Change> {
  if (values.length > 0) yield { kind, severity, message: `${lead} ${values.join(', ')}`, values }
}

/** Limits that are less strict when larger. */
const upperLimits = new Set(['maxLength', 'maximum', 'exclusiveMaximum', 'maxItems'])

function* compareLimits(
  ours: Shape,
  theirs: Shape,
  { direction, isObserved }: CompareSetup,
): Generator<Change> {
  if (isObserved) return
  const [left, right] = [ours.limits, theirs.limits]
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])].filter(
    (name) => left[name] !== right[name],
  )
  if (names.length === 0) return
  const isWider = names.every((name) => {
    const [mine, other] = [left[name], right[name]]
    return other === undefined || (mine !== undefined && widens(name, mine, other))
  })
  const severity = direction === 'reply' ? 'info' : isWider ? 'additive' : 'breaking'
  const changes = names.map(
    (name) => `${name} ${right[name] ?? 'none'} (Understudy: ${left[name] ?? 'none'})`,
  )
  const values = names.map((name) => `${name} ${right[name] ?? 'none'}`)
  yield { kind: 'limit-changed', severity, message: `has ${changes.join('; ')}`, values }
}

/** Compares the deprecation of a field, parameter or operation. */
export function* compareDeprecation(
  ours: { readonly isDeprecated?: boolean },
  theirs: { readonly isDeprecated?: boolean },
): Generator<Change> {
  if (theirs.isDeprecated && !ours.isDeprecated)
    yield { kind: 'deprecated', severity: 'info', message: 'is deprecated' }
  if (ours.isDeprecated && !theirs.isDeprecated)
    yield { kind: 'undeprecated', severity: 'info', message: 'is deprecated only in Understudy' }
}

/** Returns true if the other limit allows more values than ours. Always false for patterns, which compare as NaN. */
function widens(name: string, mine: unknown, other: unknown): boolean {
  // mutation: equivalent (only limits that differ are compared)
  return upperLimits.has(name) ? Number(other) > Number(mine) : Number(other) < Number(mine)
}

function* compareObjects(
  ours: Shape,
  theirs: Shape,
  setup: CompareSetup,
  path: string,
  schema: string | undefined,
): Generator<Difference> {
  const { part, direction, isObserved } = setup
  const place = { part, path, schema }
  const added: string[] = []
  const generic = ours.objects.size === 1 ? ours.objects.get('') : undefined
  // In requests, an open object without a tag accepts every member of a union.
  if (direction === 'request' && generic?.isOpen && theirs.objects.size > 1) return
  for (const [tag, object] of theirs.objects) {
    const ourObject = ours.objects.get(tag) ?? ours.objects.get('') ?? onlyObject(ours, tag)
    const suffix = tag === '' || ours.objects.size < 2 ? '' : `[${tag}]`
    const objectPath = (path + suffix).replace(/\[\]\[/, '[')
    const objectSchema = object.schema ?? (schema && schema + suffix)
    if (ourObject) yield* compareFields(ourObject, object, setup, objectPath, objectSchema)
    else if (tag !== '') added.push(tag)
  }
  for (const change of listed('variant-added', 'additive', 'may be of type', added))
    yield { ...place, ...change }
  if (isObserved || theirs.objects.has('')) return
  const removed = [...ours.objects.keys()].filter((tag) => tag !== '' && !theirs.objects.has(tag))
  // Clients may wait for an event that is never sent.
  const severity = direction === 'reply' && part !== 'stream' ? 'info' : 'breaking'
  for (const change of listed('variant-removed', severity, 'is never of type', removed))
    yield { ...place, ...change }
}

/** Returns the only object of a shape as the counterpart of an untagged object. */
function onlyObject({ objects }: Shape, tag: string): ObjectShape | undefined {
  const [first, ...others] = objects.values()
  return tag === '' && others.length === 0 ? first : undefined
}

function* compareFields(
  ours: ObjectShape,
  theirs: ObjectShape,
  setup: CompareSetup,
  path: string,
  schema: string | undefined,
): Generator<Difference> {
  const names = new Set([...ours.fields.keys(), ...theirs.fields.keys()])
  for (const name of names) {
    const fieldPath = path === '' ? name : `${path}.${name}`
    const fieldSchema = schema && `${schema}.${name}`
    const [mine, other] = [ours.fields.get(name), theirs.fields.get(name)]
    const change = comparePresence(mine, other, ours, theirs, setup)
    if (change) yield { part: setup.part, path: fieldPath, schema: fieldSchema, ...change }
    if (mine && other) yield* compareShapes(mine.shape, other.shape, setup, fieldPath, fieldSchema)
  }
}

function comparePresence(
  mine: Field | undefined,
  other: Field | undefined,
  { isOpen, fields }: ObjectShape,
  { isOpen: isOpenThere }: ObjectShape,
  { direction, isObserved }: CompareSetup,
): Change | undefined {
  // An open object without declared fields has arbitrary fields.
  const isRecord = isOpen && fields.size === 0
  const isReply = direction === 'reply'
  if (!mine) {
    if (isReply) return isOpen ? undefined : { kind: 'field-added', severity: 'additive', message: 'is new' }
    if (other?.isRequired)
      return { kind: 'field-required', severity: 'breaking', message: 'is new and required' }
    if (isRecord) return undefined
    return { kind: 'field-added', severity: 'additive', message: 'is new' }
  }
  if (!other) {
    if (isReply && mine.isRequired)
      return { kind: 'field-removed', severity: 'breaking', message: 'is missing' }
    if (isObserved) return undefined
    if (isReply) return { kind: 'field-removed', severity: 'info', message: 'is not documented' }
    if (isOpenThere && !mine.isRequired) return undefined
    return { kind: 'field-removed', severity: 'breaking', message: 'is not accepted' }
  }
  if (mine.isRequired === other.isRequired) return undefined
  if (isReply) {
    if (mine.isRequired) return { kind: 'field-optional', severity: 'breaking', message: 'may be absent' }
    return isObserved ? undefined : { kind: 'field-required', severity: 'info', message: 'is always present' }
  }
  return other.isRequired
    ? { kind: 'field-required', severity: 'breaking', message: 'is required' }
    : { kind: 'field-optional', severity: 'additive', message: 'is optional' }
}

function words(types: ReadonlySet<TypeName>): string {
  return [...types].join(' or ')
}
