/**
 * Whether a schema accepts a value, its formats included.
 */
import type { Budget } from './budget.ts'
import { matchesPattern, type PatternNode, parsePattern } from './pattern.ts'
import { isOfFormat, rangeOf } from './scalars.ts'
import {
  canonical,
  isObject,
  itemSchema,
  type JsonSchema,
  listedValues,
  namedNames,
  namedSchemas,
  numberAt,
  type References,
  type SchemaObject,
  schemaAt,
  schemasAt,
  type TypeName,
  textAt,
  textsAt,
  typesOf,
} from './schema.ts'

export class Judge {
  readonly #references: References
  readonly #budget: Budget
  readonly #patterns = new Map<string, PatternNode>()
  /** The listed values of schemas as texts. */
  readonly #listed = new Map<SchemaObject, Set<string>>()

  constructor(references: References, budget: Budget) {
    this.#references = references
    this.#budget = budget
  }

  accepts(schema: JsonSchema, value: unknown): boolean {
    this.#budget.step()
    if (typeof schema === 'boolean') return schema
    return this.#budget.deeper(
      () =>
        this.#fitsReferences(schema, value) &&
        isOfTypes(typesOf(schema), value) &&
        this.#isListed(schema, value) &&
        this.#fitsBranches(schema, value) &&
        this.#fitsKind(schema, value),
    )
  }

  /** Whether a pattern is found in a text. */
  finds(pattern: string, text: string): boolean {
    return matchesPattern(this.pattern(pattern), text, this.#budget)
  }

  /** A pattern, read once. Throws a `SyntaxError` where it is none. */
  pattern(source: string): PatternNode {
    const parsed = this.#patterns.get(source) ?? parsePattern(source, this.#budget)
    this.#patterns.set(source, parsed)
    return parsed
  }

  #fitsReferences(schema: SchemaObject, value: unknown): boolean {
    const target = this.#references.follow(schema)
    return target === undefined || this.accepts(target, value)
  }

  #isListed(schema: SchemaObject, value: unknown): boolean {
    const values = listedValues(schema)
    if (!values) return true
    const listed = this.#listed.get(schema) ?? new Set(values.map((each) => this.#text(each)))
    this.#listed.set(schema, listed)
    return listed.has(this.#text(value))
  }

  #text(value: unknown): string {
    const text = canonical(value)
    this.#budget.step(1 + text.length / 50)
    return text
  }

  #fitsBranches(schema: SchemaObject, value: unknown): boolean {
    const accepts = (branch: JsonSchema) => this.accepts(branch, value)
    const [any, one] = [schemasAt(schema, 'anyOf'), schemasAt(schema, 'oneOf')]
    const [not, condition] = [schemaAt(schema, 'not'), schemaAt(schema, 'if')]
    const consequence =
      condition === undefined ? undefined : schemaAt(schema, accepts(condition) ? 'then' : 'else')
    return (
      schemasAt(schema, 'allOf').every(accepts) &&
      (any.length === 0 || any.some(accepts)) &&
      (one.length === 0 || one.filter(accepts).length === 1) &&
      !(not !== undefined && accepts(not)) &&
      (consequence === undefined || accepts(consequence))
    )
  }

  #fitsKind(schema: SchemaObject, value: unknown): boolean {
    if (typeof value === 'number') return fitsNumber(schema, value)
    if (typeof value === 'string') return this.#fitsText(schema, value)
    if (Array.isArray(value)) return this.#fitsList(schema, value)
    return !isObject(value) || this.#fitsObject(schema, value)
  }

  #fitsText(schema: SchemaObject, text: string): boolean {
    const [pattern, format] = [textAt(schema, 'pattern'), textAt(schema, 'format')]
    return (
      isWithin(schema, 'Length', [...text].length) &&
      (format === undefined || isOfFormat(format, text)) &&
      (pattern === undefined || this.finds(pattern, text))
    )
  }

  #fitsList(schema: SchemaObject, list: readonly unknown[]): boolean {
    if (!isWithin(schema, 'Items', list.length)) return false
    if (schema['uniqueItems'] === true && new Set(list.map((item) => this.#text(item))).size < list.length)
      return false
    const contained = schemaAt(schema, 'contains')
    if (contained !== undefined) {
      const count = list.filter((item) => this.accepts(contained, item)).length
      const [min, max] = [numberAt(schema, 'minContains') ?? 1, numberAt(schema, 'maxContains')]
      if (count < min || (max !== undefined && count > max)) return false
    }
    return list.every((item, index) => this.accepts(itemSchema(schema, index) ?? true, item))
  }

  #fitsObject(schema: SchemaObject, object: SchemaObject): boolean {
    const names = Object.keys(object)
    const has = (name: string) => Object.hasOwn(object, name)
    const allowedNames = schemaAt(schema, 'propertyNames')
    return (
      isWithin(schema, 'Properties', names.length) &&
      textsAt(schema, 'required').every(has) &&
      namedNames(schema).every(([name, needed]) => !has(name) || needed.every(has)) &&
      ['dependentSchemas', 'dependencies']
        .flatMap((keyword) => namedSchemas(schema, keyword))
        .every(([name, inner]) => !has(name) || this.accepts(inner, object)) &&
      (allowedNames === undefined || names.every((name) => this.accepts(allowedNames, name))) &&
      names.every((name) =>
        this.propertySchemas(schema, name).every((inner) => this.accepts(inner, object[name])),
      )
    )
  }

  /** Every schema that a property of this name must fit. */
  propertySchemas(schema: SchemaObject, name: string): JsonSchema[] {
    const { properties } = schema
    const isNamed = isObject(properties) && Object.hasOwn(properties, name)
    const own = isNamed ? schemaAt(properties, name) : undefined
    const like = namedSchemas(schema, 'patternProperties').filter(([pattern]) => this.finds(pattern, name))
    const found = like.map(([, inner]) => inner)
    if (own !== undefined) found.push(own)
    if (found.length > 0) return found
    const others = schemaAt(schema, 'additionalProperties')
    return others === undefined ? [] : [others]
  }
}

export function isOfTypes(types: readonly TypeName[] | undefined, value: unknown): boolean {
  return types === undefined || types.some((type) => isOfType(type, value))
}

function isOfType(type: TypeName, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'integer':
      return Number.isInteger(value)
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isObject(value)
    default:
      return typeof value === type
  }
}

/** Whether a count lies between `minLength` and `maxLength`, and their like. */
function isWithin(schema: SchemaObject, what: 'Length' | 'Items' | 'Properties', count: number): boolean {
  return count >= (numberAt(schema, `min${what}`) ?? 0) && count <= (numberAt(schema, `max${what}`) ?? count)
}

function fitsNumber(schema: SchemaObject, value: number): boolean {
  const factor = numberAt(schema, 'multipleOf')
  const { min, max, isOpenBelow, isOpenAbove } = rangeOf(schema)
  return (
    (isOpenBelow ? value > min : value >= min) &&
    (isOpenAbove ? value < max : value <= max) &&
    (factor === undefined || Number.isInteger(value / factor))
  )
}
