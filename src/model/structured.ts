/**
 * Values that a JSON Schema accepts, for structured output and for the arguments of forced functions.
 */
import { invalidRequest } from '../http/errors.ts'
import { Budget, Exhausted } from './json-schema/budget.ts'
import type { JsonSchema } from './json-schema/schema.ts'
import { Unsatisfied, ValueMaker } from './json-schema/value.ts'
import { subjectWords } from './words.ts'

export interface ValueSource {
  /** Where the schema stands in the request, for the message that refuses it. */
  path: string
  /** What the value is about: its free strings take up the words. */
  subject: string
  /** What the value depends on, beside the schema. */
  seed: string
}

/**
 * Makes a value that the schema accepts; the smallest, where a full one would be too large. Throws 400 where the schema
 * points to what it does not have, accepts nothing, or asks for more than the double gives.
 */
export function fakeValue(schema: JsonSchema, { path, subject, seed }: ValueSource): unknown {
  let failure: unknown
  for (const small of [false, true]) {
    try {
      return new ValueMaker(schema, { seed, phrases: distinctPhrases(subject), small }, new Budget()).make()
    } catch (error) {
      failure = error
      if (!(error instanceof Exhausted || error instanceof Unsatisfied)) break
    }
  }
  const reason = failure instanceof Error ? failure.message : String(failure)
  const message =
    failure instanceof Exhausted
      ? `This schema asks for more than the double gives: ${reason}`
      : `No value can be made for this schema: ${reason}`
  throw invalidRequest([{ path, message, rule: 'json_schema' }])
}

/** Words, then pairs of words, and so on, without end and without repetition: some arrays want unique items. */
function* distinctPhrases(subject: string): Generator<string, never> {
  const words = [...subjectWords(subject)].slice(0, 12)
  if (words.length < 2) words.push('something', 'plausible')
  for (let longer = ['']; ; longer = longer.flatMap((start) => words.map((word) => `${start}${word} `))) {
    for (const start of longer) for (const word of words) yield start + word
  }
}
