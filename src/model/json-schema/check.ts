/** Checks values against schemas. Supports the keywords that providers accept in strict mode. */

import { equal } from '../../lib/equal.ts'
import { isObject } from '../../lib/unchecked-json.ts'
import type { JsonSchema, SchemaObject, TypeName } from '../../resources/json-schema.ts'
import { Budget, Exhausted } from './budget.ts'
import { type Pattern, readPattern } from './pattern.ts'
import { isMultiple, isOfFormat, rangeOf } from './scalars.ts'
import {
  ignoredKeywords,
  itemSchema,
  listedValues,
  numberAt,
  propertySchema,
  References,
  schemasAt,
  textAt,
  textsAt,
  typesOf,
} from './schema.ts'

export interface Problem {
  /** Keys and indexes, outermost first. */
  readonly path: readonly (string | number)[]
  readonly message: string
  /** Name of the rule, such as `invalid_type`, `too_big` or `pattern`. */
  readonly rule: string
  /** Allowed types, if the whole value has the wrong type. */
  readonly expected?: readonly TypeName[]
}

const maxProblems = 20

/**
 * Returns up to 20 problems with a value, or none if the schema accepts it or the check exceeds the budget. Throws
 * `LostReference`.
 *
 * @param ignored Collects ignored keywords and patterns, and the limit that ended the check.
 */
export function problemsOf(schema: JsonSchema, value: unknown, ignored?: Set<string>): Problem[] {
  const checker = new Checker(schema, new Budget())
  try {
    const problems = checker.problems(schema, value)
    for (const part of checker.ignored) ignored?.add(part)
    return problems
  } catch (error) {
    if (!(error instanceof Exhausted)) throw error
    ignored?.add(`values that need ${error.message}`)
    return []
  }
}

export class Checker {
  /** Descriptions of keywords and patterns that were found but not checked. */
  readonly ignored = new Set<string>()
  readonly references: References
  readonly #budget: Budget
  readonly #patterns = new Map<string, Pattern | undefined>()
  readonly #listed = new Map<SchemaObject, ReadonlySet<unknown>>()
  /**
   * Results by reference target and value. Definitions that refer to each other twice would otherwise double
   * the work at each level.
   */
  readonly #results = new Map<JsonSchema, Map<unknown, Problem[]>>()

  constructor(root: JsonSchema, budget: Budget) {
    this.references = new References(root)
    this.#budget = budget
  }

  accepts(schemas: readonly JsonSchema[], value: unknown): boolean {
    return schemas.every((schema) => this.problems(schema, value).length === 0)
  }

  problems(schema: JsonSchema, value: unknown): Problem[] {
    this.#budget.step()
    if (typeof schema === 'boolean') return schema ? [] : problem('Unknown field', 'unrecognized_keys')
    return this.#budget.deeper(() => {
      for (const keyword of ignoredKeywords) if (keyword in schema) this.ignored.add(`'${keyword}'`)
      const types = typesOf(schema)
      if (types && !types.some((type) => isOfType(type, value))) return wrongType(types, value)
      return [
        ...this.#ofList(schema, value),
        ...this.#ofReference(schema, value),
        ...schemasAt(schema, 'allOf').flatMap((part) => this.problems(part, value)),
        ...this.#ofAlternatives(schema, 'anyOf', value),
        ...this.#ofAlternatives(schema, 'oneOf', value),
        ...this.#ofKind(schema, value),
      ].slice(0, maxProblems)
    })
  }

  /**
   * Parses a pattern. Returns undefined if there is none or it is not simple. Throws a `SyntaxError` if it is
   * invalid.
   */
  pattern(source: string | undefined): Pattern | undefined {
    if (source === undefined) return undefined
    if (!this.#patterns.has(source)) this.#patterns.set(source, readPattern(source, this.#budget))
    const pattern = this.#patterns.get(source)
    if (!pattern) this.ignored.add(`the pattern '${source.slice(0, 100)}'`)
    return pattern
  }

  #ofList(schema: SchemaObject, value: unknown): Problem[] {
    const values = listedValues(schema)
    if (!values) return []
    const listed = this.#listed.get(schema) ?? new Set(values)
    this.#listed.set(schema, listed)
    if (listed.has(value)) return []
    this.#budget.step(values.length / 10)
    if (typeof value === 'object' && values.some((each) => equal(each, value))) return []
    const options = values.slice(0, maxProblems).map((each) => JSON.stringify(each))
    const expected = options.length === 1 ? options[0] : `one of ${options.join('|')}`
    return problem(`Invalid input: expected ${expected}`, 'invalid_value')
  }

  #ofReference(schema: SchemaObject, value: unknown): Problem[] {
    const target = this.references.follow(schema)
    if (target === undefined) return []
    const results = this.#results.get(target) ?? new Map<unknown, Problem[]>()
    this.#results.set(target, results)
    // A circular reference adds no problems.
    if (!results.has(value)) results.set(value, []).set(value, this.problems(target, value))
    return results.get(value) as Problem[]
  }

  #ofAlternatives(schema: SchemaObject, keyword: 'anyOf' | 'oneOf', value: unknown): Problem[] {
    const branches = schemasAt(schema, keyword)
    const failures: Problem[][] = []
    let accepted = 0
    for (const branch of branches) {
      const problems = this.problems(branch, value)
      if (problems.length > 0) failures.push(problems)
      else if (keyword === 'anyOf') return []
      else accepted++
    }
    if (accepted > 1) return problem(`Matches ${accepted} alternatives instead of one`, 'one_of')
    return accepted === 1 || branches.length === 0 ? [] : nearest(failures, value)
  }

  #ofKind(schema: SchemaObject, value: unknown): Problem[] {
    if (typeof value === 'number') return ofNumber(schema, value)
    if (typeof value === 'string') return this.#ofText(schema, value)
    if (Array.isArray(value)) return this.#ofItems(schema, value)
    return isObject(value) ? this.#ofFields(schema, value) : []
  }

  #ofText(schema: SchemaObject, text: string): Problem[] {
    const [pattern, format] = [textAt(schema, 'pattern'), textAt(schema, 'format')]
    const isMatch = this.pattern(pattern)?.test(text) ?? true
    return [
      ...ofCount(schema, 'Length', 'character', [...text].length),
      ...(format === undefined || isOfFormat(format, text) ? [] : problem(`Invalid ${format}`, format)),
      ...(isMatch ? [] : problem(`Must match the pattern ${pattern}`, 'pattern')),
    ]
  }

  #ofItems(schema: SchemaObject, items: readonly unknown[]): Problem[] {
    const isUnique =
      schema['uniqueItems'] !== true ||
      new Set(items.map((item) => JSON.stringify(item))).size === items.length
    return [
      ...ofCount(schema, 'Items', 'item', items.length),
      ...(isUnique ? [] : problem('Items must be unique', 'unique')),
      ...items.flatMap((item, index) => below(index, this.problems(itemSchema(schema, index), item))),
    ]
  }

  #ofFields(schema: SchemaObject, fields: SchemaObject): Problem[] {
    const missing = textsAt(schema, 'required').filter((name) => !Object.hasOwn(fields, name))
    return [
      ...ofCount(schema, 'Properties', 'field', Object.keys(fields).length),
      ...missing.flatMap((name) => below(name, problem('Required', 'required'))),
      ...Object.entries(fields).flatMap(([name, value]) =>
        below(name, this.problems(propertySchema(schema, name), value)),
      ),
    ]
  }
}

/** Returns the problems of the alternative that comes closest to matching the value. */
function nearest(failures: readonly Problem[][], value: unknown): Problem[] {
  const types = failures.map(([first]) => first?.expected).filter((expected) => expected !== undefined)
  if (types.length === failures.length) return wrongType(types.flat(), value)
  // A different type, or a different constant in a field, indicates that the value was meant for another
  // alternative.
  const isFar = ({ expected, path, rule }: Problem) =>
    expected || (rule === 'invalid_value' && path.length === 1)
  const distance = (problems: readonly Problem[]) =>
    Number(problems.some(isFar)) * maxProblems + problems.length
  return [...failures].sort((left, right) => distance(left) - distance(right))[0] as Problem[]
}

function problem(message: string, rule: string): Problem[] {
  return [{ path: [], message, rule }]
}

function wrongType(expected: readonly TypeName[], value: unknown): Problem[] {
  // Without this limit, nested alternatives would double the list at each level.
  const distinct = [...new Set(expected)]
  const received = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
  const message = `Invalid input: expected ${distinct.join(' or ')}, received ${received}`
  return [{ path: [], message, rule: 'invalid_type', expected: distinct }]
}

function below(key: string | number, problems: readonly Problem[]): Problem[] {
  return problems.map(({ path, message, rule }) => ({ path: [key, ...path], message, rule }))
}

function isOfType(type: TypeName, value: unknown): boolean {
  if (type === 'null') return value === null
  if (type === 'integer') return Number.isInteger(value)
  if (type === 'array') return Array.isArray(value)
  return type === 'object' ? isObject(value) : typeof value === type
}

function ofNumber(schema: SchemaObject, value: number): Problem[] {
  const { min, max, isOpenBelow, isOpenAbove } = rangeOf([schema])
  const factor = numberAt(schema, 'multipleOf') ?? 0
  if (isOpenBelow ? value <= min : value < min)
    return problem(isOpenBelow ? `Must be more than ${min}` : `Must be ${min} or more`, 'too_small')
  if (isOpenAbove ? value >= max : value > max)
    return problem(`Must be ${isOpenAbove ? 'less than' : 'at most'} ${max}`, 'too_big')
  const fits = factor <= 0 || isMultiple(value, factor)
  return fits ? [] : problem(`Must be a multiple of ${factor}`, 'not_multiple_of')
}

/** Checks `minLength` and `maxLength`, or their equivalents for items and properties. */
function ofCount(schema: SchemaObject, what: string, unit: string, count: number): Problem[] {
  const [min = 0, max = count] = [numberAt(schema, `min${what}`), numberAt(schema, `max${what}`)]
  const units = (bound: number) => `${bound} ${unit}${bound === 1 ? '' : 's'}`
  if (count < min) return problem(`Must have at least ${units(min)}`, 'too_small')
  return count > max ? problem(`Must have at most ${units(max)}`, 'too_big') : []
}
