/**
 * The JSON Schema of scenario files, for editors: completion of operations and faults, and a word on each field.
 */
import * as z from 'zod'
import type { KnownOperation } from './check-scenario.ts'
import { Scenario } from './scenario.ts'

export function scenarioJsonSchema(operations: readonly KnownOperation[]): object {
  const schema = z.toJSONSchema(Scenario, {
    io: 'input',
    reused: 'ref',
    override({ jsonSchema, path }) {
      if (path.at(-1) !== 'on' || path.at(-2) !== 'properties') return
      const name = { anyOf: [{ enum: ['*', ...operations.map(({ id }) => id)] }, { pattern: '^[A-Z]+ /' }] }
      jsonSchema.anyOf = [name, { type: 'array', items: name, minItems: 1 }]
    },
  })
  return { ...schema, title: 'Understudy scenario' }
}
