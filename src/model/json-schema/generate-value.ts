/**
 * Generates a value that a schema accepts, from the outside in. The value is as complete as users expect: if the
 * schema allows, it has all optional fields and one or two items per array. Recursive or very large schemas get the
 * smallest value.
 */

import { random } from '../../lib/seed.ts'
import { isObject } from '../../lib/unchecked-json.ts'
import type {
  JsonSchema,
  SchemaObject,
  TypeName,
  ValuePlace,
  ValueSource,
} from '../../resources/json-schema.ts'
import { Budget, Exhausted } from './budget.ts'
import { Checker } from './check.ts'
import { fitLength, numberFor, textOfFormat, textOfPatterns } from './scalars.ts'
import {
  itemSchema,
  listedValues,
  numbersAt,
  prefixOf,
  propertiesOf,
  propertySchema,
  schemasAt,
  textAt,
  textsAt,
  typesOf,
} from './schema.ts'

type Path = readonly (string | number)[]

export interface GeneratedValue {
  value: unknown
  /** Reasons why the schema might reject the value. Empty if the value is certain to be accepted. */
  doubts: string[]
}

/** Thrown if a schema contradicts itself or accepts only infinite values. */
export class Unsatisfiable extends Error {
  override name = 'Unsatisfiable'
}

interface GenerateOptions {
  /** Seed label for random numbers. */
  seed: string
  source: ValueSource
}

/**
 * Generates a value for a schema, or the smallest one if a full one exceeds the limits. Throws `Unsatisfiable`,
 * `Exhausted`, `LostReference`, or a `SyntaxError` for an invalid pattern.
 */
export function generateValue(schema: JsonSchema, options: GenerateOptions): GeneratedValue {
  const make = (isSmall: boolean): GeneratedValue => {
    const budget = new Budget()
    const value = new ValueGenerator(schema, options, budget, isSmall).make([schema], [])
    const checker = new Checker(schema, budget)
    const problems = checker.problems(schema, value).map(({ path, message }) => [...path, message].join(': '))
    return { value, doubts: [...checker.ignored].map((part) => `${part} is not simulated`).concat(problems) }
  }
  try {
    return make(false)
  } catch (error) {
    if (error instanceof Exhausted) return make(true)
    throw error
  }
}

/** Constraints on one location. */
interface Draft {
  /** The schemas, everything they refer to, and the branches chosen so far. */
  parts: ReadonlySet<SchemaObject>
  /** Lists of branches. One branch from each list remains to be chosen. */
  alternatives: readonly (readonly JsonSchema[])[]
  isSmall: boolean
  /** The reason why no value exists. If undefined, one may exist. */
  dead?: string | undefined
}

const maxAttempts = 12
/** Number of parts after which only the smallest values are generated. */
const enoughParts = 1000
/** Recursion depth after which only the smallest values are generated, to end the recursion. */
const maxNesting = 2

class ValueGenerator {
  readonly #options: GenerateOptions
  readonly #budget: Budget
  readonly #checker: Checker
  readonly #isSmall: boolean
  /** Schemas that contain the current location, with their nesting depth. */
  readonly #open = new Map<SchemaObject, number>()

  /** @param isSmall If true, generates the smallest value. */
  constructor(root: JsonSchema, options: GenerateOptions, budget: Budget, isSmall: boolean) {
    this.#options = options
    this.#budget = budget
    this.#checker = new Checker(root, budget)
    this.#isSmall = isSmall
  }

  /**
   * Generates a value that all schemas accept or, if no attempt succeeds, the first value made. Throws `Unsatisfiable`
   * if none was made.
   *
   * @param again Distinguishes values for the same location. Default: 0.
   */
  make(schemas: readonly JsonSchema[], path: Path, again = 0): unknown {
    const where = path.map((key) => `/${key}`).join('') + (again > 0 ? `#${again}` : '')
    this.#budget.spend('parts')
    this.#budget.step(where.length / 10)
    return this.#budget.deeper(() => {
      const isSmall = this.#isSmall || this.#budget.parts > enoughParts
      const draft = this.#expand({ parts: new Set(), alternatives: [], isSmall }, schemas)
      const made: unknown[] = []
      let reason = 'no value matches'
      let tries = 0
      for (const make of this.#ways(draft, path, where)) {
        try {
          const value = make(random(this.#options.seed, where, tries))
          // Each part of the object or array has been accepted, but alternatives can exclude each other.
          const isSure = typeof value === 'object' && draft.alternatives.length === 0
          if (isSure || this.#checker.accepts(schemas, value)) return value
          made.push(value)
        } catch (error) {
          if (!(error instanceof Unsatisfiable)) throw error
          reason = error.message
        }
        if (++tries < maxAttempts) continue
        reason = `no value found in ${maxAttempts} attempts; the last one failed: ${reason}`
        break
      }
      if (made[0] !== undefined) return made[0]
      // Reports the innermost location.
      return fail(reason.startsWith('/') || where === '' ? reason : `${where}: ${reason}`)
    })
  }

  /** Yields ways to generate a value for a location, the most promising first. */
  *#ways(draft: Draft, path: Path, where: string): Generator<(random: () => number) => unknown> {
    const { dead, isSmall } = draft
    const [branches, ...alternatives] = draft.alternatives
    if (dead !== undefined) yield () => fail(dead)
    else if (branches) {
      for (const branch of this.#ordered(branches, isSmall, where))
        yield* this.#ways(this.#expand({ ...draft, alternatives }, [branch]), path, where)
    } else {
      const schemas = [...draft.parts]
      for (const type of allowedTypes(schemas, isSmall)) {
        const make = (random: () => number, isBare: boolean) =>
          this.#within(schemas, () => this.#value({ path, type, schemas, random }, isBare))
        yield (random) => make(random, isSmall)
        // The second attempt omits optional fields, which can exclude each other, and draws strings and numbers
        // again.
        yield (random) => make(random, true)
      }
    }
  }

  /** Adds schemas, and everything they refer to, to a draft. */
  #expand(draft: Draft, schemas: readonly JsonSchema[]): Draft {
    const parts = new Set(draft.parts)
    const alternatives = [...draft.alternatives]
    let { isSmall, dead } = draft
    const visit = (schema: JsonSchema): void => {
      if (schema === false) dead ??= 'no value is allowed'
      if (typeof schema === 'boolean' || parts.has(schema)) return
      parts.add(schema)
      const nesting = this.#open.get(schema) ?? 0
      if (nesting >= maxNesting) isSmall = true
      if (nesting > maxNesting) dead ??= 'every value would be infinitely nested'
      const lists = ['anyOf', 'oneOf'].map((keyword) => schemasAt(schema, keyword))
      alternatives.push(...lists.filter((branches) => branches.length > 0))
      const target = this.#checker.references.follow(schema)
      this.#budget.deeper(() => {
        if (target !== undefined) visit(target)
        schemasAt(schema, 'allOf').forEach(visit)
      })
    }
    schemas.forEach(visit)
    this.#budget.step(parts.size)
    return { parts, alternatives, isSmall, dead }
  }

  /**
   * Orders branches. For a small value, branches without parts come first; otherwise, a random branch that is not
   * null.
   */
  #ordered(branches: readonly JsonSchema[], isSmall: boolean, where: string): JsonSchema[] {
    this.#budget.step(branches.length)
    const isPreferred = (branch: JsonSchema) => (isSmall ? isPlain(branch) : !isNull(branch))
    const preferred = branches.filter(isPreferred)
    const others = branches.filter((branch) => !isPreferred(branch))
    const drawn = random(this.#options.seed, where, 'choice')()
    const start = isSmall ? 0 : Math.floor(drawn * preferred.length)
    return [...preferred.slice(start), ...preferred.slice(0, start), ...others]
  }

  /** Runs a function with the schemas marked as open. */
  #within<Value>(schemas: readonly SchemaObject[], run: () => Value): Value {
    for (const schema of schemas) this.#open.set(schema, (this.#open.get(schema) ?? 0) + 1)
    try {
      return run()
    } finally {
      for (const schema of schemas) this.#open.set(schema, (this.#open.get(schema) as number) - 1)
    }
  }

  #value(place: ValuePlace, isSmall: boolean): unknown {
    const { type, schemas, random } = place
    const proposed = this.#options.source(place)
    const isCount = type === 'array' && !Array.isArray(proposed)
    if (proposed !== undefined && !isCount && this.#checker.accepts(schemas, proposed))
      return structuredClone(proposed)
    const listed = schemas.map(listedValues).find((values) => values !== undefined)
    if (listed) {
      const fitting = listed.filter((value) => this.#checker.accepts(schemas, value))
      if (fitting.length === 0) fail('none of the listed values is allowed')
      return structuredClone(fitting[Math.floor(random() * fitting.length)])
    }
    switch (type) {
      case 'null':
        return null
      case 'boolean':
        return Math.round(random()) === 0
      case 'integer':
      case 'number':
        return numberFor(schemas, type === 'integer', random) ?? fail('no number is within the bounds')
      case 'string':
        return this.#text(place, proposed)
      case 'array':
        return this.#array(place, isSmall, proposed)
      case 'object':
        return this.#object(place, isSmall)
      default:
        return fail(`type '${type}' is unknown`)
    }
  }

  #text(place: ValuePlace, proposed: unknown): string {
    const { schemas, random } = place
    const [min, max] = countsOf(schemas, 'Length')
    this.#budget.spend('characters', min)
    const patterns = schemas.flatMap((schema) => this.#checker.pattern(textAt(schema, 'pattern')) ?? [])
    if (patterns.length > 0) return textOfPatterns(patterns, min, max, random)
    const words = typeof proposed === 'string' ? proposed : this.#words(place)
    return textOfFormat(schemas, max, words, random) ?? fitLength(words, min, max)
  }

  #words(place: ValuePlace): string {
    const words = this.#options.source({ ...place, type: 'string', schemas: [] })
    return typeof words === 'string' ? words : 'something'
  }

  #array({ schemas, path, random }: ValuePlace, isSmall: boolean, proposed: unknown): unknown[] {
    const [min, max] = countsOf(schemas, 'Items')
    const drawn = 1 + Math.round(random())
    const count = typeof proposed === 'number' ? proposed : drawn
    const usual = Math.max(count, ...schemas.map((schema) => prefixOf(schema).length))
    const targetCount = isSmall ? min : Math.max(min, Math.min(usual, max))
    const seen = schemas.some((schema) => schema['uniqueItems'] === true) ? new Set<string>() : undefined
    const items: unknown[] = []
    while (items.length < targetCount) {
      const index = items.length
      const inner = schemas.map((schema) => itemSchema(schema, index))
      const item = this.#part(inner, [...path, index], index >= min, seen)
      if (item === undefined) break
      items.push(item)
    }
    return items
  }

  #object(place: ValuePlace, isSmall: boolean): Record<string, unknown> {
    const { schemas, path } = place
    const [min, max] = countsOf(schemas, 'Properties')
    const required = new Set(schemas.flatMap((schema) => textsAt(schema, 'required')))
    const declared = schemas.flatMap((schema) => [...propertiesOf(schema).keys()])
    if (required.size > max) fail('more fields are required than allowed')
    const fields = new Map<string, unknown>()
    const add = (name: string) => {
      const inner = schemas.map((schema) => propertySchema(schema, name))
      const value = this.#part(inner, [...path, name], !required.has(name))
      if (value !== undefined) fields.set(name, value)
    }
    let room = max - required.size
    for (const name of new Set([...declared, ...required]))
      if (required.has(name) || (!isSmall && room-- > 0)) add(name)
    const isMap = declared.length === 0 && schemas.some((schema) => isObject(schema['additionalProperties']))
    const targetCount = Math.max(min, isMap && !isSmall ? Math.min(2, max) : 0)
    for (let spare = 1; fields.size < targetCount && spare < targetCount + maxAttempts; spare++) {
      const name = this.#words(place).toLowerCase().replaceAll(' ', '_')
      add(fields.has(name) ? `${name}_${spare}` : name)
    }
    return Object.fromEntries(fields)
  }

  /**
   * Generates a part of an array or object. Returns undefined if the part is optional and no value matches.
   *
   * @param seen Values that the part must differ from. The part is added to them.
   */
  #part(schemas: readonly JsonSchema[], path: Path, isOptional: boolean, seen?: Set<string>): unknown {
    try {
      for (let again = 0; again < 5 * maxAttempts; again++) {
        const value = this.make(schemas, path, again)
        if (isOptional && !this.#checker.accepts(schemas, value)) return undefined
        const text = seen ? JSON.stringify(value) : ''
        if (!seen?.has(text)) {
          seen?.add(text)
          return value
        }
      }
    } catch (error) {
      if (!(error instanceof Unsatisfiable && isOptional)) throw error
    }
    return isOptional ? undefined : fail(`not enough different values for item ${path.at(-1)}`)
  }
}

function fail(reason: string): never {
  throw new Unsatisfiable(reason)
}

/** Returns the limits on items (`minItems`, `maxItems`), length or properties. */
function countsOf(
  schemas: readonly SchemaObject[],
  what: 'Length' | 'Items' | 'Properties',
): [number, number] {
  const min = Math.max(0, ...numbersAt(schemas, `min${what}`))
  const max = Math.min(Infinity, ...numbersAt(schemas, `max${what}`))
  return min > max ? fail(`min${what} is above max${what}`) : [min, max]
}

function isNull(schema: JsonSchema): boolean {
  return isObject(schema) && (schema['const'] === null || typesOf(schema)?.join() === 'null')
}

/** Returns true if the smallest value for the schema clearly has no parts. */
function isPlain(schema: JsonSchema): boolean {
  if (!isObject(schema) || ['$ref', 'allOf', 'anyOf', 'oneOf'].some((keyword) => keyword in schema))
    return false
  return !/^(object|array)$/.test(String(allowedTypes([schema], true)[0]))
}

/** Returns the types that all schemas allow. Null comes last or, for a small value, first. */
function allowedTypes(schemas: readonly SchemaObject[], isSmall: boolean): TypeName[] {
  const named = schemas.map(typesOf).filter((types) => types !== undefined)
  const [first = [...(isSmall ? ['null' as const] : []), likelyType(schemas)]] = named
  const isAllowed = (type: TypeName) =>
    named.every((types) => types.includes(type) || (type === 'integer' && types.includes('number')))
  const rank = (type: TypeName) =>
    isSmall ? Number(/object|array/.test(type)) - Number(type === 'null') : Number(type === 'null')
  const candidates = first.flatMap((type): TypeName[] => (type === 'number' ? ['number', 'integer'] : [type]))
  return [...new Set(candidates)].filter(isAllowed).sort((left, right) => rank(left) - rank(right))
}

/** Guesses the type from the keywords of schemas without `type`. */
function likelyType(schemas: readonly SchemaObject[]): TypeName {
  const keywords = schemas.flatMap((schema) => Object.keys(schema)).join()
  if (/required|properties/i.test(keywords)) return 'object'
  if (/items|contains/i.test(keywords)) return 'array'
  return /minimum|maximum|multipleOf/i.test(keywords) ? 'number' : 'string'
}
