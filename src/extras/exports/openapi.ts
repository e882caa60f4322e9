/** Generates OpenAPI 3.1 documents from operations. */
import * as z from 'zod'
import { messageOf } from '../../http/errors.ts'
import type { AnyOperation, Schema } from '../../operation.ts'
import { ErrorEnvelope } from '../../resources/error-envelope.ts'
import { kindsOf } from '../../resources/object-by-type.ts'
import { ResponseStreamEvent } from './response-events.ts'

export interface DocumentSetup {
  readonly title: string
  readonly description: string
  /** Base path, such as `/api/v1`. */
  readonly base: string
  readonly described: readonly AnyOperation[]
  readonly bearer: string
  /** If true, replies have the mocked API's headers and errors. */
  readonly isEmulated: boolean
}

type Json = Record<string, unknown>

/** Spec: Versioning, 2. */
const version = '1.0.0'

export function toDocument(setup: DocumentSetup): Json {
  const { title, description, base, described, bearer, isEmulated } = setup
  const schemas: Record<string, Json> = {}
  const paths: Record<string, Json> = {}
  const error = schemaOf(ErrorEnvelope, 'output', schemas)
  for (const each of described) {
    paths[each.path] = { ...paths[each.path], [each.method]: toOperation(each, schemas, isEmulated) }
  }
  const statuses = isEmulated ? new Set(described.flatMap(errorStatusesOf)) : []
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
        Error: errorReply(undefined, error, isEmulated),
        ...Object.fromEntries([...statuses].map((status) => [`Error${status}`, errorReply(status, error)])),
      },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: bearer } },
    },
  }
}

function toOperation(each: AnyOperation, schemas: Record<string, Json>, isEmulated: boolean): Json {
  const { id, doc: { summary, tag, beta } = {}, input: { body, bodyIsOptional } = {} } = each
  const { errorSchema } = each.errorProtocol ?? each.protocol ?? {}
  const envelope = errorSchema && schemaOf(errorSchema, 'output', schemas)
  const failure = (status?: number) =>
    envelope ? errorReply(status, envelope) : { $ref: `#/components/responses/Error${status ?? ''}` }
  return {
    operationId: id,
    ...(summary && { summary }),
    ...(tag && { tags: [tag] }),
    ...(beta && { description: 'In beta; breaking changes are possible.', 'x-beta': true }),
    parameters: [
      ...pathParametersOf(each, schemas),
      // Uses the output type, because numbers are parsed from text.
      ...parametersOf('query', each.input?.query, 'output', schemas),
    ],
    ...(body && {
      requestBody: {
        required: !bodyIsOptional && !(body instanceof z.ZodType && body.safeParse(undefined).success),
        content: { 'application/json': { schema: schemaOf(body, 'input', schemas) } },
      },
    }),
    responses: {
      ...successOf(each, schemas, isEmulated),
      ...(isEmulated && Object.fromEntries(errorStatusesOf(each).map((status) => [status, failure(status)]))),
      '500': failure(),
      default: failure(),
    },
  }
}

function successOf(
  { id, doc: { status = 200, type = 'application/json' } = {}, output, protocol, streams }: AnyOperation,
  schemas: Record<string, Json>,
  isEmulated: boolean,
): Json {
  if (output instanceof z.ZodUndefined) return { '204': { description: 'Done' } }
  const declared = typeof streams === 'object' ? streams : undefined
  const events = id === 'createResponse' ? ResponseStreamEvent : declared
  const schema = schemaOf(output, 'output', schemas)
  const event = events && schemaOf(events, 'output', schemas)
  const content = {
    [type]: { schema },
    ...((protocol ?? streams) && {
      'text/event-stream': {
        schema: { type: 'string', description: '`data: <json>` lines, usually ending with `data: [DONE]`.' },
        ...(event && { 'x-event-schema': event }),
      },
    }),
  }
  return { [status]: { description: 'Success', ...(isEmulated && { headers: always }), content } }
}

function pathParametersOf({ path, input }: AnyOperation, schemas: Record<string, Json>): Json[] {
  const described = parametersOf('path', input?.params, 'input', schemas)
  return Array.from(path.matchAll(/\{([^}]*)\}/g), ([, name]) => {
    const known = described.find((each) => each['name'] === name)
    return known ?? { name, in: 'path', required: true, schema: { type: 'string' } }
  })
}

function parametersOf(
  location: 'path' | 'query',
  schema: Schema | undefined,
  io: 'input' | 'output',
  schemas: Record<string, Json>,
): Json[] {
  if (schema && !(schema instanceof z.ZodType)) {
    const { properties, required: names } = standardSchemaOf(schema, io)
    return Object.entries(Object(properties)).map(([name, field]) => {
      const required = location === 'path' || (Array.isArray(names) && names.includes(name))
      return { name, in: location, required, schema: field }
    })
  }
  if (schema instanceof z.ZodLazy)
    return parametersOf(location, schema._zod.innerType as z.ZodType, io, schemas)
  if (!(schema instanceof z.ZodObject)) return []
  return Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, field]) => {
    const { description, ...rest } = schemaOf(field, io, schemas)
    const required = location === 'path' || !field.safeParse(undefined).success
    return { name, in: location, required, ...(description !== undefined && { description }), schema: rest }
  })
}

/** Converts another library's schema. Returns `{}` if that is impossible or the result has references. */
function standardSchemaOf(schema: Schema, io: 'input' | 'output'): Json {
  try {
    const { $schema: _, ...json } = schema['~standard'].jsonSchema?.[io]({ target: 'draft-2020-12' }) ?? {}
    return JSON.stringify(json).includes('"$ref"') ? {} : json
  } catch {
    return {}
  }
}

function schemaOf(schema: Schema, io: 'input' | 'output', schemas: Record<string, Json>): Json {
  if (!(schema instanceof z.ZodType)) return standardSchemaOf(schema, io)
  // Wrapped in an object, so that a schema with an id becomes a reference.
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
    JSON.parse(JSON.stringify(json), (key, value) => {
      const [, name] = (key === '$ref' && /^#\/\$defs\/(.*)/.exec(value)) || []
      return name === undefined ? value : `#/components/schemas/${names.get(name)}`
    })
  for (const [name, json] of Object.entries($defs)) schemas[names.get(name) as string] ??= referring(json)
  return referring(properties?.['root'])
}

/** Returns a schema's component name. Requests and replies may have different schemas with the same name. */
function nameFor(name: string, json: Json, io: 'input' | 'output', schemas: Record<string, Json>): string {
  const component = name.startsWith('__') ? 'JsonValue' : name
  const { properties } = schemas[component] ?? json
  const isSame = JSON.stringify(properties) === JSON.stringify(json.properties)
  return io === 'output' || isSame ? component : `${component}Input`
}

function onlyFor(type: string, then: Json): Json {
  return { if: { properties: { type: { const: type } }, required: ['type'] }, then }
}

/** Removes patterns that a format implies and, in replies, the bounds of safe integers. */
function simplify(schema: Json, io: 'input' | 'output'): void {
  if (io === 'output') {
    if (schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum']
    if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum']
  }
  if (schema['format'] !== undefined) delete schema['pattern']
}

const header = (description: string, type = 'string') => ({ description, schema: { type } })

const always: Json = {
  'x-request-id': header('Reply id. The same request, seed and request order always give the same id.'),
  'x-understudy-assumptions': header('Names of the assumptions that the reply depends on.'),
  'x-understudy-scenario': header('Rule that produced or changed the reply, such as `flaky#1`.'),
}

const statusHeaders: Record<number, Json> = {
  401: { 'www-authenticate': header('`Bearer`.') },
  429: {
    'retry-after': header('Seconds to wait, or a date.'),
    'x-ratelimit-limit': header('Requests allowed per window.', 'integer'),
    'x-ratelimit-remaining': header('Requests remaining in the window.', 'integer'),
    'x-ratelimit-reset': header('Seconds until the window ends.', 'integer'),
  },
}

function errorStatusesOf({ input: { params, query, body } = {}, errors = [] }: AnyOperation): number[] {
  const checked = params || query || body ? [400] : []
  const read = body ? [413, 415] : []
  return [...checked, 401, 410, 429, ...read, ...errors].sort((left, right) => left - right)
}

function errorReply(status: number | undefined, error: Json, isEmulated = true): Json {
  return {
    description: status === undefined ? 'The error envelope' : messageOf(status),
    ...(isEmulated && { headers: { ...always, ...statusHeaders[status ?? 0] } }),
    content: { 'application/json': { schema: error } },
  }
}
