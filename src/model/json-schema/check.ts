/** Checks values against schemas that `SchemaReader` has read. */
import { validate } from '@cfworker/json-schema'
import type { Schema } from './schema.ts'

/** Returns true if all schemas accept the value. Throws `Exhausted`. */
export function accepted(value: unknown, schemas: readonly Schema[]): boolean {
  return schemas.every((schema) => problemOf(value, schema) === undefined)
}

/** Returns the reason why the schema rejects a value, such as `a/0: String is too short (1 < 2).`, or undefined. */
export function problemOf(value: unknown, schema: Schema): string | undefined {
  // References have been resolved, so there is nothing to look up.
  const { errors } = validate(value, schema as object, '2020-12', {})
  const innermost = errors.at(-1)
  return (
    innermost && `${innermost.instanceLocation.replace(/^#\/?/, '')}: ${innermost.error}`.replace(/^: /, '')
  )
}
