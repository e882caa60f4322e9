/**
 * Why a schema does not accept a value: every violation, each with its path.
 */
import { isOfTypes, Judge } from './accepts.ts'
import { Budget, Exhausted } from './budget.ts'
import { isOfFormat, rangeOf } from './scalars.ts'
import {
  canonical,
  isObject,
  itemSchema,
  type JsonSchema,
  listedValues,
  numberAt,
  References,
  type SchemaObject,
  schemaAt,
  schemasAt,
  textAt,
  textsAt,
  typesOf,
} from './schema.ts'

export interface Problem {
  /** Keys and indexes, from the outside in. */
  readonly path: readonly (string | number)[]
  readonly message: string
  /** By name: `invalid_type`, `too_big`, `pattern`, … */
  readonly rule: string
}

/**
 * What is wrong with a value; nothing where the schema accepts it, or where finding out would cost more than the double
 * gives. Throws where a reference leads nowhere.
 */
export function problemsOf(schema: JsonSchema, value: unknown): Problem[] {
  try {
    return new Critic(schema).problems(schema, value, [])
  } catch (error) {
    if (error instanceof Exhausted) return []
    throw error
  }
}

class Critic {
  readonly #references: References
  readonly #judge: Judge

  constructor(root: JsonSchema) {
    this.#references = new References(root)
    this.#judge = new Judge(this.#references, new Budget())
  }

  problems(schema: JsonSchema, value: unknown, path: Problem['path']): Problem[] {
    if (this.#judge.accepts(schema, value)) return []
    if (typeof schema === 'boolean') return [{ path, message: 'Unknown field', rule: 'unrecognized_keys' }]
    const types = typesOf(schema)
    if (!isOfTypes(types, value)) {
      const message = `Invalid input: expected ${types?.join(' or ')}, received ${nameOf(value)}`
      return [{ path, message, rule: 'invalid_type' }]
    }
    const listed = listedValues(schema)
    if (listed && !listed.some((each) => canonical(each) === canonical(value))) {
      const options = listed.slice(0, 20).map((each) => JSON.stringify(each))
      const expected = options.length === 1 ? options[0] : `one of ${options.join('|')}`
      return [{ path, message: `Invalid input: expected ${expected}`, rule: 'invalid_value' }]
    }
    const target = this.#references.follow(schema)
    const found = [
      ...(target === undefined ? [] : this.problems(target, value, path)),
      ...schemasAt(schema, 'allOf').flatMap((part) => this.problems(part, value, path)),
      ...['anyOf', 'oneOf'].flatMap((keyword) => this.#nearest(schemasAt(schema, keyword), value, path)),
      ...ownProblems(schema, value, path, this.#judge),
      ...this.#inside(schema, value, path),
    ]
    return found.length > 0 ? found : [{ path, message: 'Does not fit its schema', rule: 'schema' }]
  }

  /** The problems of the alternative that the value comes closest to. */
  #nearest(branches: readonly JsonSchema[], value: unknown, path: Problem['path']): Problem[] {
    const all = branches.map((branch) => this.problems(branch, value, path))
    if (all.length === 0 || all.some((problems) => problems.length === 0)) return []
    const isFar = ({ path: at, rule }: Problem) =>
      (rule === 'invalid_type' && at.length === path.length) ||
      (rule === 'invalid_value' && at.length === path.length + 1)
    const distance = (problems: readonly Problem[]) => Number(problems.some(isFar))
    const [nearest = []] = all.sort(
      (left, right) => distance(left) - distance(right) || left.length - right.length,
    )
    const ofType = all.flat().filter(({ path: at, rule }) => rule === 'invalid_type' && at === path)
    if (ofType.length < branches.length) return nearest
    const expected = [...new Set(ofType.map(({ message }) => /expected (.*),/.exec(message)?.[1]))]
    const message = `Invalid input: expected ${expected.join(' or ')}, received ${nameOf(value)}`
    return [{ path, message, rule: 'invalid_type' }]
  }

  #inside(schema: SchemaObject, value: unknown, path: Problem['path']): Problem[] {
    if (Array.isArray(value))
      return value.flatMap((item, index) =>
        this.problems(itemSchema(schema, index) ?? true, item, [...path, index]),
      )
    if (!isObject(value)) return []
    const missing = textsAt(schema, 'required').filter((name) => !Object.hasOwn(value, name))
    return [
      ...missing.map((name) => ({ path: [...path, name], message: 'Required', rule: 'required' })),
      ...Object.keys(value).flatMap((name) =>
        this.#judge
          .propertySchemas(schema, name)
          .flatMap((inner) => this.problems(inner, value[name], [...path, name])),
      ),
    ]
  }
}

/** What is wrong with a value as a whole. */
function ownProblems(schema: SchemaObject, value: unknown, path: Problem['path'], judge: Judge): Problem[] {
  if (typeof value === 'number') return ofNumber(schema, value, path)
  if (typeof value === 'string') return ofText(schema, value, path, judge)
  const problems: Problem[] = []
  if (isObject(value))
    problems.push(...ofCount(schema, 'Properties', 'fields', Object.keys(value).length, path))
  if (Array.isArray(value)) {
    problems.push(...ofCount(schema, 'Items', 'items', value.length, path))
    if (schema['uniqueItems'] === true && new Set(value.map(canonical)).size < value.length)
      problems.push({ path, message: 'Items must be unique', rule: 'unique' })
  }
  const not = schemaAt(schema, 'not')
  if (not !== undefined && judge.accepts(not, value))
    problems.push({ path, message: 'Not allowed', rule: 'not' })
  return problems
}

function ofNumber(schema: SchemaObject, value: number, path: Problem['path']): Problem[] {
  const { min, max, isOpenBelow, isOpenAbove } = rangeOf(schema)
  const factor = numberAt(schema, 'multipleOf')
  if (isOpenBelow ? value <= min : value < min)
    return [{ path, message: `Too small: must be ${isOpenBelow ? '>' : '>='}${min}`, rule: 'too_small' }]
  if (isOpenAbove ? value >= max : value > max)
    return [{ path, message: `Too big: must be ${isOpenAbove ? '<' : '<='}${max}`, rule: 'too_big' }]
  if (factor !== undefined && !Number.isInteger(value / factor))
    return [{ path, message: `Must be a multiple of ${factor}`, rule: 'not_multiple_of' }]
  return []
}

function ofText(schema: SchemaObject, text: string, path: Problem['path'], judge: Judge): Problem[] {
  const [pattern, format] = [textAt(schema, 'pattern'), textAt(schema, 'format')]
  const problems = ofCount(schema, 'Length', 'characters', [...text].length, path)
  if (format !== undefined && !isOfFormat(format, text))
    problems.push({ path, message: `Invalid ${format}`, rule: format })
  if (pattern !== undefined && !judge.finds(pattern, text))
    problems.push({ path, message: `Must match the pattern ${pattern}`, rule: 'pattern' })
  return problems
}

function ofCount(
  schema: SchemaObject,
  what: 'Length' | 'Items' | 'Properties',
  unit: string,
  count: number,
  path: Problem['path'],
): Problem[] {
  const [min, max] = [numberAt(schema, `min${what}`), numberAt(schema, `max${what}`)]
  if (min !== undefined && count < min)
    return [{ path, message: `Too small: must have >=${min} ${unit}`, rule: 'too_small' }]
  if (max !== undefined && count > max)
    return [{ path, message: `Too big: must have <=${max} ${unit}`, rule: 'too_big' }]
  return []
}

function nameOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
