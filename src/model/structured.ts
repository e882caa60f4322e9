/**
 * Values that a JSON Schema accepts, for structured output and for the arguments of forced functions.
 */
import type { JsonSchema } from 'json-schema-faker'
import * as z from 'zod'
import { invalidRequest } from '../http/errors.ts'
import { hash } from '../lib/seed.ts'
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
 * How many references deep a value may go, tried in this order: a schema that contains itself wants an early end,
 * one with a long chain of definitions a late one, and only the value tells whether the end came at a place where
 * the schema allows it.
 */
const depths = [3, 4, 5, 6, 8, 12]

/** Makes a value that the schema accepts. Throws 400 where the schema points to what it does not have, or the like. */
export async function fakeValue(schema: JsonSchema, source: ValueSource): Promise<unknown> {
  try {
    const accepts = compileSchema(schema)
    let value: unknown
    for (const depth of depths) {
      value = await generateValue(schema, depth, source)
      if (accepts(value)) break
    }
    return value
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const message = `No value can be made for this schema: ${reason}`
    throw invalidRequest([{ path: source.path, message, rule: 'json_schema' }])
  }
}

async function generateValue(
  schema: JsonSchema,
  depth: number,
  { subject, seed }: ValueSource,
): Promise<unknown> {
  const { generate } = await import('json-schema-faker')
  const phrases = distinctPhrases(subject)
  return generate(withoutSafeBounds(schema), {
    seed: Number.parseInt(hash('value', seed).slice(0, 8), 16),
    optionalsProbability: 1,
    minItems: 1,
    maxDefaultItems: 2,
    refDepthMax: depth,
    // The library's own are at times durations of no part at all.
    formats: { duration: () => 'PT45M' },
    outputTransform: (value, rules) =>
      typeof value === 'string' && isFreeString(rules) ? phrases.next().value : value,
  })
}

/**
 * A copy, because the library writes to the schema it is given, without the bounds by which some clients say
 * "integer": in a range so wide hardly any number is one that people believe.
 */
function withoutSafeBounds(schema: JsonSchema): JsonSchema {
  const isSafeBound = (key: string, value: unknown) =>
    (key === 'minimum' && value === Number.MIN_SAFE_INTEGER) ||
    (key === 'maximum' && value === Number.MAX_SAFE_INTEGER)
  return JSON.parse(JSON.stringify(schema, (key, value) => (isSafeBound(key, value) ? undefined : value)))
}

/** Whether a schema accepts a value; yes to every value where the schema has a keyword that we cannot check. */
function compileSchema(schema: JsonSchema): (value: unknown) => boolean {
  try {
    const compiled = z.fromJSONSchema(structuredClone(schema) as z.core.JSONSchema.JSONSchema)
    return (value) => compiled.safeParse(value).success
  } catch {
    return () => true
  }
}

/** Whether any string will do. */
function isFreeString(rules: JsonSchema): boolean {
  return (
    typeof rules === 'object' &&
    Object.keys(rules).every((rule) => ['type', 'title', 'description'].includes(rule))
  )
}

/** Words, then pairs of words, and so on, without end and without repetition: some arrays want unique items. */
function* distinctPhrases(subject: string): Generator<string, never> {
  const words = [...subjectWords(subject)].slice(0, 12)
  if (words.length < 2) words.push('something', 'plausible')
  for (let longer = ['']; ; longer = longer.flatMap((start) => words.map((word) => `${start}${word} `))) {
    for (const start of longer) for (const word of words) yield start + word
  }
}
