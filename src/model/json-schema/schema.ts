/** Reads callers' JSON Schemas: resolves references, converts older keywords, omits invalid ones, and applies limits. */
import { format as formats, validate } from '@cfworker/json-schema'
import { fieldsOf, isObject, listOf, lookUp } from '../../lib/json.ts'
import { readPointer } from '../../lib/value-path.ts'
import type { JsonSchema, TypeName } from '../../resources/json-schema.ts'
import { type Budget, Exhausted } from './budget.ts'
import { maxText, screenPattern } from './strings.ts'

type Keywords<Name extends string, Value> = { readonly [Key in Name]?: Value }

/** `const` is read as `enum`, references as part of `allOf`, and dependencies as `dependentSchemas`. */
export interface Schema
  extends Keywords<`${'min' | 'max'}${'Contains' | 'Items' | 'Length' | 'Properties'}`, number>,
    Keywords<`${'m' | 'exclusiveM'}${'in' | 'ax'}imum` | 'multipleOf', number>,
    Keywords<'allOf' | 'anyOf' | 'oneOf' | 'prefixItems', readonly Schema[]>,
    Keywords<'properties' | 'patternProperties' | 'dependentSchemas', Readonly<Record<string, Schema>>>,
    Keywords<'items' | 'contains' | 'not' | 'if' | 'then' | 'else', Schema>,
    Keywords<'additionalProperties' | 'unevaluatedProperties' | 'propertyNames', Schema>,
    Keywords<'pattern' | 'format', string> {
  readonly type?: readonly TypeName[]
  readonly enum?: readonly unknown[]
  /** Values of `examples`, `example` and `default`, except null. They need not match the schema. */
  readonly samples?: readonly unknown[]
  readonly required?: readonly string[]
  readonly uniqueItems?: boolean
  /** Constraints that the description states in words. They may contradict the schema. */
  readonly description?: Schema
}

/** Thrown for a schema that is invalid, contradicts itself or accepts only infinitely nested values. */
export class InvalidSchema extends Error {}

const maxParts = 200_000

/** Returns the reason why the schema rejects the value, such as `a/0: minLength: String is too short (1 < 2).`, or undefined. */
export function problemOf(value: unknown, schema: Schema): string | undefined {
  const innermost = validate(value, schema as object, '2020-12', {}).errors.at(-1)
  const { instanceLocation = '', keyword, error } = innermost ?? {}
  return innermost && `${instanceLocation.slice(2)}: ${keyword}: ${error}`.replace(/^: /, '')
}

type Node = Record<string, unknown>

const lists = /^(allOf|anyOf|oneOf|prefixItems)$/
const maps = /^(dependentSchemas|patternProperties|properties)$/
const nested =
  /^(if|then|else|not|contains|items|propertyNames|additionalProperties|unevaluated(Items|Properties))$/
const numbers = /^((min|max)(Contains|Items|Length|Properties)|(exclusive)?(min|max)imum|multipleOf)$/i

/** A constraint in a description. Clients write it there for APIs that reject the keyword. */
const constraint =
  /(?<!not? )\b((?:greater|lower) than(?: or equal to)?|(?:exact|minimum|maximum) length|(?:exclusive ?)?[Mm](?:in|ax)imum|(?:min|max) ?(?:[Ll]ength|[Ii]tems|[Pp]roperties)|multiple ?[Oo]f|format|a valid):? "?(?:(-?\d+(?:\.\d+)?)|([a-z-]+))/g
const keywordsInWords: Readonly<Record<string, readonly string[]>> = {
  greaterThan: ['exclusiveMinimum'],
  greaterThanOrEqualTo: ['minimum'],
  lowerThan: ['exclusiveMaximum'],
  lowerThanOrEqualTo: ['maximum'],
  minimumLength: ['minLength', 'minItems'],
  maximumLength: ['maxLength', 'maxItems'],
  exactLength: ['minLength', 'maxLength', 'minItems', 'maxItems'],
  aValid: ['format'],
}

/** `ignored` patterns are neither satisfied nor checked. Throws `InvalidSchema` or `Exhausted`. */
export function readSchema(root: JsonSchema, budget: Budget): { schema: Schema; ignored: Set<string> } {
  const { longestText, longestList } = measure(root)
  const ignored = new Set<string>()
  const nodes = new Map<object, Node>()
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
    const keywords = isObject(source) ? source : source === false ? { enum: [] } : {}
    const known = nodes.get(keywords)
    if (known) return known
    const node: Node = Object.create(prototype)
    nodes.set(keywords, node)
    for (const [keyword, value] of Object.entries(keywords)) {
      const inner = readKeyword(keyword, value)
      if (inner !== undefined) node[keyword] = inner
    }
    const { $ref, items, examples, example, dependentRequired, dependencies } = keywords
    if ('const' in keywords) node['enum'] = [keywords['const']]
    const samples = [...listOf(examples), example, keywords['default']].filter((each) => each != null)
    if (samples.length > 0) node['samples'] = samples
    if (Array.isArray(items)) {
      node['prefixItems'] = items.map(read)
      node['items'] = read(keywords['additionalItems'])
    }
    if (typeof $ref === 'string') node['allOf'] = [...listOf(node['allOf']), read(targetOf($ref))]
    const dependent = [dependentRequired, dependencies].flatMap((map) => Object.entries(fieldsOf(map)))
    for (const [name, each] of dependent) {
      const others = fieldsOf(node['dependentSchemas'])
      const allOf = [lookUp(others, name) ?? {}, read(listed(each) ? { required: each } : each)]
      node['dependentSchemas'] = { ...others, [name]: { allOf } }
    }
    return node
  }

  function readKeyword(keyword: string, value: unknown): unknown {
    if (nested.test(keyword)) return isSchema(value) ? read(value) : undefined
    if (lists.test(keyword)) return Array.isArray(value) && value.length > 0 ? value.map(read) : undefined
    if (maps.test(keyword)) return isObject(value) ? readMap(keyword, value) : undefined
    if (numbers.test(keyword)) return typeof value === 'number' ? value : undefined
    switch (keyword) {
      case 'type':
        return typeof value === 'string' ? [value] : listed(value)
      case 'enum':
        return listed(value)
      case 'required':
        return listed(value)?.filter((each) => typeof each === 'string')
      case 'uniqueItems':
        return value === true || undefined
      case 'format': {
        const format = String(value).replace(/^idn-/, '').replace(/^iri/, 'uri')
        return Object.hasOwn(formats, format) ? format : undefined
      }
      case 'description': {
        const constraints = constraintsIn(String(value))
        return constraints && read(constraints)
      }
      case '$dynamicRef':
      case '$recursiveRef':
        throw new InvalidSchema(`${keyword} is not supported: use $ref`)
      case 'pattern':
        return typeof value === 'string' ? screen(value) : undefined
      default:
        return undefined
    }
  }

  function readMap(keyword: string, map: Node): Node {
    const entries = Object.entries(map).flatMap(([name, each]) => {
      const key = keyword === 'patternProperties' ? screen(name) : name
      return key === undefined ? [] : [[key, read(each)] as const]
    })
    return Object.fromEntries(entries)
  }

  function targetOf(reference: string): JsonSchema {
    const target = readPointer(root, reference)
    if (isSchema(target)) return target
    const isPointer = /^#(\/|$)/.test(reference)
    const why = isPointer ? '' : ", because $anchor and $id are not supported: refer to '#/$defs/…'"
    throw new InvalidSchema(`the reference '${reference}' cannot be resolved${why}`)
  }

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

  return { schema: read(root), ignored }
}

function constraintsIn(description: string): Node | undefined {
  const found = [...description.matchAll(constraint)].flatMap(([, words = '', number, word]) => {
    const name = words.replace(/ (\w)/g, (_, letter) => letter.toUpperCase())
    return (lookUp(keywordsInWords, name) ?? [name]).map((keyword) => [keyword, word ?? Number(number)])
  })
  return found.length > 0 ? Object.fromEntries(found) : undefined
}

function listed(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isObject(value)
}

/** Returns the lengths of a schema's longest list and its longest text or name, excluding descriptions. */
function measure(root: JsonSchema) {
  let [parts, longestText, longestList] = [0, 0, 0]
  JSON.stringify(root, (key, value) => {
    if (++parts > maxParts) throw new Exhausted(`more than ${maxParts} schema parts`)
    const text = typeof value === 'string' && key !== 'description' ? value : ''
    longestText = Math.max(longestText, key.length, text.length)
    if (Array.isArray(value)) longestList = Math.max(longestList, value.length)
    return value
  })
  return { longestText, longestList }
}
