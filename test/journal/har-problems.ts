/** Checks a HAR file with the schemas of HAR 1.2 that har-schema publishes. */
import { createRequire } from 'node:module'
import { Ajv } from 'ajv'
import draft06 from 'ajv/dist/refs/json-schema-draft-06.json' with { type: 'json' }
import addFormats from 'ajv-formats'

const ajv = addFormats.default(new Ajv({ strict: false }))
ajv.addMetaSchema(draft06)
const schemas: Record<string, object> = createRequire(import.meta.url)('har-schema')
for (const schema of Object.values(schemas)) ajv.addSchema(schema)
const isHar = ajv.getSchema('har.json#')

/** Returns the schema's errors; empty for a valid file. */
export function harProblems(har: unknown): object[] {
  return isHar?.(har) === true ? [] : (isHar?.errors ?? [])
}
