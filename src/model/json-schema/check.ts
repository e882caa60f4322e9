/** Checks values against schemas that `SchemaReader` has read. */
import { type OutputUnit, validate } from '@cfworker/json-schema'
import { Exhausted } from './budget.ts'
import type { Schema } from './schema.ts'

/** Returns true if the schema accepts the value. Throws `Exhausted`. */
export function accepts(schema: Schema, value: unknown): boolean {
  return problemOf(schema, value) === undefined
}

/**
 * Returns the reason why the schema rejects a value, such as `a/0: String is too short (1 < 2).`, or undefined. Throws
 * `Exhausted`.
 */
export function problemOf(schema: Schema, value: unknown): string | undefined {
  const innermost = errorsOf(schema, value).at(-1)
  return (
    innermost && `${innermost.instanceLocation.replace(/^#\/?/, '')}: ${innermost.error}`.replace(/^: /, '')
  )
}

function errorsOf(schema: Schema, value: unknown): OutputUnit[] {
  try {
    // References have been resolved, so there is nothing to look up.
    return validate(value, schema as object, '2020-12', {}).errors
  } catch (error) {
    // The validator passes errors as arguments, of which there can be too many.
    if (error instanceof RangeError) throw new Exhausted('too many alternatives')
    throw error
  }
}
