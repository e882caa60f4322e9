/** Generates values for structured output and for forced functions' arguments. */
import { invalidRequest } from '../http/errors.ts'
import { loadFaker } from '../resources/faker.ts'
import type { JsonSchema } from '../resources/json-schema.ts'
import { Exhausted } from './json-schema/budget.ts'
import { generateValue, Unsatisfiable, type ValuePlace } from './json-schema/generate-value.ts'
import { namedSamples } from './json-schema/samples.ts'
import { InvalidSchema } from './json-schema/schema.ts'
import { subjectWords } from './text/words.ts'

interface RequestedValue {
  /** Location of the schema in the request, for messages. */
  path: string
  /** Text whose words are used in free-form strings. */
  subject: string
  /** Seed label. The same label and schema produce the same value. */
  seed: string
  /** Markdown links to add to strings that can contain them. */
  links?: readonly string[]
  /** Proposes values, which take precedence over the subject's words. Default: samples by field name. */
  propose?(place: ValuePlace): unknown
  /** Called with a warning if the value may violate the schema. */
  warn(message: string): void
}

/**
 * Generates a value that a request's schema accepts. Throws 400 if the schema is invalid, contradicts itself or
 * exceeds the limits.
 */
export type FakeValue = (schema: JsonSchema, requested: RequestedValue) => unknown

export async function loadFakeValue(): Promise<FakeValue> {
  const samples = namedSamples(await loadFaker())
  return (schema, { path, subject, seed, links = [], propose = samples, warn }) => {
    try {
      const { value, accepts, doubts } = generateValue(schema, { seed, words: phrasesOf(subject), propose })
      if (doubts.length > 0) warn(`The value for ${path} may not match its schema: ${inOneLine(doubts)}`)
      return placeLinks(value, links, accepts)
    } catch (error) {
      const { message: reason } = error as Error
      const isInvalid = error instanceof InvalidSchema || error instanceof Unsatisfiable
      // Any other error is a bug in Understudy.
      if (!isInvalid && !(error instanceof Exhausted)) throw error
      const message = isInvalid
        ? `No value can be generated for this schema: ${reason}`
        : `This schema exceeds the limits: ${reason}`
      throw invalidRequest([{ path, message, rule: 'json_schema' }])
    }
  }
}

const maxDoubts = 5

function inOneLine(doubts: readonly string[]): string {
  const more = doubts.length - maxDoubts
  return doubts.slice(0, maxDoubts).join('; ') + (more > 0 ? `; and ${more} more` : '')
}

/** Returns words from the text: first single words, then pairs, and so on, because items may have to be distinct. */
function phrasesOf(subject: string): () => string {
  const phrases = distinctPhrases([...subjectWords(subject)].slice(0, 12))
  return () => phrases.next().value
}

function* distinctPhrases(words: readonly string[]): Generator<string, never> {
  const all = words.length < 2 ? [...words, 'something', 'plausible'] : words
  for (let longer = ['']; ; longer = longer.flatMap((start) => all.map((word) => `${start}${word} `))) {
    for (const start of longer) for (const word of all) yield start + word
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
