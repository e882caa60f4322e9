/** Adds a dialect's fields to the replies in an OpenAPI document. */

import { type Path, readPath } from '../../lib/value-path.ts'
import { isJson, type Json, OpenApiDocument } from '../documents/openapi-document.ts'

/** Sample values of fields, by the path of the object that they are added to. */
export type Fields = Readonly<Record<string, object>>

/**
 * Adds fields to the schemas of successful replies, in place. The fields' schemas are derived from their sample
 * values.
 *
 * @param always Returns the fields that every reply to an operation has.
 * @param all Returns all fields. Fields that `always` omits are optional.
 */
export function addReplyFields(
  root: object,
  always: (operation: string) => Fields,
  all: (operation: string) => Fields,
): void {
  const document = new OpenApiDocument(root)
  for (const { operation } of document.operations()) {
    const id = String(operation['operationId'])
    const required = always(id)
    const schema = jsonSchemaOf(document, operation)
    for (const [path, fields] of Object.entries(all(id)))
      addFields(document, schema, readPath(path), {
        properties: propertiesOf(fields),
        required: Object.keys(required[path] ?? {}),
      })
  }
}

function jsonSchemaOf(document: OpenApiDocument, { responses }: Json): unknown {
  const [, success] = Object.entries(Object(responses)).find(([status]) => status.startsWith('2')) ?? []
  return Object(document.resolve(success)?.['content'])['application/json']?.schema
}

interface Addition {
  readonly properties: Json
  readonly required: readonly string[]
}

/** Adds fields to each object schema at a path. Existing fields are unchanged. */
function addFields(document: OpenApiDocument, reference: unknown, path: Path, addition: Addition): void {
  const schema = document.resolve(reference)
  if (!schema) return
  const { anyOf, oneOf, items, properties, required } = schema
  for (const member of [anyOf, oneOf].flat()) addFields(document, member, path, addition)
  const [step, ...rest] = path
  if (step === '*') addFields(document, items, rest, addition)
  else if (step !== undefined) addFields(document, Object(properties)[step], rest, addition)
  else if (isJson(properties))
    Object.assign(schema, {
      properties: { ...properties, ...addition.properties, ...properties },
      required: [...new Set([required ?? [], addition.required].flat())],
    })
}

function propertiesOf(fields: object): Json {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, schemaOf(value)]))
}

function schemaOf(sample: unknown): Json {
  if (sample === null) return { type: 'null' }
  if (Array.isArray(sample)) return { type: 'array', items: sample.length > 0 ? schemaOf(sample[0]) : {} }
  if (typeof sample === 'object')
    return { type: 'object', properties: propertiesOf(sample), required: Object.keys(sample) }
  return { type: Number.isInteger(sample) ? 'integer' : typeof sample }
}
