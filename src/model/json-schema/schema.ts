/**
 * Reads JSON Schemas that callers send, for the generator and the checker: resolves references, converts keywords of
 * older drafts, and applies limits. A keyword whose value has the wrong type counts as absent.
 */
import { isObject, listOf } from '../../lib/unchecked-json.ts'
import { readAt } from '../../lib/value-path.ts'
import type { JsonSchema, TypeName } from '../../resources/json-schema.ts'
import type { Budget } from './budget.ts'
import { screenPattern } from './patterns.ts'

export type Schema = boolean | SchemaNode

export interface SchemaNode {
  readonly type?: readonly TypeName[]
  /** Values of `enum` or `const`. */
  readonly enum?: readonly unknown[]
  /** Values of `examples`, `example` and `default`, except null. They need not match the schema. */
  readonly samples?: readonly unknown[]
  /** Includes the target of `$ref`. */
  readonly allOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema
  readonly required?: readonly string[]
  readonly prefixItems?: readonly Schema[]
  readonly items?: Schema
  readonly contains?: Schema
  readonly uniqueItems?: boolean
  readonly pattern?: string
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  readonly multipleOf?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly minProperties?: number
  readonly maxProperties?: number
}

/** Thrown for an invalid schema, such as one with an unresolvable reference or an invalid pattern. */
export class InvalidSchema extends Error {
  override name = 'InvalidSchema'
}

type Node = Record<string, unknown>

/** Keywords for schemas that apply to the same value as the schema that contains them. */
const inPlace = {
  lists: ['allOf', 'anyOf', 'oneOf'],
  single: ['if', 'then', 'else', 'not'],
  maps: ['dependentSchemas'],
}
const keywords = {
  lists: [...inPlace.lists, 'prefixItems'],
  single: [
    ...inPlace.single,
    ...[
      'additionalProperties',
      'contains',
      'items',
      'propertyNames',
      'unevaluatedItems',
      'unevaluatedProperties',
    ],
  ],
  maps: [...inPlace.maps, 'patternProperties', 'properties'],
  numbers: [
    ...['Contains', 'Items', 'Length', 'Properties'].flatMap((what) => [`min${what}`, `max${what}`]),
    ...['exclusiveMaximum', 'exclusiveMinimum', 'maximum', 'minimum'],
  ],
  ignored: ['$dynamicRef', '$recursiveRef', 'dependencies'],
}

export class SchemaReader {
  /** Descriptions of keywords and patterns that are neither satisfied nor checked. */
  readonly ignored = new Set<string>()
  readonly #root: JsonSchema
  readonly #budget: Budget
  readonly #nodes = new Map<object, Node>()
  /** Targets of references, which are read one after another, because chains of references can be long. */
  readonly #unread: [source: Node, node: Node][] = []
  readonly #heights = new Map<unknown, number>()
  readonly #prototype: object
  /** Length of the longest array in `enum`, `const`, `default` and `examples`. */
  #longest = 0

  constructor(root: JsonSchema, budget: Budget) {
    this.#root = root
    this.#budget = budget
    const costOf = (node: SchemaNode) => this.#costOf(node)
    this.#prototype = {
      // The validator reads this keyword once for each pair of schema and value, which counts its steps.
      get __absolute_ref__() {
        return void budget.step(costOf(this as SchemaNode))
      },
    }
  }

  /** Throws `InvalidSchema` or `Exhausted`. */
  read(): Schema {
    const schema = this.#read(this.#root)
    for (let next = this.#unread.pop(); next; next = this.#unread.pop()) this.#fill(...next)
    for (const node of this.#nodes.values()) this.heightOf(node)
    return schema
  }

  /** Returns the number of schemas, nested in each other, that apply to the same value. */
  heightOf(schema: unknown): number {
    if (!isObject(schema)) return 0
    const known = this.#heights.get(schema)
    if (known === Infinity) throw new InvalidSchema('a reference leads back to itself')
    if (known !== undefined) return known
    this.#heights.set(schema, Infinity)
    const inner = [
      ...inPlace.single.map((keyword) => schema[keyword]),
      ...[...inPlace.lists, ...inPlace.maps].flatMap((keyword) => Object.values(Object(schema[keyword]))),
    ]
    const height = this.#budget.deeper(() => Math.max(0, ...inner.map((each) => 1 + this.heightOf(each))))
    this.#heights.set(schema, height)
    return height
  }

  /** Returns the steps of one validation. Listed values are compared one by one, and unique items with each other. */
  #costOf({ enum: listed = [], uniqueItems, minItems = 0 }: SchemaNode): number {
    const items = uniqueItems ? Math.max(this.#longest, minItems) : 0
    return 10 + listed.length / 10 + items ** 2 / 1000
  }

  #read(source: unknown): Schema {
    if (!isObject(source)) return source !== false
    const known = this.#nodes.get(source)
    if (known) return known
    const node = this.#add(source)
    this.#budget.deeper(() => this.#fill(source, node))
    return node
  }

  #add(source: Node): Node {
    this.#budget.spend('schema parts')
    const node = Object.create(this.#prototype)
    this.#nodes.set(source, node)
    return node
  }

  #fill(source: Node, node: Node): void {
    for (const keyword of keywords.ignored) if (keyword in source) this.ignored.add(`'${keyword}'`)
    for (const keyword of keywords.numbers)
      if (typeof source[keyword] === 'number') node[keyword] = source[keyword]
    for (const keyword of keywords.single)
      if (isSchema(source[keyword])) node[keyword] = this.#read(source[keyword])
    for (const keyword of keywords.lists) {
      const schemas = listOf(source[keyword]).map((each) => this.#read(each))
      if (schemas.length > 0) node[keyword] = schemas
    }
    for (const keyword of keywords.maps)
      if (isObject(source[keyword])) node[keyword] = this.#readMap(keyword, source[keyword])
    this.#fillScalars(source, node)
    if (Array.isArray(source['items'])) {
      node['prefixItems'] = source['items'].map((each) => this.#read(each))
      node['items'] = this.#read(source['additionalItems'])
    }
    if (typeof source['$ref'] === 'string')
      node['allOf'] = [...listOf(node['allOf']), this.#follow(source['$ref'])]
  }

  #readMap(keyword: string, map: Node): Node {
    const entries = Object.entries(map).flatMap(([name, each]) => {
      const key = keyword === 'patternProperties' ? this.#screen(name) : name
      return key === undefined ? [] : [[key, this.#read(each)] as const]
    })
    return Object.fromEntries(entries)
  }

  #fillScalars(source: Node, node: Node): void {
    const { type, required, dependentRequired, multipleOf, pattern, format, examples, example } = source
    if (typeof type === 'string') node['type'] = [type]
    if (Array.isArray(type)) node['type'] = type.filter(isText)
    if (Array.isArray(required)) node['required'] = required.filter(isText)
    if (isObject(dependentRequired) && Object.values(dependentRequired).every(Array.isArray))
      node['dependentRequired'] = dependentRequired
    const listed = 'const' in source ? [source['const']] : source['enum']
    if (Array.isArray(listed)) node['enum'] = this.#measured(listed)
    const samples = [...listOf(examples), example, source['default']].filter((each) => each != null)
    if (samples.length > 0) node['samples'] = this.#measured(samples)
    if (isText(format)) node['format'] = format.replace(/^idn-/, '').replace(/^iri/, 'uri')
    if (isText(pattern)) node['pattern'] = this.#screen(pattern)
    if (source['uniqueItems'] === true) node['uniqueItems'] = true
    if (typeof multipleOf === 'number' && multipleOf > 0) node['multipleOf'] = multipleOf
    // In draft 4, these are flags.
    if (source['exclusiveMinimum'] === true) node['exclusiveMinimum'] = node['minimum']
    if (source['exclusiveMaximum'] === true) node['exclusiveMaximum'] = node['maximum']
  }

  /** Returns the target of a reference, which is a JSON pointer into the root schema. */
  #follow(reference: string): Schema {
    const steps = reference.split('/').slice(1)
    const keys = steps.map((step) => step.replace(/(?:%[\da-f]{2})+/gi, decodeURIComponent))
    const path = keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    const target = /^#(\/|$)/.test(reference) ? readAt(this.#root, path) : undefined
    if (!isSchema(target)) throw new InvalidSchema(`the reference '${reference}' cannot be resolved`)
    if (typeof target === 'boolean') return target
    const known = this.#nodes.get(target)
    if (known) return known
    const node = this.#add(target)
    this.#unread.push([target, node])
    return node
  }

  /** Returns a pattern that can be checked and generated, or undefined. Throws `InvalidSchema` if it is invalid. */
  #screen(pattern: string): string | undefined {
    try {
      const screened = screenPattern(pattern)
      if (screened === undefined) this.ignored.add(`the pattern '${pattern.slice(0, 100)}'`)
      return screened
    } catch (error) {
      throw new InvalidSchema((error as SyntaxError).message)
    }
  }

  /** Counts the parts of listed values. */
  #measured<Value>(value: Value): Value {
    this.#budget.spend('schema parts')
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) this.#longest = Math.max(this.#longest, value.length)
    this.#budget.deeper(() => {
      for (const each of Object.values(value)) this.#measured(each)
    })
    return value
  }
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isObject(value)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
