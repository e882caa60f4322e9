/** Generates values for structured output, and arguments for forced functions. */
import { invalidRequest } from '../http/errors.ts'
import { parseJson } from '../lib/json.ts'
import { truncate } from '../lib/one-line.ts'
import { loadFaker } from '../resources/faker.ts'
import type { JsonSchema } from '../resources/json-schema.ts'
import { Budget, Exhausted } from './json-schema/budget.ts'
import { generateValue } from './json-schema/generate-value.ts'
import { namedSamples } from './json-schema/samples.ts'
import { InvalidSchema, problemOf, readSchema } from './json-schema/schema.ts'
import { subjectWords } from './text/words.ts'

interface RequestedValue {
  path: string
  subject: string
  seed: string
  links?: readonly string[]
  /** Called with a warning if the value may violate the schema. */
  warn(message: string): void
}

/** Throws 400 for an invalid schema. */
export type FakeValue = (schema: JsonSchema, requested: RequestedValue) => unknown

export async function loadFakeValue(): Promise<FakeValue> {
  const propose = namedSamples(await loadFaker())
  return (schema, { path, subject, seed, links = [], warn }) => {
    try {
      const options = { seed, words: phrasesOf(subject), propose, links }
      const { value, doubts } = generateValue(schema, options)
      if (doubts.length > 0)
        warn(`The value for ${path} might not match its schema: ${truncate(doubts.join('; '), 600)}`)
      return value
    } catch (error) {
      if (!(error instanceof InvalidSchema || error instanceof Exhausted)) throw error
      const problem =
        error instanceof Exhausted
          ? 'This schema exceeds the limits'
          : 'No value can be generated for this schema'
      throw invalidRequest([{ path, message: `${problem}: ${error.message}`, rule: 'json_schema' }])
    }
  }
}

/** Returns the reason why a schema rejects JSON, or undefined if the schema accepts it, is invalid or is too large. */
export function jsonProblem(json: string, schema: JsonSchema): string | undefined {
  const value = parseJson(json)
  if (value === undefined) return 'not valid JSON'
  try {
    return problemOf(value, readSchema(schema, new Budget()).schema)
  } catch (error) {
    // Schemas that lead back to themselves overflow the validator's stack.
    if (error instanceof InvalidSchema || error instanceof Exhausted || error instanceof RangeError)
      return undefined
    throw error
  }
}

/** Returns words from the text: first single words, then pairs, and so on, so that items can be distinct. */
function phrasesOf(subject: string): () => string {
  const words = [...subjectWords(subject)].slice(0, 12)
  if (words.length < 2) words.push('something', 'plausible')
  let count = 0
  return () => {
    const phrase: string[] = []
    for (let rest = ++count; rest > 0; rest = Math.floor((rest - 1) / words.length))
      phrase.unshift(words[(rest - 1) % words.length] as string)
    return phrase.join(' ')
  }
}
