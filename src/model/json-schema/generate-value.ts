/** Generates a value that a schema accepts, from the outside in. Very large schemas get the smallest value. */
import { fieldsOf, lookUp } from '../../lib/json.ts'
import { random } from '../../lib/seed.ts'
import type { JsonSchema, TypeName } from '../../resources/json-schema.ts'
import { Budget, Exhausted } from './budget.ts'
import { numberFor } from './numbers.ts'
import { InvalidSchema, problemOf, readSchema, type Schema } from './schema.ts'
import { fitLength, textOfPatterns } from './strings.ts'

interface Location {
  path: readonly (string | number)[]
  /** Schemas of the objects and arrays that enclose the value. A schema that refers to itself occurs several times. */
  around: readonly Schema[]
  salt: string
}

export interface ValuePlace extends Location {
  type: TypeName
  schemas: readonly Schema[]
  random(): number
}

interface GenerateOptions {
  seed: string
  /** Returns the next words for a free-form string or field name. */
  words(): string
  /** Proposes a value, which is used if the schemas accept it. Strings are truncated or repeated to fit. */
  propose(place: ValuePlace): unknown
  links: readonly string[]
}

/** Throws `InvalidSchema` or `Exhausted`. `doubts` are the reasons why the value might not match the schema. */
export function generateValue(
  source: JsonSchema,
  options: GenerateOptions,
  isSmall = false,
): { value: unknown; doubts: string[] } {
  try {
    const budget = new Budget()
    const { schema, ignored } = readSchema(source, budget)
    const { value } = valueMaker(options, budget, isSmall)([schema], { path: [], around: [], salt: '' })
    const problem = problemOf(value, schema)
    if (problem !== undefined) fail(problem)
    return { value, doubts: [...ignored].map((pattern) => `${pattern} is not simulated`) }
  } catch (error) {
    // Schemas that lead back to themselves overflow the validator's stack. Any other range error is a bug.
    const isOverflow = error instanceof RangeError && error.message.includes('call stack')
    const reason = isOverflow ? new Exhausted('nested too deeply') : error
    if (reason instanceof Exhausted && !isSmall) return generateValue(source, options, true)
    throw reason
  }
}

const maxAttempts = 12
/** Maximum number of values per attempt. Each value can make other parts of the schema apply. */
const maxRounds = 4
const maxDepth = 100
const partSteps = 25
const nameKey = '*'

function valueMaker(options: GenerateOptions, budget: Budget, isSmallest: boolean) {
  let linkedAt: string | undefined

  /** Returns the first generated value if none is accepted. Throws `InvalidSchema` if no value can be generated. */
  function make(
    schemas: readonly Schema[],
    at: Location,
    again = 0,
  ): { value: unknown; isAccepted: boolean } {
    const salt = at.salt + (again > 0 ? `#${again}` : '')
    const where = at.path.map((key) => `/${key}`).join('') + salt
    if (at.path.length > maxDepth) throw new Exhausted(`more than ${maxDepth} levels`)
    budget.spend(partSteps + where.length / 10)
    let made: unknown
    let reason = 'no value matches'
    let ways = 1
    for (let attempt = 0; attempt < Math.min(maxAttempts, 2 * ways); attempt++) {
      try {
        const turn = attempt >> 1
        let parts = schemas
        // Adds the parts that apply because of the value, such as `then`, until it fulfils them.
        for (let rounds = 0; rounds < maxRounds; rounds++) {
          const choice = choose(parts, at, attempt, where)
          const types = allowedTypes(choice.schemas)
          ways = Math.max(choice.ways, types.length)
          if (choice.isEndless) fail('every value would be infinitely nested')
          const type = types[turn % types.length] ?? fail('type: the schemas allow different types')
          const drawn = random(options.seed, where, attempt)
          const place = { ...at, salt, type, schemas: choice.schemas, random: drawn }
          // Every second attempt omits optional fields, which can exclude each other.
          const value = valueFor(place, choice.isSmall || attempt % 2 === 1)
          if (accepted(value, schemas)) return { value, isAccepted: true }
          made ??= value
          const more = choice.schemas.flatMap((schema) => conditionalParts(schema, value))
          if (more.every((part) => choice.schemas.includes(part))) break
          parts = [...parts, ...more]
        }
      } catch (error) {
        if (!(error instanceof InvalidSchema)) throw error
        reason = error.message
      }
    }
    if (made !== undefined) return { value: made, isAccepted: false }
    return fail(reason.startsWith('/') || where === '' ? reason : `${where}: ${reason}`)
  }

  /** Includes everything that the schemas refer to, and one branch of each list of alternatives. */
  function choose(schemas: readonly Schema[], { around }: Location, attempt: number, where: string) {
    const parts = new Set(schemas)
    const isSmall = isSmallest || budget.isLow
    let isEndless = false
    let ways = 1
    for (const schema of parts) {
      budget.spend(1 + around.length / 100)
      if (around.filter((each) => each === schema).length > (isSmall ? 0 : 1)) isEndless = true
      for (const part of schema.allOf ?? []) parts.add(part)
      if (schema.description && attempt === 0) parts.add(schema.description)
      for (const branches of [schema.anyOf, schema.oneOf]) {
        if (!branches) continue
        const ordered = isSmall ? branches.toReversed() : shuffled(branches, where)
        parts.add(ordered[Math.floor((attempt >> 1) / ways) % branches.length] as Schema)
        ways *= branches.length
      }
    }
    return { schemas: [...parts], ways, isSmall, isEndless }
  }

  function shuffled(branches: readonly Schema[], where: string): Schema[] {
    budget.spend(branches.length)
    const all = rotated(branches, random(options.seed, where, 'choice')())
    const isNull = ({ type }: Schema) => type?.join() === 'null'
    return [...all.filter((each) => !isNull(each)), ...all.filter(isNull)]
  }

  function valueFor(place: ValuePlace, isSmall: boolean): unknown {
    const { type, schemas, random } = place
    const samples = schemas.flatMap(({ samples = [] }) => samples)
    const listed = schemas.find((schema) => schema.enum)?.enum
    const proposed = listed ? undefined : options.propose(place)
    const known = [...samples, ...(listed ? rotated(listed, random()) : [proposed])]
    const found = known.find((value) => value !== undefined && accepted(value, schemas))
    if (found !== undefined) {
      budget.spend(JSON.stringify(found).length)
      return structuredClone(found)
    }
    if (listed)
      fail(
        listed.length > 0 ? 'enum: no value is allowed' : 'a schema is false, such as additionalProperties',
      )
    switch (type) {
      case 'null':
        return null
      case 'boolean':
        return random() >= 0.5
      case 'integer':
      case 'number':
        return numberFor(schemas, type === 'integer', random, (each) => accepted(each, schemas))
      case 'string':
        return textFor(place, proposed, isSmall)
      case 'array':
        return arrayFor(place, isSmall)
      case 'object':
        return objectFor(place, isSmall)
      default:
        return fail(`type '${type}' is unknown`)
    }
  }

  function textFor({ schemas, path, random }: ValuePlace, proposed: unknown, isSmall: boolean): string {
    const [min, max] = countsOf(schemas, 'Length')
    budget.spend(min)
    const patterns = schemas.flatMap(({ pattern }) => pattern ?? [])
    if (patterns.length > 0) return textOfPatterns(patterns, min, max, random, budget)
    if (typeof proposed === 'string') return fitLength(proposed, min, max)
    const text = fitLength(options.words(), min, max)
    const where = path.join('/')
    const isFree = (linkedAt ?? where) === where && path.at(-1) !== nameKey
    if (isSmall || !isFree) return text
    const linked = options.links.reduce(
      (all, link) => (all.length + link.length < max ? `${all} ${link}` : all),
      text,
    )
    if (linked !== text) linkedAt = where
    return linked
  }

  function arrayFor(place: ValuePlace, isSmall: boolean): unknown[] {
    const { schemas, random } = place
    const [least, max] = countsOf(schemas, 'Items')
    const listed = Math.max(...schemas.map(({ prefixItems = [] }) => prefixItems.length))
    const contained = schemas.flatMap(({ contains, minContains = 1 }) =>
      contains ? Array<Schema>(Math.min(minContains, max)).fill(contains) : [],
    )
    // Contained items follow those that `prefixItems` lists.
    const min = Math.max(least, contained.length > 0 ? listed + contained.length : 0)
    const usual = Math.max(1 + Math.round(random()), listed)
    const count = isSmall ? min : Math.max(min, Math.min(usual, max))
    const isUnique = schemas.some(({ uniqueItems }) => uniqueItems)
    const items = new Map<string | number, unknown>()
    for (let repeats = 0; items.size < count && repeats < 5 * maxAttempts; ) {
      const index = items.size
      const inner = schemas.flatMap(({ prefixItems = [], items: rest = {}, contains, maxContains }) => {
        const isOther = index >= listed + contained.length && contains && maxContains !== undefined
        return [prefixItems[index] ?? rest, isOther ? { not: contains } : []].flat()
      })
      const others = isUnique && index > 0 ? [{ not: { enum: [...items.values()] } }] : []
      const parts = [inner, contained[index - listed] ?? [], others].flat()
      const isOptional = index >= min || others.length > 0
      const item = part(parts, within(place, index), isOptional, repeats)
      if (item !== undefined) items.set(isUnique ? JSON.stringify(item) : index, item)
      else if (others.length === 0) break
      if (items.size === index) repeats++
    }
    if (items.size < min) fail(`uniqueItems: not enough different values for item ${items.size}`)
    return [...items.values()]
  }

  function objectFor(place: ValuePlace, isSmall: boolean): Record<string, unknown> {
    const { schemas } = place
    const [min, max] = countsOf(schemas, 'Properties')
    const required = new Set(schemas.flatMap((schema) => schema.required ?? []))
    const declared = schemas.flatMap(({ properties = {} }) => Object.keys(properties))
    if (required.size > max) fail('required: lists more fields than maxProperties allows')
    const fields = new Map<string, unknown>()
    const add = (name: string) => {
      const inner = schemas.flatMap((schema) => propertySchemas(schema, name))
      const value = part(inner, within(place, name), !required.has(name))
      if (value !== undefined) fields.set(name, value)
    }
    let room = max - required.size
    for (const name of new Set([...declared, ...required]))
      if (required.has(name) || (!isSmall && room-- > 0)) add(name)
    const isMap = declared.length === 0 && schemas.some((schema) => schema.additionalProperties)
    const count = Math.max(min, isMap && !isSmall ? Math.min(2, max) : 0)
    for (let spare = 1; fields.size < count && spare < count + maxAttempts; spare++) {
      const name = nameOf(place, spare, [...fields.keys()])
      add(fields.has(name) ? `${name}_${spare}` : name)
    }
    return Object.fromEntries(fields)
  }

  function nameOf(place: ValuePlace, spare: number, others: readonly string[]): string {
    const constraints = place.schemas.flatMap(({ patternProperties = {}, propertyNames = [] }) => {
      const [pattern] = Object.keys(patternProperties)
      return [pattern === undefined ? [] : { pattern }, propertyNames].flat()
    })
    const parts: Schema[] = [{ type: ['string'], not: { enum: others } }, ...constraints]
    return String(make(parts, within(place, nameKey), spare).value)
  }

  function part(schemas: readonly Schema[], at: Location, isOptional: boolean, again?: number): unknown {
    try {
      const { value, isAccepted } = make(schemas, at, again)
      return isAccepted || !isOptional ? value : undefined
    } catch (error) {
      if (error instanceof InvalidSchema && isOptional) return undefined
      throw error
    }
  }

  return make
}

function fail(reason: string): never {
  throw new InvalidSchema(reason)
}

function within({ path, around, schemas, salt }: ValuePlace, key: string | number): Location {
  return { path: [...path, key], around: [...around, ...schemas], salt }
}

function accepted(value: unknown, schemas: readonly Schema[]): boolean {
  return schemas.every((schema) => problemOf(value, schema) === undefined)
}

function conditionalParts(schema: Schema, value: unknown): Schema[] {
  const { if: condition, then = {}, else: otherwise = {}, dependentSchemas = {} } = schema
  const branch = !condition ? [] : problemOf(value, condition) === undefined ? then : otherwise
  return [
    branch,
    ...Object.keys(fieldsOf(value)).flatMap((name) => lookUp(dependentSchemas, name) ?? []),
  ].flat()
}

function rotated<Item>(items: readonly Item[], share: number): Item[] {
  const start = Math.floor(share * items.length)
  return [...items.slice(start), ...items.slice(0, start)]
}

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

function allowedTypes(schemas: readonly Schema[]): TypeName[] {
  const named = schemas.flatMap(({ type }) => (type ? [type] : []))
  const [first = likelyTypes(schemas)] = named
  const candidates = first.flatMap((type): TypeName[] => (type === 'number' ? ['number', 'integer'] : [type]))
  const allowed = candidates.filter((type) =>
    named.every((types) => types.includes(type) || (type === 'integer' && types.includes('number'))),
  )
  return [...new Set(allowed)].sort((left, right) => Number(left === 'null') - Number(right === 'null'))
}

/** Guesses the type from the keywords of schemas without `type`. A schema with `not` may exclude the likely type. */
function likelyTypes(schemas: readonly Schema[]): TypeName[] {
  const keywords = schemas.flatMap((schema) => Object.keys(schema)).join()
  const others: TypeName[] = /not/.test(keywords)
    ? ['string', 'number', 'boolean', 'object', 'array', 'null']
    : []
  if (/required|properties|dependent/i.test(keywords)) return ['object', ...others]
  if (/items|contains/i.test(keywords)) return ['array', ...others]
  return [/minimum|maximum|multipleOf/i.test(keywords) ? 'number' : 'string', ...others]
}
