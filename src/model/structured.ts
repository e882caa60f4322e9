/**
 * Values that a JSON Schema accepts, for structured output and for the arguments of forced functions.
 */
import { invalidRequest } from '../http/errors.ts'
import { Judge } from './json-schema/accepts.ts'
import { Budget, Exhausted } from './json-schema/budget.ts'
import { type JsonSchema, References } from './json-schema/schema.ts'
import { Unsatisfied, ValueMaker } from './json-schema/value.ts'
import { placeLinks } from './search/placed-links.ts'
import { subjectWords } from './text/words.ts'

export interface ValueSource {
  /** What the value is about: its free strings are made of the words. */
  subject: string
  /** What the value depends on, beside the schema. */
  seed: string
  /** Markdown links that its free strings have to hold. */
  links?: readonly string[]
  /** Whether the examples in the schema are taken, where it accepts them. Default: false. */
  examples?: boolean
}

/** Of a schema that came in a request. */
interface RequestedValue extends ValueSource {
  /** Where the schema stands in the request, for the message that refuses it. */
  path: string
}

/**
 * Makes a value that the schema accepts; the smallest, where a full one would be too large. Throws 400 where the schema
 * points to what it does not have, accepts nothing, or asks for more than the double gives.
 */
export function fakeValue(schema: JsonSchema, { path, ...source }: RequestedValue): unknown {
  try {
    return makeValue(schema, source)
  } catch (error) {
    throw invalidRequest([{ path, message: (error as Error).message, rule: 'json_schema' }])
  }
}

/** The same; throws an `Error` with the reason. */
export function makeValue(schema: JsonSchema, { subject, seed, links, examples }: ValueSource): unknown {
  let failure: unknown
  for (const small of [false, true]) {
    try {
      const taste = { seed, phrases: distinctPhrases(subject), small, examples }
      const value = new ValueMaker(schema, taste, new Budget()).make()
      return links ? placeLinks(value, { links, subject }, acceptedBy(schema)) : value
    } catch (error) {
      failure = error
      if (!(error instanceof Exhausted || error instanceof Unsatisfied)) break
    }
  }
  const reason = failure instanceof Error ? failure.message : String(failure)
  throw new Error(
    failure instanceof Exhausted
      ? `This schema asks for more than the double gives: ${reason}`
      : `No value can be made for this schema: ${reason}`,
    { cause: failure },
  )
}

/** Whether a schema accepts a value; no more values once this has cost too much. */
function acceptedBy(schema: JsonSchema): (value: unknown) => boolean {
  const judge = new Judge(new References(schema), new Budget())
  return (value) => {
    try {
      return judge.accepts(schema, value)
    } catch (error) {
      if (error instanceof Exhausted) return false
      throw error
    }
  }
}

/** Words, then pairs of words, and so on, without end and without repetition: some arrays want unique items. */
function* distinctPhrases(subject: string): Generator<string, never> {
  const words = [...subjectWords(subject)].slice(0, 12)
  if (words.length < 2) words.push('something', 'plausible')
  for (let longer = ['']; ; longer = longer.flatMap((start) => words.map((word) => `${start}${word} `))) {
    for (const start of longer) for (const word of words) yield start + word
  }
}
