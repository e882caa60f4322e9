/**
 * Generates a value that a schema accepts, from the outside in. The value is as complete as users expect: if the
 * schema allows, it has all optional fields and one or two items per array. Recursive or very large schemas get the
 * smallest value.
 */

import { random } from '../../lib/seed.ts'
import type { JsonSchema, TypeName } from '../../resources/json-schema.ts'
import { Budget, Exhausted } from './budget.ts'
import { textOfPatterns } from './patterns.ts'
import { fitLength, numberFor } from './scalars.ts'
import { InvalidSchema, problemOf, readSchema, type Schema } from './schema.ts'

interface Location {
  /** Keys and indexes, outermost first. */
  path: readonly (string | number)[]
  /** Schemas of the objects and arrays around the value. A schema that refers to itself occurs several times. */
  around: readonly Schema[]
}

export interface ValuePlace extends Location {
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
  propose(place: ValuePlace): unknown
  /** Texts to append to the first free-form string that has room for one. */
  links: readonly string[]
}

/**
 * Generates a value for a schema, or the smallest one if a full one exceeds the limits. Throws `InvalidSchema` or
 * `Exhausted`.
 *
 * @returns The value, and the reasons why the schema might reject it.
 */
export function generateValue(
  source: JsonSchema,
  options: GenerateOptions,
  isSmall = false,
): { value: unknown; doubts: string[] } {
  try {
    const budget = new Budget()
    const { schema, ignored } = readSchema(source, budget)
    const { value } = new ValueGenerator(options, budget, isSmall).make([schema], { path: [], around: [] })
    const problem = problemOf(value, schema) ?? []
    return { value, doubts: [...[...ignored].map((part) => `${part} is not simulated`), problem].flat() }
  } catch (error) {
    if (error instanceof Exhausted && !isSmall) return generateValue(source, options, true)
    throw error
  }
}

const maxAttempts = 12
/** Number of schemas around a place that repeat, after which only the smallest values are generated. */
const maxNesting = 2
const maxDepth = 100
/** Steps for each part of a value. */
const partSteps = 25
/** Key in the location of a generated field name. */
const nameKey = '*'

class ValueGenerator {
  readonly #options: GenerateOptions
  readonly #budget: Budget
  readonly #isSmall: boolean
  /** Location of the string with the links. */
  #linked: string | undefined

  /** @param isSmall If true, generates the smallest value. */
  constructor(options: GenerateOptions, budget: Budget, isSmall: boolean) {
    this.#options = options
    this.#budget = budget
    this.#isSmall = isSmall
  }

  /**
   * Generates a value that all schemas accept or, if no attempt succeeds, the first value made. Throws `InvalidSchema`
   * if none was made.
   *
   * @param again Distinguishes values for the same location. Default: 0.
   */
  make(schemas: readonly Schema[], at: Location, again = 0): { value: unknown; isAccepted: boolean } {
    const { path } = at
    const where = path.map((key) => `/${key}`).join('') + (again > 0 ? `#${again}` : '')
    if (path.length > maxDepth) throw new Exhausted(`more than ${maxDepth} levels`)
    this.#budget.spend(partSteps + where.length / 10)
    let made: unknown
    let reason = 'no value matches'
    let ways = 1
    for (let attempt = 0; attempt < Math.min(maxAttempts, 2 * ways); attempt++) {
      try {
        const turn = attempt >> 1
        const choice = this.#choose(schemas, at, turn, where)
        const types = allowedTypes(choice.schemas, choice.isSmall)
        ways = Math.max(choice.ways, types.length)
        if (choice.isEndless) fail('every value would be infinitely nested')
        const type = types[turn % types.length] ?? fail('no value matches')
        // Every second attempt omits optional fields, which can exclude each other.
        const isBare = choice.isSmall || attempt % 2 === 1
        const drawn = random(this.#options.seed, where, attempt)
        const value = this.#value({ ...at, type, schemas: choice.schemas, random: drawn }, isBare)
        if (accepted(value, schemas)) return { value, isAccepted: true }
        made ??= value
      } catch (error) {
        if (!(error instanceof InvalidSchema)) throw error
        reason = error.message
      }
    }
    if (made !== undefined) return { value: made, isAccepted: false }
    // Reports the innermost location.
    return fail(reason.startsWith('/') || where === '' ? reason : `${where}: ${reason}`)
  }

  /**
   * Returns the schemas of a location, everything they refer to, one branch of each list of alternatives, and the
   * number of different choices.
   *
   * @param turn Number of the choice, from 0.
   */
  #choose(schemas: readonly Schema[], { around }: Location, turn: number, where: string) {
    const parts = new Set(schemas)
    let isSmall = this.#isSmall || this.#budget.isLow
    let isEndless = false
    let ways = 1
    for (const schema of parts) {
      this.#budget.spend(1 + around.length / 100)
      const nesting = around.filter((each) => each === schema).length
      if (nesting >= maxNesting) isSmall = true
      if (nesting > maxNesting) isEndless = true
      for (const part of schema.allOf ?? []) parts.add(part)
      for (const branches of [schema.anyOf, schema.oneOf]) {
        if (!branches) continue
        const branch = this.#ordered(branches, isSmall, where)[Math.floor(turn / ways) % branches.length]
        parts.add(branch as Schema)
        ways *= branches.length
      }
    }
    return { schemas: [...parts], ways, isSmall, isEndless }
  }

  /** Orders branches: the simplest first for a small value, otherwise a random one that is not null. */
  #ordered(branches: readonly Schema[], isSmall: boolean, where: string): Schema[] {
    this.#budget.spend(branches.length)
    const start = isSmall ? 0 : Math.floor(random(this.#options.seed, where, 'choice')() * branches.length)
    const typeOf = (branch: Schema) =>
      branch.allOf || branch.anyOf || branch.oneOf ? 'object' : allowedTypes([branch], isSmall)[0]
    return sortedBy([...branches.slice(start), ...branches.slice(0, start)], (branch) =>
      rank(typeOf(branch), isSmall),
    )
  }

  #value(place: ValuePlace, isSmall: boolean): unknown {
    const { type, schemas, random } = place
    const isAllowed = (value: unknown) => value !== undefined && accepted(value, schemas)
    const samples = schemas.flatMap(({ samples = [] }) => samples)
    const listed = schemas.find((schema) => schema.enum)?.enum
    const start = listed ? Math.floor(random() * listed.length) : 0
    const proposed = listed ? undefined : this.#options.propose(place)
    const known = [...samples, ...(listed?.slice(start) ?? []), ...(listed?.slice(0, start) ?? [proposed])]
    const index = known.findIndex(isAllowed)
    if (index >= 0) return this.#copy(known[index])
    if (listed) fail('none of the listed values is allowed')
    switch (type) {
      case 'null':
        return null
      case 'boolean':
        return random() >= 0.5
      case 'integer':
      case 'number':
        return numberFor(schemas, type === 'integer', random) ?? fail('no number is within the bounds')
      case 'string':
        return this.#text(place, proposed, isSmall)
      case 'array':
        return this.#array(place, isSmall)
      case 'object':
        return this.#object(place, isSmall)
      default:
        return fail(`type '${type}' is unknown`)
    }
  }

  #copy(value: unknown): unknown {
    this.#budget.spend(JSON.stringify(value).length)
    return structuredClone(value)
  }

  #text({ schemas, path, random }: ValuePlace, proposed: unknown, isSmall: boolean): string {
    const [min, max] = countsOf(schemas, 'Length')
    this.#budget.spend(min)
    const patterns = schemas.flatMap(({ pattern }) => pattern ?? [])
    if (patterns.length > 0) return textOfPatterns(patterns, min, max, random, this.#budget)
    if (typeof proposed === 'string') return fitLength(proposed, min, max)
    const text = fitLength(this.#options.words(), min, max)
    const where = path.join('/')
    if (isSmall || path.at(-1) === nameKey || (this.#linked ?? where) !== where) return text
    const isRoom = (cited: string, link: string) => cited.length + link.length < max
    const cited = this.#options.links.reduce(
      (all, link) => (isRoom(all, link) ? `${all} ${link}` : all),
      text,
    )
    if (cited !== text) this.#linked = where
    return cited
  }

  #array(place: ValuePlace, isSmall: boolean): unknown[] {
    const { schemas, random } = place
    const [min, max] = countsOf(schemas, 'Items')
    const listed = schemas.map(({ prefixItems = [] }) => prefixItems.length)
    const usual = Math.max(1 + Math.round(random()), ...listed)
    const count = isSmall ? min : Math.max(min, Math.min(usual, max))
    const seen = schemas.some(({ uniqueItems }) => uniqueItems) ? new Set<string>() : undefined
    const items: unknown[] = []
    while (items.length < count) {
      const index = items.length
      const inner = schemas.map(({ prefixItems = [], items: rest = {} }) => prefixItems[index] ?? rest)
      const contained = schemas.flatMap(({ contains = [] }) => (index === 0 ? contains : []))
      const item = this.#part([...inner, ...contained], within(place, index), index >= min, seen)
      if (item === undefined) break
      items.push(item)
    }
    return items
  }

  #object(place: ValuePlace, isSmall: boolean): Record<string, unknown> {
    const { schemas } = place
    const [min, max] = countsOf(schemas, 'Properties')
    const required = new Set(schemas.flatMap((schema) => schema.required ?? []))
    const declared = schemas.flatMap(({ properties = {} }) => Object.keys(properties))
    if (required.size > max) fail('more fields are required than allowed')
    const fields = new Map<string, unknown>()
    const add = (name: string) => {
      const inner = schemas.flatMap((schema) => propertySchemas(schema, name))
      const value = this.#part(inner, within(place, name), !required.has(name))
      if (value !== undefined) fields.set(name, value)
    }
    let room = max - required.size
    for (const name of new Set([...declared, ...required]))
      if (required.has(name) || (!isSmall && room-- > 0)) add(name)
    const isMap = declared.length === 0 && schemas.some((schema) => schema.additionalProperties)
    const count = Math.max(min, isMap && !isSmall ? Math.min(2, max) : 0)
    for (let spare = 1; fields.size < count && spare < count + maxAttempts; spare++) {
      const name = this.#nameOf(place, spare)
      add(fields.has(name) ? `${name}_${spare}` : name)
    }
    return Object.fromEntries(fields)
  }

  /** Returns a name for a field that the schema does not list. */
  #nameOf(place: ValuePlace, spare: number): string {
    const constraints = place.schemas.flatMap(({ patternProperties = {}, propertyNames = [] }) => {
      const [pattern] = Object.keys(patternProperties)
      return [pattern === undefined ? [] : { pattern }, propertyNames].flat()
    })
    if (constraints.length === 0) return this.#options.words().toLowerCase().replaceAll(' ', '_')
    return String(this.make([{ type: ['string'] }, ...constraints], within(place, nameKey), spare).value)
  }

  /**
   * Generates a part of an array or object. Returns undefined if the part is optional and no value matches.
   *
   * @param seen Values that the part must differ from. The part is added to them.
   */
  #part(schemas: readonly Schema[], at: Location, isOptional: boolean, seen?: Set<string>): unknown {
    try {
      for (let again = 0; again < 5 * maxAttempts; again++) {
        const { value, isAccepted } = this.make(schemas, at, again)
        if (isOptional && !isAccepted) return undefined
        const text = seen ? JSON.stringify(value) : ''
        if (!seen?.has(text)) {
          seen?.add(text)
          return value
        }
      }
    } catch (error) {
      if (!(error instanceof InvalidSchema && isOptional)) throw error
    }
    return isOptional ? undefined : fail(`not enough different values for item ${at.path.at(-1)}`)
  }
}

function fail(reason: string): never {
  throw new InvalidSchema(reason)
}

function within({ path, around, schemas }: ValuePlace, key: string | number): Location {
  return { path: [...path, key], around: [...around, ...schemas] }
}

function accepted(value: unknown, schemas: readonly Schema[]): boolean {
  return schemas.every((schema) => problemOf(value, schema) === undefined)
}

/** Returns the limits on items (`minItems`, `maxItems`), length or properties. */
function countsOf(schemas: readonly Schema[], what: 'Length' | 'Items' | 'Properties'): [number, number] {
  const min = Math.max(0, ...schemas.map((schema) => schema[`min${what}`] ?? 0))
  const max = Math.min(...schemas.map((schema) => schema[`max${what}`] ?? Infinity))
  return min > max ? fail(`min${what} is above max${what}`) : [min, max]
}

function propertySchemas(schema: Schema, name: string): Schema[] {
  const { properties = {}, patternProperties = {}, additionalProperties = {} } = schema
  const found = Object.hasOwn(properties, name) ? [properties[name] as Schema] : []
  for (const [pattern, inner] of Object.entries(patternProperties))
    if (new RegExp(pattern, 'u').test(name)) found.push(inner)
  return found.length > 0 ? found : [additionalProperties]
}

/** Returns the types that all schemas allow. */
function allowedTypes(schemas: readonly Schema[], isSmall: boolean): TypeName[] {
  const named = schemas.flatMap(({ type }) => (type ? [type] : []))
  const [first = [...(isSmall ? ['null' as const] : []), likelyType(schemas)]] = named
  const candidates = first.flatMap((type): TypeName[] => (type === 'number' ? ['number', 'integer'] : [type]))
  const allowed = candidates.filter((type) =>
    named.every((types) => types.includes(type) || (type === 'integer' && types.includes('number'))),
  )
  return sortedBy([...new Set(allowed)], (type) => rank(type, isSmall))
}

/** Null comes last or, for a small value, first. */
function rank(type: TypeName | undefined, isSmall: boolean): number {
  if (type === 'null') return isSmall ? -1 : 1
  return isSmall && (type === 'array' || type === 'object') ? 1 : 0
}

function sortedBy<Item>(items: readonly Item[], rankOf: (item: Item) => number): Item[] {
  return [...items].sort((left, right) => rankOf(left) - rankOf(right))
}

/** Guesses the type from the keywords of schemas without `type`. */
function likelyType(schemas: readonly Schema[]): TypeName {
  const keywords = schemas.flatMap((schema) => Object.keys(schema)).join()
  if (/required|properties/i.test(keywords)) return 'object'
  if (/items|contains/i.test(keywords)) return 'array'
  return /minimum|maximum|multipleOf/i.test(keywords) ? 'number' : 'string'
}
