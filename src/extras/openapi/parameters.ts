/**
 * Parameters of an OpenAPI operation: their texts as values, in the style of each, checked by its schema.
 */
import * as z from 'zod'
import { isJson, type Json, type OpenApiDocument } from '../../http/openapi-document.ts'
import { problemsOf } from '../../model/json-schema/check.ts'
import {
  itemSchema,
  type JsonSchema,
  propertiesOf,
  References,
  type SchemaObject,
  schemasAt,
  typesOf,
} from '../../model/json-schema/schema.ts'
import type { PlainSchemas } from './openapi-schemas.ts'
import { follow, reading } from './reading.ts'

export type Place = 'path' | 'query' | 'header'

export interface Parameter {
  readonly name: string
  readonly isRequired: boolean
  /** `form`, `simple`, `deepObject`, … */
  readonly style: string
  readonly explodes: boolean
  /** Whether its text is JSON. */
  readonly isJson: boolean
  readonly schema: SchemaObject
}

/** What was sent: a list where a name came more than once. */
type Sent = Readonly<Record<string, string | readonly string[]>>

/** The parameters of one place, those of the path item included. */
export function parametersOf(
  document: OpenApiDocument,
  schemas: PlainSchemas,
  { item, operation }: { item: Json; operation: Json },
  place: Place,
): Parameter[] {
  const found = new Map<string, Parameter>()
  for (const given of [item['parameters'], operation['parameters']].flatMap((list) =>
    Array.isArray(list) ? list : [],
  )) {
    const parameter = follow(document, given)
    if (parameter?.['in'] !== place || typeof parameter['name'] !== 'string') continue
    const name = place === 'header' ? parameter['name'].toLowerCase() : parameter['name']
    // Spec: OpenAPI 3.1, Parameter Object: these three are no parameters.
    if (place === 'header' && ['accept', 'content-type', 'authorization'].includes(name)) continue
    const { style = place === 'query' ? 'form' : 'simple', content } = parameter
    const [media] = isJson(content) ? Object.values(content) : []
    found.set(name, {
      name,
      isRequired: parameter['required'] === true || place === 'path',
      style: String(style),
      explodes: (parameter['explode'] ?? style === 'form') === true,
      isJson: media !== undefined,
      schema: schemas.rooted((isJson(media) ? media : parameter)['schema']),
    })
  }
  return [...found.values()]
}

/** The check of the parameters of one place; undefined where there are none. */
export function parametersSchema(parameters: readonly Parameter[]): z.ZodType | undefined {
  if (parameters.length === 0) return undefined
  return z.unknown().transform((given, context) => reading(() => check(parameters, given as Sent, context)))
}

function check(parameters: readonly Parameter[], given: Sent, context: z.core.$RefinementCtx): object {
  const values: Record<string, unknown> = {}
  for (const parameter of parameters) {
    const { name, schema } = parameter
    const value = readParameter(parameter, given)
    if (value === undefined) {
      if (parameter.isRequired) addIssue(context, [name], 'Required', 'required')
      continue
    }
    values[name] = value
    for (const { path, message, rule } of problemsOf(schema, value))
      addIssue(context, [name, ...path], message, rule)
  }
  return values
}

export function addIssue(
  context: z.core.$RefinementCtx,
  path: readonly (string | number)[],
  message: string,
  rule: string,
): void {
  context.addIssue({ code: 'custom', path: [...path], message, params: { rule } })
}

/** The query, with a list where a name is repeated. */
export function readRepeatedQuery(search: string): Record<string, unknown> {
  const query: Record<string, string | string[]> = Object.create(null)
  for (const [name, value] of new URLSearchParams(search)) {
    const before = query[name]
    if (before === undefined) query[name] = value
    else if (Array.isArray(before)) before.push(value)
    else query[name] = [before, value]
  }
  return query
}

function readParameter(parameter: Parameter, given: Sent): unknown {
  const { name, schema, style, explodes } = parameter
  const kind = kindOf(schema)
  if (kind?.type === 'object') {
    if (style === 'deepObject') return deepObject(name, kind.schema, given)
    if (style === 'form' && explodes) return fieldsOf(kind.schema, given)
  }
  const sent = given[name] ?? given[`${name}[]`]
  if (sent === undefined) return undefined
  const text = bare(typeof sent === 'string' ? sent : (sent[0] ?? ''), parameter)
  if (parameter.isJson) return parsed(text)
  if (kind?.type === 'array') {
    const texts = style === 'form' && explodes ? [sent].flat() : text.split(separatorOf(parameter))
    return texts.map((each, index) => toValue(each, itemSchema(kind.schema, index), schema))
  }
  if (kind?.type === 'object') return objectIn(text, kind.schema, parameter)
  return typeof sent === 'string' || sent.length === 1 ? toValue(text, schema, schema) : sent
}

/** Path styles begin with what they are called: `.5`, `;id=5`. */
function bare(text: string, { name, style }: Parameter): string {
  if (style === 'label') return text.replace(/^\./, '')
  return style === 'matrix' ? text.replace(`;${name}=`, '') : text
}

function separatorOf({ name, style, explodes }: Parameter): string {
  if (style === 'label') return explodes ? '.' : ','
  if (style === 'matrix') return explodes ? `;${name}=` : ','
  return { pipeDelimited: '|', spaceDelimited: ' ' }[style] ?? ','
}

/** `a,1,b,2`, or `a=1,b=2` where it explodes. */
function objectIn(text: string, schema: SchemaObject, parameter: Parameter): Json {
  const parts = text.split(parameter.style === 'matrix' && parameter.explodes ? ';' : separatorOf(parameter))
  const pairs = parameter.explodes
    ? parts.map((part) => part.split('=', 2))
    : parts.flatMap((part, index) => (index % 2 === 0 ? [[part, parts[index + 1] ?? '']] : []))
  return fieldsOf(schema, Object.fromEntries(pairs), true) ?? {}
}

/** `filter[color]=red` */
function deepObject(name: string, schema: SchemaObject, given: Sent): Json | undefined {
  const own = Object.entries(given).flatMap(([key, value]) =>
    key.startsWith(`${name}[`) && key.endsWith(']') ? [[key.slice(name.length + 1, -1), value]] : [],
  )
  return own.length === 0 ? undefined : fieldsOf(schema, Object.fromEntries(own), true)
}

/** The fields that a schema names, and where they are all that was sent, the others too. */
function fieldsOf(schema: SchemaObject, given: Sent, isAll = false): Json | undefined {
  const properties = propertiesOf(schema)
  const fields = Object.entries(given).flatMap(([name, sent]) => {
    const property = properties.get(name)
    if (property === undefined && !isAll) return []
    const text = typeof sent === 'string' ? sent : (sent[0] ?? '')
    return [[name, toValue(text, property ?? true, schema)]]
  })
  return fields.length === 0 ? undefined : Object.fromEntries(fields)
}

/** A text as the value that a schema accepts: a number or a boolean where it wants one. */
export function toValue(text: string, schema: JsonSchema, root: SchemaObject): unknown {
  if (typeof schema === 'boolean') return text
  const rooted =
    schema === root ? schema : { ...schema, components: root['components'], paths: root['paths'] }
  if (problemsOf(rooted, text).length === 0) return text
  const isNumber = /^-?\d+(\.\d+)?(e[-+]?\d+)?$/i.test(text)
  const other = isNumber ? Number(text) : ({ true: true, false: false, null: null } as Json)[text]
  return other !== undefined && kindOf(rooted)?.type !== 'string' ? other : text
}

/** Of which type a schema is, and where that is said: behind references, and in the first alternative that says so. */
export function kindOf(root: SchemaObject): { type: string; schema: SchemaObject } | undefined {
  const references = new References(root)
  const look = (schema: JsonSchema | undefined, depth: number): ReturnType<typeof kindOf> => {
    if (schema === undefined || typeof schema === 'boolean' || depth > 10) return undefined
    const type = typesOf(schema)?.find((each) => each !== 'null')
    if (type !== undefined) return { type, schema }
    const inner = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => schemasAt(schema, keyword))
    const kinds = [references.follow(schema), ...inner].map((each) => look(each, depth + 1))
    return kinds.find((kind) => kind?.type === 'array' || kind?.type === 'object') ?? kinds.find(Boolean)
  }
  return look(root, 0)
}

/** JSON, or the text as it is. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
