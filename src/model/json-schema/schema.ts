/**
 * Reads JSON Schemas that callers send, for the generator and the validator: resolves references, converts keywords of
 * older drafts, and applies limits. A keyword whose value has the wrong type counts as absent.
 */
import { validate } from '@cfworker/json-schema'
import { fieldsOf, isObject, listOf } from '../../lib/unchecked-json.ts'
import { readAt } from '../../lib/value-path.ts'
import type { JsonSchema, TypeName } from '../../resources/json-schema.ts'
import { type Budget, Exhausted } from './budget.ts'
import { maxText, screenPattern } from './patterns.ts'

type Bound =
  | `${'min' | 'max'}${'Items' | 'Length' | 'Properties'}`
  | `${'m' | 'exclusiveM'}${'in' | 'ax'}imum`
  | 'multipleOf'

/** Booleans are read as `{}` or `{ enum: [] }`. */
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
  readonly propertyNames?: Schema
  readonly required?: readonly string[]
  readonly prefixItems?: readonly Schema[]
  readonly items?: Schema
  readonly contains?: Schema
  readonly uniqueItems?: boolean
  readonly pattern?: string
  readonly format?: string
}

/** Thrown for a schema that is invalid, contradicts itself or accepts only infinite values. */
export class InvalidSchema extends Error {}

const maxSchemaParts = 200_000
const maxSchemaLevels = 300

/** Returns the reason why the schema rejects the value, such as `a/0: String is too short (1 < 2).`, or undefined. */
export function problemOf(value: unknown, schema: Schema): string | undefined {
  try {
    // References have been resolved, so there is nothing to look up.
    const innermost = validate(value, schema as object, '2020-12', {}).errors.at(-1)
    return innermost && `${innermost.instanceLocation.slice(2)}: ${innermost.error}`.replace(/^: /, '')
  } catch (error) {
    // Schemas that lead back to themselves overflow the validator's stack.
    throw error instanceof RangeError ? new Exhausted('nested too deeply') : error
  }
}

type Node = Record<string, unknown>

const lists = /^(allOf|anyOf|oneOf|prefixItems)$/
const maps = /^(dependentSchemas|patternProperties|properties)$/
const nested =
  /^(if|then|else|not|contains|items|propertyNames|additionalProperties|unevaluated(Items|Properties))$/
const numbers = /^((min|max)(Contains|Items|Length|Properties)|(exclusive)?(min|max)imum)$/i
const unsupported = /^(\$dynamicRef|\$recursiveRef|dependencies)$/

/**
 * Returns the schema, and the keywords and patterns that are neither satisfied nor checked. Throws `InvalidSchema` or
 * `Exhausted`.
 *
 * @param budget Pays for each validation with the schema.
 */
export function readSchema(root: JsonSchema, budget: Budget): { schema: Schema; ignored: Set<string> } {
  const { longestText, longestList } = measure(root)
  const ignored = new Set<string>()
  const nodes = new Map<object, Node>()
  /** Targets of references, which are read one after another, because chains of references can be long. */
  const unread: [source: Node, node: Node][] = []
  const prototype = {
    // The validator reads this keyword once for each pair of schema and value, which counts its steps. It compares
    // listed values one by one, and unique items with each other.
    get __absolute_ref__() {
      const { enum: listed = [], uniqueItems, minItems = 0 } = this as Schema
      const items = uniqueItems ? Math.max(longestList, minItems) : 0
      return void budget.spend(10 + listed.length / 10 + items ** 2 / 1000)
    },
  }

  function read(source: unknown): Node {
    if (!isObject(source)) return add({}, source === false ? { enum: [] } : {})
    return nodes.get(source) ?? fill(source, add(source))
  }

  function add(source: object, keywords: Node = {}): Node {
    const node = Object.assign(Object.create(prototype), keywords)
    nodes.set(source, node)
    return node
  }

  function fill(source: Node, node: Node): Node {
    for (const [keyword, value] of Object.entries(source)) {
      const known = readKeyword(keyword, value)
      if (known !== undefined) node[keyword] = known
    }
    const { items, examples, example, $ref } = source
    if ('const' in source) node['enum'] = [source['const']]
    const samples = [...listOf(examples), example, source['default']].filter((each) => each != null)
    if (samples.length > 0) node['samples'] = samples
    if (Array.isArray(items)) {
      node['prefixItems'] = items.map(read)
      node['items'] = read(source['additionalItems'])
    }
    // In draft 4, these are flags.
    if (source['exclusiveMinimum'] === true) node['exclusiveMinimum'] = node['minimum']
    if (source['exclusiveMaximum'] === true) node['exclusiveMaximum'] = node['maximum']
    if (typeof $ref === 'string') node['allOf'] = [...listOf(node['allOf']), follow($ref)]
    return node
  }

  function readKeyword(keyword: string, value: unknown): unknown {
    if (unsupported.test(keyword)) ignored.add(`'${keyword}'`)
    if (nested.test(keyword)) return isSchema(value) ? read(value) : undefined
    if (typeof value === 'number') {
      const isBound = numbers.test(keyword) || (keyword === 'multipleOf' && value > 0)
      return isBound ? value : undefined
    }
    if (typeof value === 'string') {
      if (keyword === 'type') return [value]
      if (keyword === 'format') return value.replace(/^idn-/, '').replace(/^iri/, 'uri')
      return keyword === 'pattern' ? screen(value) : undefined
    }
    if (Array.isArray(value)) {
      if (keyword === 'required') return value.filter((each) => typeof each === 'string')
      if (lists.test(keyword)) return value.length > 0 ? value.map(read) : undefined
      return keyword === 'type' || keyword === 'enum' ? value : undefined
    }
    if (isObject(value)) {
      if (maps.test(keyword)) return readMap(keyword, value)
      const isDependent = keyword === 'dependentRequired' && Object.values(value).every(Array.isArray)
      return isDependent ? value : undefined
    }
    return keyword === 'uniqueItems' && value === true ? true : undefined
  }

  function readMap(keyword: string, map: Node): Node {
    const entries = Object.entries(map).flatMap(([name, each]) => {
      const key = keyword === 'patternProperties' ? screen(name) : name
      return key === undefined ? [] : [[key, read(each)] as const]
    })
    return Object.fromEntries(entries)
  }

  /** Returns the target of a reference, which is a JSON pointer into the root schema. */
  function follow(reference: string): Node {
    const isLocal = /^#(\/|$)/.test(reference)
    const steps = reference.split('/').slice(1).map(decoded)
    const path = steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    const target = isLocal ? readAt(root, path) : undefined
    if (!isSchema(target)) throw new InvalidSchema(`the reference '${reference}' cannot be resolved`)
    if (typeof target === 'boolean' || nodes.has(target)) return read(target)
    const node = add(target)
    unread.push([target, node])
    return node
  }

  /** Returns a pattern that can be checked and generated, or undefined. */
  function screen(pattern: string): string | undefined {
    if (longestText > maxText) throw new Exhausted(`more than ${maxText} characters that match a pattern`)
    try {
      const screened = screenPattern(pattern)
      if (screened === undefined) ignored.add(`the pattern '${pattern.slice(0, 100)}'`)
      return screened
    } catch (error) {
      throw new InvalidSchema((error as SyntaxError).message)
    }
  }

  const schema = read(root)
  for (let next = unread.pop(); next; next = unread.pop()) fill(...next)
  return { schema, ignored }
}

/** Decodes `%20` in a step of a reference, unless it contains a `%` of its own. */
function decoded(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isObject(value)
}

/** Returns the lengths of a schema's longest list, and of its longest text or name except descriptions. */
function measure(root: unknown): { longestText: number; longestList: number } {
  let [parts, levels, longestText, longestList] = [0, 0, 0, 0]
  for (let level = [root]; level.length > 0; levels++) {
    parts += level.length
    if (parts > maxSchemaParts) throw new Exhausted(`more than ${maxSchemaParts} schema parts`)
    if (levels > maxSchemaLevels) throw new Exhausted(`more than ${maxSchemaLevels} levels`)
    level = level.flatMap((part) => {
      if (typeof part === 'string') longestText = Math.max(longestText, part.length)
      if (Array.isArray(part)) longestList = Math.max(longestList, part.length)
      const entries = Object.entries(fieldsOf(part))
      return entries.flatMap(([key, value]) =>
        key === 'description' && typeof value === 'string' ? [] : [key, value],
      )
    })
  }
  return { longestText, longestList }
}
