/** Generates `scenarios/scenario.schema.json`, which editors use to check scenario files. */
import * as z from 'zod'
import type { KnownOperation } from './check-scenario.ts'
import { textOperations } from './names.ts'
import { Scenario } from './scenario.ts'

export function scenarioJsonSchema(operations: readonly KnownOperation[]): object {
  const schema = z.toJSONSchema(Scenario, {
    io: 'input',
    reused: 'ref',
    override({ jsonSchema, path }) {
      if (path.at(-1) !== 'on' || path.at(-2) !== 'properties') return
      const name = {
        anyOf: [{ enum: ['*', textOperations, ...operations.map(({ id }) => id)] }, { pattern: '^[A-Z]+ /' }],
      }
      jsonSchema.anyOf = [name, { type: 'array', items: name, minItems: 1 }]
    },
  })
  return { ...schema, title: 'Understudy scenario' }
}
