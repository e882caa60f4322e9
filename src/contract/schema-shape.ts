/**
 * The shape that a JSON Schema describes. References are followed when they are met, each once, so that a document of
 * any size costs what is looked at of it.
 */
import { isJson, type Json, type OpenApiDocument } from '../operations/document/openapi-document.ts'
import {
  type Field,
  intersectionOf,
  type ObjectShape,
  type Shape,
  type TypeName,
  tagFields,
  unionOf,
  unknownShape,
} from './shape.ts'

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

export class SchemaReader {
  readonly #document: OpenApiDocument
  readonly #known = new Map<string, Shape>()
  readonly #open = new Set<string>()

  constructor(document: OpenApiDocument) {
    this.#document = document
  }

  shapeOf(schema: unknown): Shape {
    if (!isJson(schema)) return unknownShape
    const { $ref } = schema
    if (typeof $ref !== 'string') return this.#read(schema)
    const known = this.#known.get($ref)
    if (known) return known
    // A schema inside itself: what it is was said outside.
    if (this.#open.has($ref)) return unknownShape
    this.#open.add($ref)
    const shape = this.#read(this.#document.resolve(schema) ?? {})
    this.#open.delete($ref)
    this.#known.set($ref, shape)
    return shape
  }

  #read(schema: Json): Shape {
    const alternatives = [schema['anyOf'], schema['oneOf']].filter(Array.isArray)
    const parts = Array.isArray(schema['allOf']) ? schema['allOf'] : []
    let shape = this.#own(schema)
    for (const members of alternatives) {
      const union = members.map((member) => this.shapeOf(member)).reduce(unionOf, unknownShape)
      shape = intersectionOf(shape, union)
    }
    for (const part of parts) shape = intersectionOf(shape, this.shapeOf(part))
    return schema['nullable'] === true && shape.types.size > 0
      ? { ...shape, types: new Set<TypeName>([...shape.types, 'null']) }
      : shape
  }

  #own(schema: Json): Shape {
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
    const object = { fields, isOpen: more === true || isJson(more) }
    return new Map(tagsOf(fields).map((tag) => [tag, object]))
  }
}

function typesOf(schema: Json): Set<TypeName> {
  const said = [schema['type']].flat().filter((type): type is TypeName => typeNames.has(String(type)))
  if (said.length > 0) return new Set(said)
  if ('const' in schema) return new Set([typeOfValue(schema['const'])])
  if (Array.isArray(schema['enum'])) return new Set(schema['enum'].map(typeOfValue))
  if ('properties' in schema || 'additionalProperties' in schema) return new Set(['object'])
  return new Set('items' in schema ? ['array'] : [])
}

function typeOfValue(value: unknown): TypeName {
  if (value === null) return 'null'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value as TypeName
}

/** The tags that an object of these fields may have; '' where no field tells. */
function tagsOf(fields: ReadonlyMap<string, Field>): string[] {
  for (const name of tagFields) {
    const values = fields.get(name)?.shape.values
    if (values && values.size > 0 && fields.get(name)?.isRequired)
      return [...values].map((value) => String(JSON.parse(value)))
  }
  return ['']
}
