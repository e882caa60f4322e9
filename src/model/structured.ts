/**
 * Values for structured output and for the arguments of forced functions.
 */
import { invalidRequest } from '../http/errors.ts'
import { Budget, Exhausted } from './json-schema/budget.ts'
import { Checker } from './json-schema/check.ts'
import { makeValue, type ValueSource } from './json-schema/make-value.ts'
import type { JsonSchema } from './json-schema/schema.ts'
import { placeLinks } from './search/placed-links.ts'
import { subjectWords } from './text/words.ts'

interface RequestedValue {
  /** Place of the schema in the request, for messages. */
  path: string
  /** Text whose words fill the strings. */
  subject: string
  /** Label that the value depends on, in addition to the schema. */
  seed: string
  /** Markdown links to put into strings that may hold them. */
  links?: readonly string[]
  /** Reports parts of the schema that the value may violate. */
  warn(message: string): void
}

/**
 * Makes a value that the schema of a request accepts. Throws 400 if the schema is invalid, contradicts itself, or asks
 * for more than the limits allow.
 */
export function fakeValue(schema: JsonSchema, { path, subject, seed, links, warn }: RequestedValue): unknown {
  try {
    const { value, doubts } = makeValue(schema, { seed, source: wordsOf(subject) })
    if (doubts.length > 0) warn(`The value for ${path} may not fit its schema: ${inOneLine(doubts)}`)
    return links ? placeLinks(value, { links, subject }, acceptedBy(schema)) : value
  } catch (error) {
    const reason = (error as Error).message
    const message =
      error instanceof Exhausted
        ? `This schema asks for more than the limits allow: ${reason}`
        : `No value can be made for this schema: ${reason}`
    throw invalidRequest([{ path, message, rule: 'json_schema' }])
  }
}

const maxDoubts = 5

export function inOneLine(doubts: readonly string[]): string {
  const more = doubts.length - maxDoubts
  return doubts.slice(0, maxDoubts).join('; ') + (more > 0 ? `; and ${more} more` : '')
}

/** Proposes the examples of a schema, or else its default. */
export const examplesOfSchema: ValueSource = ({ schemas }) =>
  schemas.flatMap(({ example, examples }) => (Array.isArray(examples) ? examples : (example ?? []))).at(0) ??
  schemas.find((schema) => schema['default'] !== undefined)?.['default']

/** Proposes the words of a text for free strings, then pairs of them, and so on: arrays may want different items. */
export function wordsOf(subject: string): ValueSource {
  const phrases = distinctPhrases(subject)
  return ({ type, schemas }) => {
    const isFree =
      type === 'string' && schemas.every(({ format, pattern }) => (format ?? pattern) === undefined)
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

/** Returns a check for changed values; it refuses all once the checks have cost too much. */
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
