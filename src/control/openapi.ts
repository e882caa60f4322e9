/**
 * OpenAPI 3.1 documents, made from declared operations and routes.
 */
import * as z from 'zod'
import { messageOf } from '../http/errors.ts'
import type { AnyOperation, DocumentedSchemas } from '../operation.ts'
import { ErrorEnvelope } from '../resources/error-envelope.ts'
import { kindsOf } from '../resources/object-by-type.ts'

export interface DocumentSetup {
  readonly title: string
  readonly version: string
  readonly description: string
  /** What paths are below, `/api/v1`. */
  readonly base: string
  readonly described: readonly AnyOperation[]
  /** What the bearer is. */
  readonly bearer: string
  /** Whether replies have the headers and refusals of the emulated API. */
  readonly isEmulated: boolean
}

type Json = Record<string, unknown>

export function toDocument(setup: DocumentSetup): Json {
  const { title, version, description, base, described, bearer, isEmulated } = setup
  const schemas: Record<string, Json> = {}
  const paths: Record<string, Json> = {}
  const error = schemaOf(ErrorEnvelope, 'output', schemas)
  for (const each of described) {
    paths[each.path] = { ...paths[each.path], [each.method]: toOperation(each, schemas, isEmulated) }
  }
  const statuses = isEmulated ? new Set(described.flatMap(refusalsOf)) : []
  return {
    openapi: '3.1.0',
    info: { title, version, description, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: base }],
    security: [{ bearer: [] }],
    tags: [...new Set(described.flatMap(({ doc }) => doc?.tag ?? []))].map((name) => ({ name })),
    paths,
    components: {
      schemas,
      responses: {
        Error: {
          description: 'The error envelope',
          ...(isEmulated && { headers: headersOf() }),
          content: { 'application/json': { schema: error } },
        },
        ...Object.fromEntries([...statuses].map((status) => [`Error${status}`, refusal(status, error)])),
      },
      ...(isEmulated && { headers: replyHeaders }),
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: bearer } },
    },
  }
}

function toOperation(each: AnyOperation, schemas: Record<string, Json>, isEmulated: boolean): Json {
  const { id, doc: { summary, tag, beta } = {}, input: { body, bodyIsOptional } = {} } = each
  const written = each.doc?.schemas?.()
  return {
    operationId: id,
    ...(summary !== undefined && { summary }),
    ...(tag !== undefined && { tags: [tag] }),
    ...(beta && { description: 'Beta: it may change in breaking ways.', 'x-beta': true }),
    parameters: [
      ...parametersOf('path', written?.params ?? each.input?.params, 'input', schemas),
      // As numbers, which is what their text is read as.
      ...parametersOf('query', written?.query ?? each.input?.query, 'output', schemas),
    ],
    ...(body && {
      requestBody: {
        required: written ? !bodyIsOptional : !body.safeParse(undefined).success,
        content: { 'application/json': { schema: written?.body ?? schemaOf(body, 'input', schemas) } },
      },
    }),
    responses: {
      ...successOf(each, schemas, isEmulated, written),
      ...Object.fromEntries(
        (isEmulated ? refusalsOf(each) : []).map((status) => [
          status,
          { $ref: `#/components/responses/Error${status}` },
        ]),
      ),
      '500': { $ref: '#/components/responses/Error' },
      default: { $ref: '#/components/responses/Error' },
    },
  }
}

function successOf(
  { doc: { status = 200, type = 'application/json' } = {}, output, protocol, stream }: AnyOperation,
  schemas: Record<string, Json>,
  isEmulated: boolean,
  written: DocumentedSchemas | undefined,
): Json {
  if (output instanceof z.ZodUndefined) return { '204': { description: 'Done' } }
  const { eventSchema } = protocol ?? stream ?? {}
  const schema = written?.output ?? schemaOf(output, 'output', schemas)
  const event = written?.event ?? (eventSchema && schemaOf(eventSchema, 'output', schemas))
  const content = {
    [type]: { schema },
    ...((protocol ?? stream) && {
      'text/event-stream': {
        schema: { type: 'string', description: 'Lines `data: <json>`; the last one is `data: [DONE]`.' },
        ...(event && { 'x-event-schema': event }),
      },
    }),
  }
  return { [status]: { description: 'Success', ...(isEmulated && { headers: headersOf() }), content } }
}

function parametersOf(
  place: 'path' | 'query',
  schema: z.ZodType | Json | undefined,
  io: 'input' | 'output',
  schemas: Record<string, Json>,
): Json[] {
  if (schema && !(schema instanceof z.ZodType)) {
    const { properties = {}, required = [] } = schema as { properties?: Json; required?: string[] }
    return Object.entries(properties).map(([name, field]) => ({
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      schema: field,
    }))
  }
  if (schema instanceof z.ZodLazy) return parametersOf(place, schema._zod.innerType as z.ZodType, io, schemas)
  if (!(schema instanceof z.ZodObject)) return []
  return Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, field]) => {
    const { description, ...rest } = schemaOf(field, io, schemas)
    const required = place === 'path' || !field.safeParse(undefined).success
    return { name, in: place, required, ...(description !== undefined && { description }), schema: rest }
  })
}

/** A schema as JSON Schema; those with an id of their own go to the components, once. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', schemas: Record<string, Json>): Json {
  // Inside an object, a schema with an id is a reference like any other.
  const { properties, $defs = {} } = z.toJSONSchema(z.object({ root: schema }), {
    io,
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      simplify(jsonSchema, io)
      const kinds = kindsOf(zodSchema)
      if (kinds)
        jsonSchema.allOf = Object.entries(kinds).map(([type, kind]) =>
          onlyFor(type, schemaOf(kind, io, schemas)),
        )
    },
  })
  const names = new Map(Object.entries($defs).map(([name, json]) => [name, nameFor(name, json, io, schemas)]))
  const referring = (json: unknown): Json =>
    JSON.parse(JSON.stringify(json), (key, value) => refer(key, value, names))
  for (const [name, json] of Object.entries($defs)) schemas[names.get(name) ?? name] ??= referring(json)
  return referring(properties?.['root'])
}

function refer(key: string, value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (key !== '$ref' || typeof value !== 'string' || !value.startsWith('#/$defs/')) return value
  const name = value.replace('#/$defs/', '')
  return `#/components/schemas/${names.get(name) ?? name}`
}

/** What may be sent is not always what comes back under the same name; JSON values at any depth have no name. */
function nameFor(name: string, json: unknown, io: 'input' | 'output', schemas: Record<string, Json>): string {
  const own = name.startsWith('__') ? 'JsonValue' : name
  const taken = schemas[own]
  if (
    !taken ||
    io === 'output' ||
    JSON.stringify(taken.properties) === JSON.stringify((json as Json).properties)
  )
    return own
  return `${own}Input`
}

/** Objects of one type have to fit a schema; others need not. */
function onlyFor(type: string, then: Json): Json {
  return { if: { properties: { type: { const: type } }, required: ['type'] }, then }
}

/**
 * Leaves out what says nothing: the pattern of a format, and the bounds of every integer in a reply. In a request they
 * stay, as an integer beyond them is refused.
 */
function simplify(schema: Json, io: 'input' | 'output'): void {
  if (io === 'output') {
    if (schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum']
    if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum']
  }
  if (schema['format'] !== undefined) delete schema['pattern']
}

const header = (description: string, type = 'string') => ({ description, schema: { type } })

/** Headers that any reply may have, and those of some refusals. */
const replyHeaders: Json = {
  RequestId: header('Names the reply: the same for the same request, seed and place in the order.'),
  Assumptions: header('What the reply rests on that the specification leaves open, by name.'),
  Scenario: header('The rule that made or changed the reply, such as `flaky#1`.'),
  WwwAuthenticate: header('`Bearer`.'),
  RetryAfter: header('Seconds to wait, or a date.'),
  RateLimit: header('Calls that a window lets pass.', 'integer'),
  RateLimitRemaining: header('Calls that are left of it.', 'integer'),
  RateLimitReset: header('Seconds until the window ends.', 'integer'),
}

const always: Json = {
  'x-request-id': ref('RequestId'),
  'x-understudy-assumptions': ref('Assumptions'),
  'x-understudy-scenario': ref('Scenario'),
}

const ofStatus: Record<number, Json> = {
  401: { 'www-authenticate': ref('WwwAuthenticate') },
  429: {
    'retry-after': ref('RetryAfter'),
    'x-ratelimit-limit': ref('RateLimit'),
    'x-ratelimit-remaining': ref('RateLimitRemaining'),
    'x-ratelimit-reset': ref('RateLimitReset'),
  },
}

function ref(name: string): Json {
  return { $ref: `#/components/headers/${name}` }
}

/** The headers of a reply of some status; undefined is any other than those listed. */
function headersOf(status?: number): Json {
  return { ...always, ...(status !== undefined && ofStatus[status]) }
}

/** The statuses by which an operation refuses a request, in order. */
function refusalsOf({ input: { params, query, body } = {}, errors = [] }: AnyOperation): number[] {
  const checked = params || query || body ? [400] : []
  const read = body ? [413, 415] : []
  return [...checked, 401, 410, 429, ...read, ...errors].sort((left, right) => left - right)
}

/** A refusal: the envelope, with its headers. */
function refusal(status: number, error: Json): Json {
  return {
    description: messageOf(status),
    headers: headersOf(status),
    content: { 'application/json': { schema: error } },
  }
}
