/**
 * Finds an OpenAPI document's resources. A resource is a path such as `/files`, whose operations create,
 * list, read, change and delete records, mostly at `/files/{id}`. Paths are read when the gateway is created,
 * schemas on first use.
 */

import { isSchema, propertiesOf, References, schemasAt } from '../../model/json-schema/schema.ts'
import { shapeOf } from '../../operation.ts'
import type { JsonSchema, SchemaObject } from '../../resources/json-schema.ts'
import type { PathOperation } from '../documents/openapi-document.ts'

export type Verb = 'create' | 'list' | 'get' | 'update' | 'put' | 'delete'

/** A path's operations, which share its records. */
export interface Resource<Operation> {
  /** The list's path, such as `/workspaces/{id}/budgets`. */
  readonly path: string
  /** Normalised names of fields that can identify a record, most likely first. */
  readonly keyNames: readonly string[]
  /** Noun for generated ids, such as `budget`. */
  readonly noun: string
  readonly operations: ReadonlyMap<Verb, Operation>
}

type Routed = Pick<PathOperation, 'method' | 'route'>

/**
 * Groups operations by the path of their records. A resource needs an operation that creates records, and one
 * that uses them. Paths with operations in `existing` are omitted, because those operations store their own
 * records.
 */
export function resourcesOf<Operation extends { readonly source: Routed }>(
  operations: readonly Operation[],
  existing: readonly { readonly path: string }[],
): Resource<Operation>[] {
  const groups = new Map<
    string,
    { path: string; parameter: string | undefined; verbs: Map<Verb, Operation> }
  >()
  for (const operation of operations) {
    const { method, route } = operation.source
    const [, parent, parameter] = /^(.*)\/\{([^/{}]*)\}$/.exec(route) ?? []
    const verb = parent === undefined ? verbsOfList[method] : verbsOfRecord[method]
    if (!verb) continue
    const path = parent ?? route
    const group = groups.get(shapeOf(path)) ?? { path, parameter: undefined, verbs: new Map() }
    groups.set(shapeOf(path), group)
    group.parameter ??= parameter
    group.verbs.set(verb, operation)
  }
  const taken = new Set(existing.map(({ path }) => shapeOf(path).replace(/\/\{\}$/, '')))
  return [...groups].flatMap(([shape, { path, parameter, verbs }]) => {
    const isComplete = verbs.size > 1 && (verbs.has('create') || verbs.has('put'))
    if (!isComplete || taken.has(shape)) return []
    const noun = singular(path)
    return [{ path, keyNames: keyNames(parameter ?? 'id', noun), noun, operations: verbs }]
  })
}

const verbsOfList: Readonly<Record<string, Verb>> = { post: 'create', get: 'list' }
const verbsOfRecord: Readonly<Record<string, Verb>> = {
  get: 'get',
  patch: 'update',
  put: 'put',
  delete: 'delete',
}

/** Returns the last word in a path, in the singular: `entry` for `/report-entries`. */
export function singular(path: string): string {
  const [word = 'record'] = path.match(/[A-Za-z]{2,}(?=[^A-Za-z]*$)/) ?? []
  return word
    .toLowerCase()
    .replace(/ies$/, 'y')
    .replace(/(s|x|ch|sh)es$/, '$1')
    .replace(/([^s])s$/, '$1')
}

/** Returns the possible names of the field that a path parameter refers to: `file_id`, then `id`. */
function keyNames(parameter: string, noun: string): string[] {
  const name = normalised(parameter)
  const short = name.replace(new RegExp(`^${noun}`), '')
  const suffix = name.replace(/.*(id|name|slug|key|hash|number)$/, '$1')
  return [...new Set([name, short, suffix, 'id'])].filter((each) => each !== '')
}

/** Normalises case and separators in a name, so that `fileId` equals `file_id`. */
export function normalised(name: string): string {
  return name.toLowerCase().replace(/[^a-z\d]/g, '')
}

/** Describes where a reply contains its records. */
export interface Layout {
  /** Field that contains the record or list; undefined if the whole reply is one. */
  readonly field: string | undefined
  /** Name of the field that identifies a record. */
  readonly key: string
  /** Returns a scalar field's schema without its examples. */
  readonly bare: (field: string) => JsonSchema
  /** Schemas of a record's fields by name. A field can have several schemas. */
  readonly fields: ReadonlyMap<string, readonly JsonSchema[]>
}

/** Finds the record or list of records in a reply's schema. Returns undefined if there is none. */
export function layoutOf(root: SchemaObject, names: readonly string[], isList: boolean): Layout | undefined {
  const parts = new SchemaParts(root)
  const at = (schemas: readonly JsonSchema[], field: string | undefined): Layout | undefined => {
    const fields = parts.fields(isList ? parts.items(schemas) : schemas)
    const key = names.flatMap((name) => keyIn(fields, name) ?? [])[0]
    if (key === undefined) return undefined
    return { field, key, fields, bare: (name) => parts.bare(fields.get(name) ?? []) }
  }
  const whole = at([root], undefined)
  if (whole) return whole
  const inner = [...parts.fields([root])].flatMap(([field, schemas]) => at(schemas, field) ?? [])
  return inner.find(({ field }) => field === 'data') ?? inner[0]
}

/**
 * Returns the field with this name or, without one, a field whose name ends with it: `reset_interval` for `interval`.
 */
function keyIn(fields: ReadonlyMap<string, unknown>, name: string): string | undefined {
  const all = [...fields.keys()]
  const exact = all.find((field) => normalised(field) === name)
  return exact ?? (name === 'id' ? undefined : all.find((field) => normalised(field).endsWith(name)))
}

/** Reads schemas, including references and combinations. */
class SchemaParts {
  readonly #references: References

  constructor(root: SchemaObject) {
    this.#references = new References(root)
  }

  /** Returns the schemas of all properties by name. */
  fields(schemas: readonly JsonSchema[]): Map<string, JsonSchema[]> {
    const fields = new Map<string, JsonSchema[]>()
    for (const part of this.#parts(schemas))
      for (const [name, schema] of propertiesOf(part)) fields.set(name, [...(fields.get(name) ?? []), schema])
    return fields
  }

  /** Returns the schemas of array items. */
  items(schemas: readonly JsonSchema[]): JsonSchema[] {
    return this.#parts(schemas).flatMap(({ items }) => (isSchema(items) ? [items] : []))
  }

  /** Merges a scalar's schemas, without references and examples. */
  bare(schemas: readonly JsonSchema[]): SchemaObject {
    const merged = Object.assign({}, ...this.#parts(schemas.slice(0, 1)))
    for (const keyword of ['$ref', 'allOf', 'anyOf', 'oneOf', 'default', 'example', 'examples'])
      delete merged[keyword]
    return merged
  }

  #parts(schemas: readonly JsonSchema[], seen = new Set<JsonSchema>()): SchemaObject[] {
    return schemas.flatMap((schema) => {
      if (typeof schema === 'boolean' || seen.has(schema)) return []
      seen.add(schema)
      const combined = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => schemasAt(schema, keyword))
      const target = this.#references.follow(schema)
      return [schema, ...this.#parts(isSchema(target) ? [target, ...combined] : combined, seen)]
    })
  }
}
