/**
 * Generates a value that a schema accepts, from the outside in. The value is as complete as users expect: if the
 * schema allows, it has all optional fields and one or two items per array. Recursive or very large schemas get the
 * smallest value.
 */

import { random } from '../../lib/seed.ts'
import type { JsonSchema, TypeName } from '../../resources/json-schema.ts'
import { Budget, Exhausted } from './budget.ts'
import { accepted, problemOf } from './check.ts'
import { textOfPatterns } from './patterns.ts'
import { fitLength, numberFor } from './scalars.ts'
import { type Schema, SchemaReader } from './schema.ts'

type Path = readonly (string | number)[]

export interface GeneratedValue {
  value: unknown
  /** Returns true if the schema accepts a changed value. Once the checks exceed the limits, it rejects all values. */
  accepts(value: unknown): boolean
  /** Reasons why the schema might reject the value. Empty if the value is certain to be accepted. */
  doubts: string[]
}

/** Thrown if a schema contradicts itself or accepts only infinite values. */
export class Unsatisfiable extends Error {
  override name = 'Unsatisfiable'
}

export interface ValuePlace {
  /** Keys and indexes, outermost first. */
  path: Path
  type: TypeName
  /** Schemas that must all accept the value. */
  schemas: readonly Schema[]
  /** Returns numbers in [0, 1) that depend on the seed and the path. */
  random(): number
}

interface GenerateOptions {
  /** Seed label for random numbers. */
  seed: string
  /** Returns the next words for free-form strings and names of fields. */
  words(): string
  /** Proposes a value, which is used if the schemas accept it. Strings are truncated or repeated to fit. */
  propose?(place: ValuePlace): unknown
}

/**
 * Generates a value for a schema, or the smallest one if a full one exceeds the limits. Throws `InvalidSchema`,
 * `Unsatisfiable` or `Exhausted`.
 */
export function generateValue(source: JsonSchema, options: GenerateOptions): GeneratedValue {
  const budget = new Budget()
  const reader = new SchemaReader(source, budget)
  const schema = withinLimits(() => reader.read())
  const generate = (isSmall: boolean): GeneratedValue => {
    budget.restart()
    const value = new ValueGenerator(options, budget, isSmall).make([schema], []).value
    const problem = problemOf(value, schema)
    const ignored = [...reader.ignored].map((part) => `${part} is not simulated`)
    budget.restart()
    const accepts = (changed: unknown) =>
      withinLimits(
        () => accepted(changed, [schema]),
        () => false,
      )
    return { value, accepts, doubts: problem === undefined ? ignored : [...ignored, problem] }
  }
  return withinLimits(
    () => generate(false),
    () => withinLimits(() => generate(true)),
  )
}

/** Runs a function and, if it exceeds the limits, another one. Default: throws `Exhausted`. */
function withinLimits<Result>(run: () => Result, otherwise?: () => Result): Result {
  try {
    return run()
  } catch (error) {
    // Schemas that lead back to themselves overflow the stack.
    const exhausted = error instanceof RangeError ? new Exhausted('nested too deeply') : error
    if (otherwise && exhausted instanceof Exhausted) return otherwise()
    throw exhausted
  }
}

const maxAttempts = 12
/** Number of parts after which only the smallest values are generated. */
const enoughParts = 1000
/** Recursion depth after which only the smallest values are generated, to end the recursion. */
const maxNesting = 2
const maxDepth = 100

/** The schemas of a location, everything they refer to, and one branch of each list of alternatives. */
interface Choice {
  schemas: readonly Schema[]
  /** Number of different choices. */
  ways: number
  isSmall: boolean
  isEndless: boolean
}

class ValueGenerator {
  readonly #options: GenerateOptions
  readonly #budget: Budget
  readonly #isSmall: boolean
  /** Schemas that contain the current location, with their nesting depth. */
  readonly #open = new Map<Schema, number>()

  /** @param isSmall If true, generates the smallest value. */
  constructor(options: GenerateOptions, budget: Budget, isSmall: boolean) {
    this.#options = options
    this.#budget = budget
    this.#isSmall = isSmall
  }

  /**
   * Generates a value that all schemas accept or, if no attempt succeeds, the first value made. Throws `Unsatisfiable`
   * if none was made.
   *
   * @param again Distinguishes values for the same location. Default: 0.
   */
  make(schemas: readonly Schema[], path: Path, again = 0): { value: unknown; isAccepted: boolean } {
    const where = path.map((key) => `/${key}`).join('') + (again > 0 ? `#${again}` : '')
    if (path.length > maxDepth) throw new Exhausted(`more than ${maxDepth} levels`)
    this.#budget.spend('parts')
    this.#budget.step(where.length / 10)
    let made: unknown
    let reason = 'no value matches'
    let ways = 1
    for (let attempt = 0; attempt < Math.min(maxAttempts, 2 * ways); attempt++) {
      try {
        const choice = this.#choose(schemas, attempt >> 1, where)
        const types = allowedTypes(choice.schemas, choice.isSmall)
        const type = types[(attempt >> 1) % types.length]
        ways = Math.max(choice.ways, types.length)
        if (choice.isEndless) fail('every value would be infinitely nested')
        // Every second attempt omits optional fields, which can exclude each other.
        const isBare = choice.isSmall || attempt % 2 === 1
        const place = { path, schemas: choice.schemas, random: random(this.#options.seed, where, attempt) }
        const value = type ? this.#within({ ...place, type }, isBare) : fail('no value matches')
        if (accepted(value, schemas)) return { value, isAccepted: true }
        made ??= value
      } catch (error) {
        if (!(error instanceof Unsatisfiable)) throw error
        reason = error.message
      }
    }
    if (made !== undefined) return { value: made, isAccepted: false }
    // Reports the innermost location.
    return fail(reason.startsWith('/') || where === '' ? reason : `${where}: ${reason}`)
  }

  /** @param turn Number of the choice, from 0. */
  #choose(schemas: readonly Schema[], turn: number, where: string): Choice {
    const parts = new Set<Schema>()
    let isSmall = this.#isSmall || this.#budget.parts > enoughParts
    let isEndless = false
    let ways = 1
    const visit = (schema: Schema): void => {
      if (parts.has(schema)) return
      parts.add(schema)
      this.#budget.step()
      const nesting = this.#open.get(schema) ?? 0
      if (nesting >= maxNesting) isSmall = true
      if (nesting > maxNesting) isEndless = true
      schema.allOf?.forEach(visit)
      for (const branches of [schema.anyOf, schema.oneOf]) {
        if (!branches) continue
        const branch = this.#ordered(branches, isSmall, where)[Math.floor(turn / ways) % branches.length]
        ways *= branches.length
        visit(branch as Schema)
      }
    }
    schemas.forEach(visit)
    return { schemas: [...parts], ways, isSmall, isEndless }
  }

  /**
   * Orders branches. For a small value, branches without parts come first; otherwise, a random branch that is not
   * null.
   */
  #ordered(branches: readonly Schema[], isSmall: boolean, where: string): Schema[] {
    this.#budget.step(branches.length)
    const isPreferred = (branch: Schema) => (isSmall ? isPlain(branch) : !isNull(branch))
    const preferred = branches.filter(isPreferred)
    const others = branches.filter((branch) => !isPreferred(branch))
    const drawn = random(this.#options.seed, where, 'choice')()
    const start = isSmall ? 0 : Math.floor(drawn * preferred.length)
    return [...preferred.slice(start), ...preferred.slice(0, start), ...others]
  }

  /** Generates a value with the schemas marked as open. */
  #within(place: ValuePlace, isSmall: boolean): unknown {
    for (const schema of place.schemas) this.#open.set(schema, (this.#open.get(schema) ?? 0) + 1)
    try {
      return this.#value(place, isSmall)
    } finally {
      for (const schema of place.schemas) this.#open.set(schema, (this.#open.get(schema) as number) - 1)
    }
  }

  #value(place: ValuePlace, isSmall: boolean): unknown {
    const { type, schemas, random } = place
    const isAllowed = (value: unknown) => accepted(value, schemas)
    const sample = schemas.flatMap(({ samples = [] }) => samples).find(isAllowed)
    if (sample !== undefined) return this.#copy(sample)
    const listed = schemas.find((schema) => schema.enum)?.enum
    if (listed) {
      const start = Math.floor(random() * listed.length)
      const index = [...listed.slice(start), ...listed.slice(0, start)].findIndex(isAllowed)
      if (index < 0) fail('none of the listed values is allowed')
      return this.#copy(listed[(start + index) % listed.length])
    }
    const proposed = this.#options.propose?.(place)
    if (proposed !== undefined && isAllowed(proposed)) return this.#copy(proposed)
    switch (type) {
      case 'null':
        return null
      case 'boolean':
        return random() >= 0.5
      case 'integer':
      case 'number':
        return numberFor(schemas, type === 'integer', random) ?? fail('no number is within the bounds')
      case 'string':
        return this.#text(place, proposed)
      case 'array':
        return this.#array(place, isSmall)
      case 'object':
        return this.#object(place, isSmall)
      default:
        return fail(`type '${type}' is unknown`)
    }
  }

  #copy(value: unknown): unknown {
    this.#budget.spend('characters', JSON.stringify(value).length)
    return structuredClone(value)
  }

  #text(place: ValuePlace, proposed: unknown): string {
    const { schemas, random } = place
    const [min, max] = countsOf(schemas, 'Length')
    this.#budget.spend('characters', min)
    const patterns = schemas.flatMap(({ pattern }) => pattern ?? [])
    if (patterns.length > 0) return textOfPatterns(patterns, min, max, random, this.#budget)
    return fitLength(typeof proposed === 'string' ? proposed : this.#options.words(), min, max)
  }

  #array({ schemas, path, random }: ValuePlace, isSmall: boolean): unknown[] {
    const [min, max] = countsOf(schemas, 'Items')
    const usual = Math.max(
      1 + Math.round(random()),
      ...schemas.map(({ prefixItems = [] }) => prefixItems.length),
    )
    const targetCount = isSmall ? min : Math.max(min, Math.min(usual, max))
    const seen = schemas.some(({ uniqueItems }) => uniqueItems) ? new Set<string>() : undefined
    const items: unknown[] = []
    while (items.length < targetCount) {
      const index = items.length
      const inner = schemas.map(({ prefixItems = [], items: rest = {} }) => prefixItems[index] ?? rest)
      const contained = schemas.flatMap(({ contains = [] }) => (index === 0 ? contains : []))
      const item = this.#part([...inner, ...contained], [...path, index], index >= min, seen)
      if (item === undefined) break
      items.push(item)
    }
    return items
  }

  #object(place: ValuePlace, isSmall: boolean): Record<string, unknown> {
    const { schemas, path } = place
    const [min, max] = countsOf(schemas, 'Properties')
    const required = new Set(schemas.flatMap((schema) => schema.required ?? []))
    const declared = schemas.flatMap(({ properties = {} }) => Object.keys(properties))
    if (required.size > max) fail('more fields are required than allowed')
    const fields = new Map<string, unknown>()
    const add = (name: string) => {
      const inner = schemas.flatMap((schema) => propertySchemas(schema, name))
      const value = this.#part(inner, [...path, name], !required.has(name))
      if (value !== undefined) fields.set(name, value)
    }
    let room = max - required.size
    for (const name of new Set([...declared, ...required]))
      if (required.has(name) || (!isSmall && room-- > 0)) add(name)
    const isMap =
      declared.length === 0 && schemas.some((schema) => typeof schema.additionalProperties === 'object')
    const targetCount = Math.max(min, isMap && !isSmall ? Math.min(2, max) : 0)
    for (let spare = 1; fields.size < targetCount && spare < targetCount + maxAttempts; spare++) {
      const name = this.#nameOf(place)
      add(fields.has(name) ? `${name}_${spare}` : name)
    }
    return Object.fromEntries(fields)
  }

  /** Returns a name for a field that the schema does not list. */
  #nameOf(place: ValuePlace): string {
    const patterns = place.schemas.flatMap(({ patternProperties = {} }) =>
      Object.keys(patternProperties).slice(0, 1),
    )
    if (patterns.length > 0) return textOfPatterns(patterns, 0, Infinity, place.random, this.#budget)
    return this.#options.words().toLowerCase().replaceAll(' ', '_')
  }

  /**
   * Generates a part of an array or object. Returns undefined if the part is optional and no value matches.
   *
   * @param seen Values that the part must differ from. The part is added to them.
   */
  #part(schemas: readonly Schema[], path: Path, isOptional: boolean, seen?: Set<string>): unknown {
    try {
      for (let again = 0; again < 5 * maxAttempts; again++) {
        const { value, isAccepted } = this.make(schemas, path, again)
        if (isOptional && !isAccepted) return undefined
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
function countsOf(schemas: readonly Schema[], what: 'Length' | 'Items' | 'Properties'): [number, number] {
  const min = Math.max(0, ...schemas.map((schema) => schema[`min${what}`] ?? 0))
  const max = Math.min(...schemas.map((schema) => schema[`max${what}`] ?? Infinity))
  return min > max ? fail(`min${what} is above max${what}`) : [min, max]
}

function propertySchemas(schema: Schema, name: string): Schema[] {
  const { properties = {}, patternProperties = {}, additionalProperties = {} } = schema
  const own = Object.hasOwn(properties, name) ? [properties[name] as Schema] : []
  const matching = Object.keys(patternProperties).filter((pattern) => new RegExp(pattern, 'u').test(name))
  const found = [...own, ...matching.map((pattern) => patternProperties[pattern] as Schema)]
  return found.length > 0 ? found : [additionalProperties]
}

function isNull({ enum: listed, type }: Schema): boolean {
  return listed?.every((each) => each === null) ?? type?.join() === 'null'
}

/** Returns true if the smallest value for the schema clearly has no parts. */
function isPlain(schema: Schema): boolean {
  if (schema.allOf || schema.anyOf || schema.oneOf) return false
  return !/^(object|array)$/.test(String(allowedTypes([schema], true)[0]))
}

/** Returns the types that all schemas allow. Null comes last or, for a small value, first. */
function allowedTypes(schemas: readonly Schema[], isSmall: boolean): TypeName[] {
  const named = schemas.flatMap(({ type }) => (type ? [type] : []))
  const [first = [...(isSmall ? ['null' as const] : []), likelyType(schemas)]] = named
  const isAllowed = (type: TypeName) =>
    named.every((types) => types.includes(type) || (type === 'integer' && types.includes('number')))
  const rank = (type: TypeName) =>
    isSmall ? Number(/object|array/.test(type)) - Number(type === 'null') : Number(type === 'null')
  const candidates = first.flatMap((type): TypeName[] => (type === 'number' ? ['number', 'integer'] : [type]))
  return [...new Set(candidates)].filter(isAllowed).sort((left, right) => rank(left) - rank(right))
}

/** Guesses the type from the keywords of schemas without `type`. */
function likelyType(schemas: readonly Schema[]): TypeName {
  const keywords = schemas.flatMap((schema) => Object.keys(schema)).join()
  if (/required|properties/i.test(keywords)) return 'object'
  if (/items|contains/i.test(keywords)) return 'array'
  return /minimum|maximum|multipleOf/i.test(keywords) ? 'number' : 'string'
}
