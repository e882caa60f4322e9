/** Generates values for structured output and for forced functions' arguments. */
import { invalidRequest } from '../http/errors.ts'
import type { JsonSchema, ValueSource } from '../resources/json-schema.ts'
import { Budget, Exhausted } from './json-schema/budget.ts'
import { Checker } from './json-schema/check.ts'
import { generateValue } from './json-schema/generate-value.ts'
import { subjectWords } from './text/words.ts'

interface RequestedValue {
  /** Location of the schema in the request, for messages. */
  path: string
  /** Text from which values are taken. */
  subject: string
  /** Seed label. The same label and schema produce the same value. */
  seed: string
  /** Markdown links to add to strings that can contain them. */
  links?: readonly string[]
  /** Called with a warning if the value may violate the schema. */
  warn(message: string): void
}

/**
 * Generates a value that a request's schema accepts. Throws 400 if the schema is invalid, contradicts itself or
 * exceeds the limits.
 */
export function fakeValue(schema: JsonSchema, { path, subject, seed, links, warn }: RequestedValue): unknown {
  try {
    const words = wordsOf(subject)
    const source: ValueSource = (place) => examplesOfSchema(place) ?? words(place)
    const { value, doubts } = generateValue(schema, { seed, source })
    if (doubts.length > 0) warn(`The value for ${path} may not match its schema: ${inOneLine(doubts)}`)
    return links ? placeLinks(value, links, acceptedBy(schema)) : value
  } catch (error) {
    const reason = (error as Error).message
    const message =
      error instanceof Exhausted
        ? `This schema exceeds the limits: ${reason}`
        : `No value can be generated for this schema: ${reason}`
    throw invalidRequest([{ path, message, rule: 'json_schema' }])
  }
}

const maxDoubts = 5

export function inOneLine(doubts: readonly string[]): string {
  const more = doubts.length - maxDoubts
  return doubts.slice(0, maxDoubts).join('; ') + (more > 0 ? `; and ${more} more` : '')
}

/** Proposes a schema's first example or, without examples, its default. */
export const examplesOfSchema: ValueSource = ({ schemas }) =>
  schemas.flatMap(({ example, examples }) => (Array.isArray(examples) ? examples : (example ?? []))).at(0) ??
  schemas.find((schema) => schema['default'] !== undefined)?.['default']

/**
 * Proposes words from the text for free-form strings: first single words, then pairs, and so on, because an
 * array's items may have to be distinct.
 */
export function wordsOf(subject: string): ValueSource {
  const phrases = distinctPhrases(subject)
  return ({ type, schemas }) => {
    const isFree =
      type === 'string' &&
      schemas.every((schema) => ['format', 'pattern', 'enum', 'const'].every((name) => !(name in schema)))
    return isFree ? phrases.next().value : undefined
  }
}

function* distinctPhrases(subject: string): Generator<string, never> {
  const words = [...subjectWords(subject)].slice(0, 12)
  if (words.length < 2) words.push('something', 'plausible')
  for (let longer = ['']; ; longer = longer.flatMap((start) => words.map((word) => `${start}${word} `))) {
    for (const start of longer) for (const word of words) yield start + word
  }
}

/** Returns a predicate for modified values. Once the checks exceed the budget, it rejects all values. */
function acceptedBy(schema: JsonSchema): (value: unknown) => boolean {
  const budget = new Budget()
  return (value) => {
    try {
      return new Checker(schema, budget).accepts([schema], value)
    } catch (error) {
      if (error instanceof Exhausted) return false
      throw error
    }
  }
}

/** A string within a value, with the object that contains it. */
interface Leaf {
  owner: Record<string, unknown>
  key: string
}

/** Maximum number of strings to try for the links. */
const maxLeaves = 20

/**
 * Appends each link to a string, if the schema still accepts the value. The first link tries the longest string first,
 * the next link the second longest, and so on. Links that fit in no string are omitted.
 *
 * @param value JSON value, which is modified in place.
 * @param links Markdown links.
 * @param accepts Returns true if the schema accepts the modified value.
 */
function placeLinks(value: unknown, links: readonly string[], accepts: (value: unknown) => boolean): unknown {
  const root = { value }
  const leaves = leavesOf(root)
  links.forEach((link, place) => {
    for (let tried = 0; tried < leaves.length; tried++) {
      const { owner, key } = leaves[(place + tried) % leaves.length] as Leaf
      const before = owner[key]
      owner[key] = `${before} ${link}`
      if (accepts(root.value)) return
      owner[key] = before
    }
  })
  return root.value
}

function leavesOf(root: object): Leaf[] {
  const leaves: Leaf[] = []
  const open = [root as Record<string, unknown>]
  for (let owner = open.shift(); owner && leaves.length < maxLeaves; owner = open.shift()) {
    for (const [key, inner] of Object.entries(owner)) {
      if (typeof inner === 'string') leaves.push({ owner, key })
      else if (typeof inner === 'object' && inner !== null) open.push(inner as Record<string, unknown>)
    }
  }
  const lengthOf = ({ owner, key }: Leaf) => String(owner[key]).length
  return leaves.sort((left, right) => lengthOf(right) - lengthOf(left))
}
