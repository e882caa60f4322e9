/**
 * Generates a value that a schema accepts, from the outside in. The value is as complete as users expect: if the
 * schema allows, it has all optional fields and one or two items per array. Recursive or very large schemas get the
 * smallest value.
 */

import { random } from '../../lib/seed.ts'
import type { JsonSchema, TypeName } from '../../resources/json-schema.ts'
import { Budget, Exhausted } from './budget.ts'
import { accepts, problemOf } from './check.ts'
import { textOfPatterns } from './patterns.ts'
import { fitLength, numberFor } from './scalars.ts'
import { type Schema, type SchemaNode, SchemaReader } from './schema.ts'

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
  schemas: readonly SchemaNode[]
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
  const schema = reader.read()
  const generate = (isSmall: boolean): GeneratedValue => {
    budget.restart()
    const value = new ValueGenerator(options, budget, reader, isSmall).make([schema], [])
    const problem = problemOf(schema, value)
    const ignored = [...reader.ignored].map((part) => `${part} is not simulated`)
    budget.restart()
    const accepts = (changed: unknown) =>
      unlessExhausted(
        () => problemOf(schema, changed) === undefined,
        () => false,
      )
    return { value, accepts, doubts: problem === undefined ? ignored : [...ignored, problem] }
  }
  return unlessExhausted(
    () => generate(false),
    () => generate(true),
  )
}

function unlessExhausted<Result>(run: () => Result, otherwise: () => Result): Result {
  try {
    return run()
  } catch (error) {
    if (error instanceof Exhausted) return otherwise()
    throw error
  }
}

/** Constraints on one location. */
interface Draft {
  /** The schemas, everything they refer to, and the branches chosen so far. */
  parts: ReadonlySet<SchemaNode>
  /** Lists of branches. One branch from each list remains to be chosen. */
  alternatives: readonly (readonly Schema[])[]
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
  readonly #reader: SchemaReader
  readonly #isSmall: boolean
  /** Schemas that contain the current location, with their nesting depth. */
  readonly #open = new Map<SchemaNode, number>()

  /** @param isSmall If true, generates the smallest value. */
  constructor(options: GenerateOptions, budget: Budget, reader: SchemaReader, isSmall: boolean) {
    this.#options = options
    this.#budget = budget
    this.#reader = reader
    this.#isSmall = isSmall
  }

  /**
   * Generates a value that all schemas accept or, if no attempt succeeds, the first value made. Throws `Unsatisfiable`
   * if none was made.
   *
   * @param again Distinguishes values for the same location. Default: 0.
   */
  make(schemas: readonly Schema[], path: Path, again = 0): unknown {
    const where = path.map((key) => `/${key}`).join('') + (again > 0 ? `#${again}` : '')
    this.#budget.spend('parts')
    this.#budget.step(where.length / 10)
    const levels = 1 + Math.max(...schemas.map((schema) => this.#reader.heightOf(schema)))
    return this.#budget.deeper(() => {
      const isSmall = this.#isSmall || this.#budget.parts > enoughParts
      const draft = this.#expand({ parts: new Set(), alternatives: [], isSmall }, schemas)
      const made: unknown[] = []
      let reason = 'no value matches'
      let tries = 0
      for (const make of this.#ways(draft, path, where)) {
        try {
          const value = make(random(this.#options.seed, where, tries))
          if (schemas.every((schema) => accepts(schema, value))) return value
          made.push(value)
        } catch (error) {
          if (!(error instanceof Unsatisfiable)) throw error
          reason = error.message
        }
        if (++tries < maxAttempts) continue
        reason = `no value found in ${maxAttempts} attempts; the last one failed: ${reason}`
        break
      }
      if (made.length > 0) return made[0]
      // Reports the innermost location.
      return fail(reason.startsWith('/') || where === '' ? reason : `${where}: ${reason}`)
    }, levels)
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
  #expand(draft: Draft, schemas: readonly Schema[]): Draft {
    const parts = new Set(draft.parts)
    const alternatives = [...draft.alternatives]
    let { isSmall, dead } = draft
    const visit = (schema: Schema): void => {
      if (schema === false) dead ??= 'no value is allowed'
      if (typeof schema === 'boolean' || parts.has(schema)) return
      parts.add(schema)
      const nesting = this.#open.get(schema) ?? 0
      if (nesting >= maxNesting) isSmall = true
      if (nesting > maxNesting) dead ??= 'every value would be infinitely nested'
      for (const branches of [schema.anyOf, schema.oneOf]) if (branches) alternatives.push(branches)
      schema.allOf?.forEach(visit)
    }
    schemas.forEach(visit)
    this.#budget.step(parts.size)
    return { parts, alternatives, isSmall, dead }
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

  /** Runs a function with the schemas marked as open. */
  #within<Value>(schemas: readonly SchemaNode[], run: () => Value): Value {
    for (const schema of schemas) this.#open.set(schema, (this.#open.get(schema) ?? 0) + 1)
    try {
      return run()
    } finally {
      for (const schema of schemas) this.#open.set(schema, (this.#open.get(schema) as number) - 1)
    }
  }

  #value(place: ValuePlace, isSmall: boolean): unknown {
    const { type, schemas, random } = place
    const isAllowed = (value: unknown) => schemas.every((each) => accepts(each, value))
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
      const inner = schemas.map(({ prefixItems = [], items: rest = true }) => prefixItems[index] ?? rest)
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
        const value = this.make(schemas, path, again)
        if (isOptional && !schemas.every((schema) => accepts(schema, value))) return undefined
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
function countsOf(schemas: readonly SchemaNode[], what: 'Length' | 'Items' | 'Properties'): [number, number] {
  const min = Math.max(0, ...schemas.map((schema) => schema[`min${what}`] ?? 0))
  const max = Math.min(...schemas.map((schema) => schema[`max${what}`] ?? Infinity))
  return min > max ? fail(`min${what} is above max${what}`) : [min, max]
}

function propertySchemas(schema: SchemaNode, name: string): Schema[] {
  const { properties = {}, patternProperties = {}, additionalProperties = true } = schema
  const own = Object.hasOwn(properties, name) ? [properties[name] as Schema] : []
  const matching = Object.keys(patternProperties).filter((pattern) => new RegExp(pattern, 'u').test(name))
  const found = [...own, ...matching.map((pattern) => patternProperties[pattern] as Schema)]
  return found.length > 0 ? found : [additionalProperties]
}

function isNull(schema: Schema): boolean {
  return (
    typeof schema === 'object' &&
    (schema.enum?.every((each) => each === null) ?? schema.type?.join() === 'null')
  )
}

/** Returns true if the smallest value for the schema clearly has no parts. */
function isPlain(schema: Schema): boolean {
  if (typeof schema === 'boolean' || schema.allOf || schema.anyOf || schema.oneOf) return false
  return !/^(object|array)$/.test(String(allowedTypes([schema], true)[0]))
}

/** Returns the types that all schemas allow. Null comes last or, for a small value, first. */
function allowedTypes(schemas: readonly SchemaNode[], isSmall: boolean): TypeName[] {
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
function likelyType(schemas: readonly SchemaNode[]): TypeName {
  const keywords = schemas.flatMap((schema) => Object.keys(schema)).join()
  if (/required|properties/i.test(keywords)) return 'object'
  if (/items|contains/i.test(keywords)) return 'array'
  return /minimum|maximum|multipleOf/i.test(keywords) ? 'number' : 'string'
}
