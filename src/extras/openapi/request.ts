/**
 * Checks requests to an OpenAPI document's operations: parameters in their location's default style, and JSON bodies.
 * Bodies of other declared types are accepted unchecked.
 */

import * as z from 'zod'
import { queryOf } from '../../journal/entry.ts'
import { type Problem, problemsOf } from '../../model/json-schema/check.ts'
import { itemSchema, References, schemasAt, typesOf } from '../../model/json-schema/schema.ts'
import type { OperationInput } from '../../operation.ts'
import type { JsonSchema, SchemaObject } from '../../resources/json-schema.ts'
import { isJson, type Json, type OpenApiDocument } from '../documents/openapi-document.ts'
import { follow, type PlainSchemas, reading } from './openapi-schemas.ts'

export type Input = OperationInput<unknown, unknown, unknown>

/**
 * Reads request schemas. Throws a `LostReference` for a broken or external reference.
 *
 * @param unchecked Collects parts of the document that requests are not checked against.
 */
export function inputOf(
  document: OpenApiDocument,
  schemas: PlainSchemas,
  { item, operation }: { item: Json; operation: Json },
  unchecked: Set<string>,
): Input {
  const parameters = new Map<string, Parameter>()
  const lists = [item['parameters'], operation['parameters']]
  for (const declaration of lists.flatMap((list) => (Array.isArray(list) ? list : []))) {
    const parameter = readParameter(Object(follow(document, declaration)), schemas)
    if (parameter) parameters.set(`${parameter.place} ${parameter.name}`, parameter)
  }
  for (const { place, name, obstacle } of parameters.values())
    if (obstacle !== undefined) unchecked.add(`${place} parameter '${name}'${obstacle}`)
  const checkOf = (place: string) =>
    parametersSchema(
      [...parameters.values()].filter((parameter) => parameter.place === place),
      unchecked,
    )
  return {
    params: checkOf('path'),
    query: checkOf('query'),
    headers: checkOf('header'),
    readQuery: queryOf,
    ...bodyInputOf(document, schemas, operation['requestBody'], unchecked),
  }
}

interface Parameter {
  readonly place: string
  readonly name: string
  readonly isRequired: boolean
  readonly schema: SchemaObject
  readonly type: Type | undefined
  /** Reason why the parameter is not checked, such as ` (style deepObject)`. Undefined if it is checked. */
  readonly obstacle: string | undefined
}

/** Default styles by location. OpenAPI 3.1, Parameter Object. */
const styles: Readonly<Record<string, { style: string; explode: boolean }>> = {
  path: { style: 'simple', explode: false },
  query: { style: 'form', explode: true },
  header: { style: 'simple', explode: false },
}

function readParameter(declaration: Json, schemas: PlainSchemas): Parameter | undefined {
  const { in: place, name, content } = declaration
  if (typeof place !== 'string' || typeof name !== 'string') return undefined
  // OpenAPI 3.1, Parameter Object, says to ignore these three headers.
  if (place === 'header' && /^(accept|content-type|authorization)$/i.test(name)) return undefined
  const schema = schemas.rooted(declaration['schema'])
  const type = typeIn(schema)
  const defaults = styles[place]
  const { style = defaults?.style, explode = defaults?.explode } = declaration
  let obstacle: string | undefined
  if (!defaults) obstacle = ''
  else if (style !== defaults.style) obstacle = ` (style ${style})`
  else if (explode !== defaults.explode) obstacle = ` (explode: ${explode})`
  else if (content !== undefined) obstacle = ' (content)'
  else if (type?.name === 'object') obstacle = ' (object)'
  return {
    place,
    name: place === 'header' ? name.toLowerCase() : name,
    isRequired: declaration['required'] === true,
    schema,
    type,
    obstacle,
  }
}

/** Parameters as sent. A repeated parameter has a list of values. */
type Sent = Readonly<Record<string, string | readonly string[]>>

function parametersSchema(parameters: readonly Parameter[], unchecked: Set<string>): z.ZodType | undefined {
  if (parameters.length === 0) return undefined
  return z.unknown().transform((sent, context) =>
    reading(() => {
      const values: Record<string, unknown> = {}
      for (const parameter of parameters) {
        const { name, isRequired, schema, obstacle } = parameter
        if (obstacle !== undefined) continue
        const value = sentValue(parameter, (sent as Sent)[name])
        if (value !== undefined) {
          values[name] = value
          addIssues(context, problemsOf(schema, value, unchecked), name)
        } else if (isRequired) addIssues(context, [{ path: [], message: 'Required', rule: 'required' }], name)
      }
      return values
    }),
  )
}

function sentValue({ place, schema, type }: Parameter, sent: Sent[string] | undefined): unknown {
  if (sent === undefined) return undefined
  if (type?.name !== 'array') return typeof sent === 'string' ? toValue(sent, schema) : sent
  const texts = place === 'query' ? [sent].flat() : String(sent).split(',')
  return texts.map((text, index) => toValue(text, rooted(itemSchema(type.schema, index), schema)))
}

/** Converts text to a number, boolean or null if the schema requires one. */
function toValue(text: string, schema: SchemaObject): unknown {
  if (problemsOf(schema, text).length === 0) return text
  if (typeIn(schema)?.name === 'string') return text
  if (/^-?\d+(\.\d+)?(e[-+]?\d+)?$/i.test(text)) return Number(text)
  return /^(true|false|null)$/.test(text) ? JSON.parse(text) : text
}

interface Type {
  readonly name: string
  /** The schema that declares this type. */
  readonly schema: SchemaObject
}

/** Returns the type of a schema, or of the schemas that it refers to or combines. Prefers arrays and objects. */
function typeIn(root: SchemaObject): Type | undefined {
  const references = new References(root)
  const seen = new Set<unknown>([undefined])
  const look = (schema: JsonSchema | undefined): Type | undefined => {
    if (typeof schema !== 'object' || seen.has(schema)) return undefined
    seen.add(schema)
    const name = typesOf(schema)?.find((each) => each !== 'null')
    if (name !== undefined) return { name, schema }
    const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => schemasAt(schema, keyword))
    const types = [references.follow(schema), ...parts].map(look)
    return types.find((type) => type?.name === 'array' || type?.name === 'object') ?? types.find(Boolean)
  }
  return look(root)
}

function rooted(schema: JsonSchema, { components, paths }: SchemaObject): SchemaObject {
  return { allOf: [schema], components, paths }
}

function bodyInputOf(
  document: OpenApiDocument,
  schemas: PlainSchemas,
  declaration: unknown,
  unchecked: Set<string>,
): Pick<Input, 'body' | 'bodyIsOptional' | 'otherBody'> {
  const request = follow(document, declaration)
  if (!isJson(request?.['content'])) return {}
  const media = Object.entries(request['content']).map(
    ([type, each]) => [type.replace(/;.*/, '').trim().toLowerCase(), each] as const,
  )
  const json = media.find(([type]) => isJsonType(type))?.[1]
  const schema = schemas.rooted(Object(json)['schema'])
  const types = media.map(([type]) => type).filter((type) => !/\bjson$/.test(type))
  for (const [type, each] of media)
    if (!isJsonType(type) && Object(each)['schema']) unchecked.add(`${type} bodies`)
  return {
    ...(request['required'] !== true && { bodyIsOptional: true }),
    body: z.unknown().superRefine((value, context) => {
      if (value !== undefined)
        addIssues(
          context,
          reading(() => problemsOf(schema, value, unchecked)),
        )
    }),
    ...(types.length > 0 && { otherBody: { types, isJsonToo: json !== undefined } }),
  }
}

function isJsonType(type: string): boolean {
  return /^application\/(json|\*)$|^\*\/\*$|\+json$/.test(type)
}

function addIssues(context: z.core.$RefinementCtx, problems: readonly Problem[], ...root: string[]): void {
  for (const { path, message, rule } of problems)
    context.addIssue({ code: 'custom', path: [...root, ...path], message, params: { rule } })
}
