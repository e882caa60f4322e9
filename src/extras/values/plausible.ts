/**
 * Proposes plausible values for schema fields: values from the prompt, then defaults and examples from the schema,
 * then values from fixtures/values.json by field name.
 */
import type { JsonSchema, ValueSource } from '../../resources/json-schema.ts'
import { readFacts } from './facts.ts'
import { leavesOf } from './fields.ts'
import { assign } from './matching.ts'
import { Writer } from './writer.ts'

interface SourceOptions {
  readonly seed: string
  /** Sandbox time, as Unix time in milliseconds. */
  readonly now: number
}

/** Returns a source of plausible values for a schema and a prompt. */
export function plausibleValues(
  schema: JsonSchema,
  prompt: string,
  { seed, now }: SourceOptions,
): ValueSource {
  const facts = readFacts(prompt, now)
  const leaves = leavesOf(schema, facts.text)
  assign(leaves, facts)
  const writer = new Writer(leaves, facts, seed, now)
  return (place) => writer.propose(place)
}
