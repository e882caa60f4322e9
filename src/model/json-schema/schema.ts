/**
 * Reads JSON Schemas that callers send, for the generator and the checker: resolves references, converts keywords of
 * older drafts, and applies limits. A keyword whose value has the wrong type counts as absent.
 */
import { isObject, listOf } from '../../lib/unchecked-json.ts'
import { readAt } from '../../lib/value-path.ts'
import type { JsonSchema, TypeName } from '../../resources/json-schema.ts'
import { type Budget, Exhausted } from './budget.ts'
import { maxText, screenPattern } from './patterns.ts'

type Bound =
  | `${'min' | 'max'}${'Items' | 'Length' | 'Properties'}`
  | `${'m' | 'exclusiveM'}${'in' | 'ax'}imum`
  | 'multipleOf'

/** `true` is read as `{}`, and `false` as `{ enum: [] }`. */
export interface Schema extends Readonly<Partial<Record<Bound, number>>> {
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
}

/** Thrown for an invalid schema, such as one with an unresolvable reference or an invalid pattern. */
export class InvalidSchema extends Error {
  override name = 'InvalidSchema'
}

type Node = Record<string, unknown>

const lists = /^(allOf|anyOf|oneOf|prefixItems)$/
const maps = /^(dependentSchemas|patternProperties|properties)$/
const nested =
  /^(if|then|else|not|contains|items|propertyNames|additionalProperties|unevaluated(Items|Properties))$/
const numbers = /^((min|max)(Contains|Items|Length|Properties)|(exclusive)?(min|max)imum)$/i
const unsupported = /^(\$dynamicRef|\$recursiveRef|dependencies)$/

export class SchemaReader {
  /** Descriptions of keywords and patterns that are neither satisfied nor checked. */
  readonly ignored = new Set<string>()
  readonly #root: JsonSchema
  readonly #budget: Budget
  readonly #nodes = new Map<object, Node>()
  /** Targets of references, which are read one after another, because chains of references can be long. */
  readonly #unread: [source: Node, node: Node][] = []
  readonly #prototype: object
  /** Length of the longest array in `enum`, `const`, `default` and `examples`. */
  #longest = 0
  /** Length of the longest text or name to which a pattern may apply. */
  #longestText = 0
  #hasPattern = false

  constructor(root: JsonSchema, budget: Budget) {
    this.#root = root
    this.#budget = budget
    const costOf = (node: Schema) => this.#costOf(node)
    this.#prototype = {
      // The validator reads this keyword once for each pair of schema and value, which counts its steps.
      get __absolute_ref__() {
        return void budget.step(costOf(this as Schema))
      },
    }
  }

  /** Throws `InvalidSchema` or `Exhausted`. */
  read(): Schema {
    const schema = this.#read(this.#root)
    for (let next = this.#unread.pop(); next; next = this.#unread.pop()) this.#fill(...next)
    if (this.#hasPattern && this.#longestText > maxText)
      throw new Exhausted(`more than ${maxText} characters in a text that patterns may apply to`)
    return schema
  }

  /** Returns the steps of one validation. Listed values are compared one by one, and unique items with each other. */
  #costOf({ enum: listed = [], uniqueItems, minItems = 0 }: Schema): number {
    const items = uniqueItems ? Math.max(this.#longest, minItems) : 0
    return 10 + listed.length / 10 + items ** 2 / 1000
  }

  #read(source: unknown): Node {
    if (!isObject(source)) return this.#add(Object(source), source === false ? { enum: [] } : {})
    const known = this.#nodes.get(source)
    if (known) return known
    const node = this.#add(source)
    this.#fill(source, node)
    return node
  }

  #add(source: Node, keywords: Node = {}): Node {
    this.#budget.spend('schema parts')
    const node = Object.assign(Object.create(this.#prototype), keywords)
    this.#nodes.set(source, node)
    return node
  }

  #fill(source: Node, node: Node): void {
    for (const [keyword, value] of Object.entries(source)) {
      const read = this.#readKeyword(keyword, value)
      if (read !== undefined) node[keyword] = read
    }
    const { items, examples, example, $ref } = source
    if ('const' in source) node['enum'] = this.#measured([source['const']])
    const samples = [...listOf(examples), example, source['default']].filter((each) => each != null)
    if (samples.length > 0) node['samples'] = this.#measured(samples)
    if (Array.isArray(items)) {
      node['prefixItems'] = items.map((each) => this.#read(each))
      node['items'] = this.#read(source['additionalItems'])
    }
    // In draft 4, these are flags.
    if (source['exclusiveMinimum'] === true) node['exclusiveMinimum'] = node['minimum']
    if (source['exclusiveMaximum'] === true) node['exclusiveMaximum'] = node['maximum']
    if (typeof $ref === 'string') node['allOf'] = [...listOf(node['allOf']), this.#follow($ref)]
  }

  #readKeyword(keyword: string, value: unknown): unknown {
    if (unsupported.test(keyword)) this.ignored.add(`'${keyword}'`)
    if (numbers.test(keyword)) return typeof value === 'number' ? value : undefined
    if (nested.test(keyword)) return isSchema(value) ? this.#read(value) : undefined
    if (lists.test(keyword))
      return listOf(value).length > 0 ? listOf(value).map((each) => this.#read(each)) : undefined
    if (maps.test(keyword)) return isObject(value) ? this.#readMap(keyword, value) : undefined
    switch (keyword) {
      case 'type':
        return typeof value === 'string' ? [value] : Array.isArray(value) ? value : undefined
      case 'enum':
        return Array.isArray(value) ? this.#measured(value) : undefined
      case 'required':
        return Array.isArray(value)
          ? this.#measured(value.filter((each) => typeof each === 'string'))
          : undefined
      case 'dependentRequired':
        return isObject(value) && Object.values(value).every(Array.isArray) ? value : undefined
      case 'format':
        return typeof value === 'string' ? value.replace(/^idn-/, '').replace(/^iri/, 'uri') : undefined
      case 'pattern':
        return typeof value === 'string' ? this.#screen(value) : undefined
      case 'multipleOf':
        return typeof value === 'number' && value > 0 ? value : undefined
      case 'uniqueItems':
        return value === true
      default:
        return undefined
    }
  }

  #readMap(keyword: string, map: Node): Node {
    const entries = Object.entries(map).flatMap(([name, each]) => {
      const key = keyword === 'patternProperties' ? this.#screen(name) : this.#measured(name)
      return key === undefined ? [] : [[key, this.#read(each)] as const]
    })
    return Object.fromEntries(entries)
  }

  /** Returns the target of a reference, which is a JSON pointer into the root schema. */
  #follow(reference: string): Node {
    const steps = reference.split('/').slice(1)
    const keys = steps.map((step) => step.replace(/(?:%[\da-f]{2})+/gi, decodeURIComponent))
    const path = keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    const target = /^#(\/|$)/.test(reference) ? readAt(this.#root, path) : undefined
    if (!isSchema(target)) throw new InvalidSchema(`the reference '${reference}' cannot be resolved`)
    if (typeof target === 'boolean' || this.#nodes.has(target)) return this.#read(target)
    const node = this.#add(target)
    this.#unread.push([target, node])
    return node
  }

  /** Returns a pattern that can be checked and generated, or undefined. Throws `InvalidSchema` if it is invalid. */
  #screen(pattern: string): string | undefined {
    try {
      this.#hasPattern = true
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
    if (typeof value === 'string') this.#longestText = Math.max(this.#longestText, value.length)
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) this.#longest = Math.max(this.#longest, value.length)
    for (const each of Object.values(value)) this.#measured(each)
    return value
  }
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isObject(value)
}
