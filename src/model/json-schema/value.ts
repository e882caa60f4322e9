/**
 * Makes a value that a schema accepts. Where nothing speaks against it, it is as full as people expect: every optional
 * field, an item or two in each list. A schema that contains itself, or asks for much, gets the smallest.
 */
import { random } from '../../lib/seed.ts'
import { Judge } from './accepts.ts'
import type { Budget } from './budget.ts'
import { type Choices, Collector } from './choices.ts'
import { textLike } from './pattern-text.ts'
import { numberIn, rangeOf } from './scalars.ts'
import {
  canonical,
  firstItems,
  itemSchema,
  type JsonSchema,
  largest,
  listedValues,
  namedNames,
  namedSchemas,
  numberAt,
  References,
  type SchemaObject,
  schemaAt,
  smallest,
  textsAt,
} from './schema.ts'
import { Sizes } from './sizes.ts'
import { fakeText, type TextSource } from './text.ts'
import { allowedTypes } from './types.ts'

/** Thrown where no value was found for a part of a schema. */
export class Unsatisfied extends Error {
  override name = 'Unsatisfied'
}

/** How often a part is tried anew, each time with other choices. */
const tries = 12
/** What an attempt costs, beside what is counted in it; as much again where it fails. */
const attemptSteps = 20
/** How many parts a value has before only the smallest ones follow. */
const enough = 1000

export interface Taste {
  /** What every draw depends on. */
  seed: string
  /** Free texts, one after another. */
  phrases: Iterator<string, never>
  /** Whether to make the smallest value that can be found. */
  small: boolean
  /** Whether the `example`, `examples` and `default` of a schema are taken, where it accepts them. Default: false. */
  examples?: boolean
}

export class ValueMaker {
  readonly #taste: Taste
  readonly #budget: Budget
  readonly #judge: Judge
  readonly #sizes: Sizes
  readonly #collector: Collector
  readonly #texts: TextSource
  readonly #root: JsonSchema

  constructor(root: JsonSchema, taste: Taste, budget: Budget) {
    const references = new References(root)
    this.#root = root
    this.#taste = taste
    this.#budget = budget
    this.#judge = new Judge(references, budget)
    this.#sizes = new Sizes(root, references, budget)
    this.#collector = new Collector(references, this.#sizes)
    this.#texts = { judge: this.#judge, budget, phrases: taste.phrases }
  }

  make(): unknown {
    if (this.#sizes.of(this.#root) === Number.POSITIVE_INFINITY)
      throw new Unsatisfied('no value of it ever ends')
    return this.#make([this.#root], '')
  }

  /** @param path Where the value stands, as a JSON pointer: draws depend on it. */
  #make(schemas: readonly JsonSchema[], path: string): unknown {
    this.#budget.node()
    this.#budget.step(path.length / 10)
    return this.#budget.deeper(() => {
      let failure: unknown
      for (let attempt = 0; attempt < tries; attempt++) {
        this.#budget.step(attemptSteps)
        const isSmall = this.#taste.small || this.#budget.nodes > enough
        const choices = this.#collector.collect(
          schemas,
          random(this.#taste.seed, path, 'choice'),
          attempt,
          isSmall,
        )
        if (!choices) continue
        this.#budget.step(choices.parts.length)
        try {
          const draw = random(this.#taste.seed, path, attempt)
          const example = attempt === 0 && this.#taste.examples ? exampleOf(choices.parts) : undefined
          if (example !== undefined && schemas.every((schema) => this.#judge.accepts(schema, example)))
            return structuredClone(example)
          const value = this.#collector.within(choices, () => this.#value(choices, path, draw, attempt))
          if (value !== undefined && schemas.every((schema) => this.#judge.accepts(schema, value)))
            return value
        } catch (error) {
          if (!(error instanceof Unsatisfied)) throw error
          this.#budget.step(attemptSteps)
          failure = error
          if (!choices.hadChoice) break
        }
      }
      throw (
        failure ?? new Unsatisfied(`nothing was found that fits ${path === '' ? 'it' : `its part ${path}`}`)
      )
    })
  }

  /** A value of one type, which is still to be judged; undefined where there is none. */
  #value({ parts, isSmall }: Choices, path: string, draw: () => number, attempt: number): unknown {
    const listed = parts.map(listedValues).find((values) => values !== undefined)
    if (listed) {
      const fitting = listed.filter((value) => parts.every((part) => this.#judge.accepts(part, value)))
      return structuredClone(fitting[Math.floor(draw() * fitting.length)])
    }
    const types = allowedTypes(parts, isSmall)
    switch (types[attempt % types.length]) {
      case 'null':
        return null
      case 'boolean':
        return draw() < 0.5
      case 'integer':
        return this.#number(parts, true, draw)
      case 'number':
        return this.#number(parts, false, draw)
      case 'string':
        return fakeText(parts, draw, attempt, this.#texts)
      case 'array':
        return this.#list(parts, isSmall, path, draw, attempt)
      case 'object':
        return this.#object(parts, isSmall, path, attempt)
    }
  }

  #number(parts: readonly SchemaObject[], isInteger: boolean, draw: () => number): number | undefined {
    const ranges = parts.map(rangeOf)
    const min = ranges.reduce((most, range) => Math.max(most, range.min), Number.NEGATIVE_INFINITY)
    const max = ranges.reduce((least, range) => Math.min(least, range.max), Number.POSITIVE_INFINITY)
    const isOpenBelow = ranges.some((range) => range.isOpenBelow && range.min === min)
    const isOpenAbove = ranges.some((range) => range.isOpenAbove && range.max === max)
    const factors = parts
      .map((part) => numberAt(part, 'multipleOf'))
      .filter((factor) => factor !== undefined && factor > 0) as number[]
    const factor = factors.length === 0 ? undefined : factors.reduce(commonMultiple)
    return numberIn({ min, max, isOpenBelow, isOpenAbove }, factor, isInteger, draw)
  }

  #list(
    parts: readonly SchemaObject[],
    isSmall: boolean,
    path: string,
    draw: () => number,
    attempt: number,
  ): unknown[] | undefined {
    const first = parts.reduce((most, part) => Math.max(most, firstItems(part).length), 0)
    const contained = parts.flatMap((part) => {
      const schema = schemaAt(part, 'contains')
      return schema === undefined ? [] : Array<JsonSchema>(this.#count(part, 'minContains', 1)).fill(schema)
    })
    // What must be in it stands behind the items that have schemas of their own, or, next time, among them.
    const offset = contained.length > 0 && attempt % 2 === 0 ? first : 0
    const min = Math.max(
      contained.length === 0 ? 0 : offset + contained.length,
      largest(parts, 'minItems') ?? 0,
    )
    const max = smallest(parts, 'maxItems') ?? Number.POSITIVE_INFINITY
    if (min > max) return undefined
    const usual = Math.max(draw() < 0.5 ? 1 : 2, first)
    const wanted = isSmall ? min : Math.max(min, Math.min(usual, max))
    const isUnique = parts.some((part) => part['uniqueItems'] === true)
    const items: unknown[] = []
    const seen = new Set<string>()
    while (items.length < wanted) {
      const index = items.length
      const schemas = parts
        .map((part) => itemSchema(part, index) ?? true)
        .concat(contained[index - offset] ?? [])
      const item = this.#optional(index >= min, schemas, `${path}/${index}`, isUnique ? seen : undefined)
      if (item === undefined) break
      items.push(item)
    }
    return items
  }

  #object(
    parts: readonly SchemaObject[],
    isSmall: boolean,
    path: string,
    attempt: number,
  ): Record<string, unknown> | undefined {
    const required = withDependents(parts)
    const known = parts.flatMap((part) => namedSchemas(part, 'properties').map(([name]) => name))
    // In the order of the schema. The last tries make do with what is required.
    const names = new Set(isSmall || attempt > tries / 2 ? known.filter((name) => required.has(name)) : known)
    for (const name of required) names.add(name)
    const max = smallest(parts, 'maxProperties') ?? Number.POSITIVE_INFINITY
    if (required.size > max) return undefined

    const entries = new Map<string, unknown>()
    const add = (name: string, isOptional: boolean) => {
      const schemas = parts.flatMap((part) => this.#judge.propertySchemas(part, name))
      const value = this.#optional(isOptional, schemas, `${path}/${name}`)
      if (value !== undefined) entries.set(name, value)
    }
    let room = max - required.size
    for (const name of names) {
      if (required.has(name)) add(name, false)
      else if (room-- > 0) add(name, true)
    }
    const isMap = known.length === 0 && parts.some((part) => typeof part['additionalProperties'] === 'object')
    const min = Math.max(isMap && !isSmall ? Math.min(2, max) : 0, largest(parts, 'minProperties') ?? 0)
    for (let spare = 0; entries.size < min && spare < min + tries; spare++) {
      const name = this.#newName(parts, `${path}/name/${spare}`)
      if (!entries.has(name)) add(name, true)
    }
    return Object.fromEntries(entries)
  }

  /** Throws where there would be more than a value may have. */
  #count(part: SchemaObject, keyword: string, usual: number): number {
    const count = numberAt(part, keyword) ?? usual
    this.#budget.step(count)
    return Math.max(0, Math.floor(count))
  }

  /** A name that no property has yet. */
  #newName(parts: readonly SchemaObject[], path: string): string {
    this.#budget.step()
    const draw = random(this.#taste.seed, path)
    const like = parts.flatMap((part) => namedSchemas(part, 'patternProperties'))
    const isClosed = parts.some((part) => part['additionalProperties'] === false)
    if (like.length > 0 && isClosed) {
      const [pattern] = like[Math.floor(draw() * like.length)] as [string, JsonSchema]
      return textLike(this.#judge.pattern(pattern), draw, 3, this.#budget)
    }
    const rules = parts.map((part) => schemaAt(part, 'propertyNames')).filter((rule) => rule !== undefined)
    if (rules.length > 0) return String(this.#make([{ type: 'string' }, ...rules], path))
    return this.#taste.phrases.next().value.toLowerCase().replaceAll(' ', '_')
  }

  /**
   * A value; undefined where there is none and it may be left out.
   *
   * @param seen The values it must not be, to which it is added.
   */
  #optional(mayLack: boolean, schemas: readonly JsonSchema[], path: string, seen?: Set<string>): unknown {
    if (mayLack && schemas.some((schema) => this.#sizes.of(schema) === Number.POSITIVE_INFINITY))
      return undefined
    try {
      for (let again = 0; again < 60; again++) {
        const value = this.#make(schemas, again === 0 ? path : `${path}#${again}`)
        const text = seen ? canonical(value) : ''
        if (!seen?.has(text)) {
          seen?.add(text)
          return value
        }
      }
    } catch (error) {
      if (!(mayLack && error instanceof Unsatisfied)) throw error
    }
    if (mayLack) return undefined
    throw new Unsatisfied(`there are not enough different values for ${path}`)
  }
}

/** What a schema gives as an example, if it does. */
function exampleOf(parts: readonly SchemaObject[]): unknown {
  for (const { example, examples } of parts) {
    const [first] = Array.isArray(examples) ? examples : [example]
    if (first !== undefined) return first
  }
  return parts.find((part) => part['default'] !== undefined)?.['default']
}

/** What is required, with the properties that these require in their turn. */
function withDependents(parts: readonly SchemaObject[]): Set<string> {
  const required = new Set(parts.flatMap((part) => textsAt(part, 'required')))
  const dependents = new Map(parts.flatMap(namedNames))
  for (const name of required) for (const needed of dependents.get(name) ?? []) required.add(needed)
  return required
}

function commonMultiple(left: number, right: number): number {
  let [a, b] = [left, right]
  while (b > 1e-9) [a, b] = [b, a % b]
  return (left * right) / a
}
