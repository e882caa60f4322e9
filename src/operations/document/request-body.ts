/**
 * The body of a request to an OpenAPI operation: JSON and form fields are checked by their schemas, of other types only
 * that there is one.
 */
import * as z from 'zod'
import { isJson, type OpenApiDocument } from '../../http/openapi-document.ts'
import type { PlainSchemas } from '../../http/openapi-schemas.ts'
import { problemsOf } from '../../model/json-schema/problems.ts'
import { namedSchemas, type SchemaObject } from '../../model/json-schema/schema.ts'
import type { OtherBody } from '../../operation.ts'
import { addIssue, kindOf, toValue } from './parameters.ts'

export interface RequestBody {
  readonly body?: z.ZodType
  readonly bodyIsOptional?: boolean
  readonly otherBody?: OtherBody
}

export function requestBodyOf(document: OpenApiDocument, schemas: PlainSchemas, given: unknown): RequestBody {
  const request = document.resolve(given)
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
    bodyIsOptional: request['required'] !== true,
    body: z.unknown().superRefine((value, context) => {
      const isForm = value instanceof Form
      const schema = isForm ? value.schema : json === undefined ? undefined : media.get(json)
      if (value === undefined || !schema) return
      const problems = isForm ? value.problems() : problemsOf(schema, value)
      for (const { path, message, rule } of problems) addIssue(context, path, message, rule)
    }),
    ...(others.length > 0 && {
      otherBody: {
        types: others,
        isJsonToo: json !== undefined,
        read: (text: string, type: string) => {
          const schema = media.get(type.split(';')[0]?.trim().toLowerCase() ?? '')
          return schema && formIn(text, type, schema)
        },
      },
    }),
  }
}

export function isJsonType(type: string): boolean {
  return /^application\/(json|\*)$|^\*\/\*$|\+json$/.test(type)
}

/** The fields of a form, as far as they are known. */
class Form {
  readonly schema: SchemaObject
  readonly #fields: Readonly<Record<string, unknown>>
  /** Whether the values of the fields are known. */
  readonly #hasValues: boolean

  constructor(schema: SchemaObject, fields: Readonly<Record<string, unknown>>, hasValues: boolean) {
    this.schema = schema
    this.#fields = fields
    this.#hasValues = hasValues
  }

  problems(): ReturnType<typeof problemsOf> {
    if (this.#hasValues) return problemsOf(this.schema, this.#fields)
    return problemsOf(this.schema, {}).filter(
      ({ path: [name], rule }) => rule === 'required' && !Object.hasOwn(this.#fields, name ?? ''),
    )
  }
}

function formIn(text: string, type: string, schema: SchemaObject): Form | undefined {
  if (/^application\/x-www-form-urlencoded/i.test(type)) {
    const properties = new Map(namedSchemas(kindOf(schema)?.schema ?? {}, 'properties'))
    const fields = [...new URLSearchParams(text)].map(([name, value]) => [
      name,
      toValue(value, properties.get(name) ?? true, schema),
    ])
    return new Form(schema, Object.fromEntries(fields), true)
  }
  const boundary = /boundary="?([^";]+)/i.exec(type)?.[1]
  if (!/^multipart\//i.test(type) || boundary === undefined) return undefined
  // The values of parts may be files: only their names are looked at.
  const names = text
    .split(`--${boundary}`)
    .map((part) => /^content-disposition:[^\r\n]*?\bname="([^"]*)"/im.exec(part.slice(0, 2000))?.[1])
  const fields = names.flatMap((name) => (name === undefined ? [] : [[name, true]]))
  return new Form(schema, Object.fromEntries(fields), false)
}
