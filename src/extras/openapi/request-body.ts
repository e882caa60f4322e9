/**
 * The body of a request to an OpenAPI operation: JSON and the fields of forms are checked by their schemas, of other
 * types only that there is one.
 */
import * as z from 'zod'
import { invalidRequest } from '../../http/errors.ts'
import { isJson, type OpenApiDocument } from '../../http/openapi-document.ts'
import { problemsOf } from '../../model/json-schema/check.ts'
import type { SchemaObject } from '../../model/json-schema/schema.ts'
import type { OperationInput } from '../../operation.ts'
import { fieldsIn } from './form.ts'
import type { PlainSchemas } from './openapi-schemas.ts'
import { addIssue } from './parameters.ts'
import { follow, reading } from './reading.ts'

export type RequestBody = Pick<
  OperationInput<unknown, unknown, unknown>,
  'body' | 'bodyIsOptional' | 'otherBody'
>

/** @param ignored Collects parts of the schema that a body is not checked by. */
export function requestBodyOf(
  document: OpenApiDocument,
  schemas: PlainSchemas,
  given: unknown,
  ignored: Set<string>,
): RequestBody {
  const request = follow(document, given)
  if (!isJson(request?.['content'])) return {}
  const media = new Map(
    Object.entries(request['content']).map(([type, each]) => [
      type.split(';')[0]?.trim().toLowerCase() ?? type,
      schemas.rooted(isJson(each) ? each['schema'] : true),
    ]),
  )
  const types = [...media.keys()]
  const json = types.find(isJsonType)
  const others = types.filter((type) => !isJsonType(type) || type.includes('*'))
  return {
    ...(request['required'] !== true && { bodyIsOptional: true }),
    body: z.unknown().superRefine((value, context) =>
      reading(() => {
        const schema = value instanceof Form ? value.schema : json === undefined ? undefined : media.get(json)
        if (value === undefined || !schema) return
        const sent = value instanceof Form ? value.fields : value
        for (const { path, message, rule } of problemsOf(schema, sent, ignored))
          addIssue(context, path, message, rule)
      }),
    ),
    ...(others.length > 0 && {
      otherBody: {
        types: others,
        isJsonToo: json !== undefined,
        read: (text: string, type: string) => {
          const schema = media.get(type.split(';')[0]?.trim().toLowerCase() ?? '')
          return schema && reading(() => formOf(text, type, schema))
        },
      },
    }),
  }
}

export function isJsonType(type: string): boolean {
  return /^application\/(json|\*)$|^\*\/\*$|\+json$/.test(type)
}

/** The fields of a form, as values, and what they have to fit. */
class Form {
  readonly schema: SchemaObject
  readonly fields: Readonly<Record<string, unknown>>

  constructor(schema: SchemaObject, fields: Readonly<Record<string, unknown>>) {
    this.schema = schema
    this.fields = fields
  }
}

/** Undefined where the type is none of a form. */
function formOf(text: string, type: string, schema: SchemaObject): Form | undefined {
  const fields = fieldsIn(text, type, schema)
  if (fields === 'malformed') {
    const message = 'Must be of parts between boundaries, as its content type says'
    throw invalidRequest([{ path: 'body', message, rule: 'multipart' }], { assumption: 'document' })
  }
  return fields && new Form(schema, fields)
}
