/**
 * Reads the parts of OpenAPI documents to compare (parameters, bodies and replies by operation), and compares two
 * documents.
 */
import { upgrade } from '@scalar/openapi-upgrader'
import { shapeOf } from '../../operation.ts'
import {
  DocumentError,
  isJson,
  type Json,
  OpenApiDocument,
  prefixOf,
  routeOf,
} from '../documents/openapi-document.ts'
import {
  compareDeprecation,
  compareShapes,
  type Difference,
  SchemaReader,
  type Severity,
  type Shape,
} from './shapes.ts'

/** A shape, and whether it is required. */
interface Part {
  readonly shape: Shape
  readonly isRequired: boolean
}

export interface DescribedOperation {
  /** The document's `operationId`, such as `createResponse`, or the method and path if it has none. */
  readonly id: string
  /** Method and path, such as `GET /presets/{}`. Names of path parameters are omitted, because they may differ. */
  readonly line: string
  readonly body: Part | undefined
  /** Parameters by location and name, such as `query max_results`. */
  readonly parameters: ReadonlyMap<string, Part>
  /** Replies by status, including `default`, and media type. */
  readonly replies: ReadonlyMap<string, ReadonlyMap<string, Shape>>
  /** Reply headers by status, then by name in lower case. */
  readonly headers: ReadonlyMap<string, ReadonlyMap<string, Part>>
  /** Accepted kinds of authentication, such as `http bearer`, or `none`. */
  readonly security: ReadonlySet<string>
  /** The server's path, such as `/api/v1`. Empty if the document does not name a server. */
  readonly server: string
  readonly isDeprecated: boolean
}

/** Operations by method and path. */
export type DescribedOperations = ReadonlyMap<string, DescribedOperation>

/** Reads a document's operations. Throws a `DocumentError` unless it is OpenAPI 3.x or Swagger 2.0. */
export function readDocument(document: unknown): DescribedOperations {
  const current = new OpenApiDocument(toLatestVersion(document))
  const reader = new SchemaReader(current)
  const operations = new Map<string, DescribedOperation>()
  for (const { method, route, operation, item } of current.operations()) {
    const line = lineOf(method, route)
    operations.set(line, {
      id: String(operation['operationId'] ?? line),
      line,
      ...describe(current, reader, operation, item),
    })
  }
  if (operations.size === 0) throw new DocumentError('has no operations under paths')
  return operations
}

/** Returns method and path, without the base path and parameter names. */
export function lineOf(method: string, path: string): string {
  return `${method.toUpperCase()} ${shapeOf(routeOf(path, undefined))}`
}

function toLatestVersion(document: unknown): unknown {
  if (!isJson(document) || /^3\.[12]/.test(String(document['openapi']))) return document
  // `upgrade` mutates its argument.
  return upgrade(structuredClone(document) as Parameters<typeof upgrade>[0], '3.1')
}

function describe(
  document: OpenApiDocument,
  reader: SchemaReader,
  operation: Json,
  item: Json,
): Omit<DescribedOperation, 'id' | 'line'> {
  const parameters = new Map<string, Part>()
  const lists = [item['parameters'], operation['parameters']]
  for (const each of lists.flatMap((list) => (Array.isArray(list) ? list : []))) {
    const parameter = document.resolve(each)
    const { in: place, name } = parameter ?? {}
    if (place === 'query') parameters.set(`query ${name}`, partOf(reader, parameter))
    if (place === 'header' && !/^(accept|authorization|content-type)$/i.test(String(name)))
      parameters.set(`header ${String(name).toLowerCase()}`, partOf(reader, parameter))
  }
  const request = document.resolve(operation['requestBody'])
  const shape = request && contentOf(document, reader, request).get('application/json')
  const replies = new Map<string, ReadonlyMap<string, Shape>>()
  const headers = new Map<string, ReadonlyMap<string, Part>>()
  const responses = isJson(operation['responses']) ? operation['responses'] : {}
  for (const [status, response] of Object.entries(responses)) {
    const reply = document.resolve(response)
    if (!reply) continue
    replies.set(status, contentOf(document, reader, reply))
    const named = isJson(reply['headers']) ? Object.entries(reply['headers']) : []
    headers.set(
      status,
      new Map(named.map(([name, header]) => [name.toLowerCase(), partOf(reader, document.resolve(header))])),
    )
  }
  return {
    body: shape && { shape, isRequired: request['required'] === true },
    parameters,
    replies,
    headers,
    security: securityOf(document, operation['security'] ?? document.root['security']),
    server: prefixOf(operation['servers'] ?? item['servers'] ?? document.root['servers']),
    isDeprecated: operation['deprecated'] === true,
  }
}

/** Reads a parameter or a header. */
function partOf(reader: SchemaReader, { schema, required, deprecated }: Json = {}): Part {
  const shape = reader.shapeOf(schema)
  const isDeprecated = deprecated === true || shape.isDeprecated
  return { shape: isDeprecated ? { ...shape, isDeprecated } : shape, isRequired: required === true }
}

/**
 * Returns the alternatives in a list of security requirements, with each scheme's kind instead of its name.
 */
function securityOf(document: OpenApiDocument, requirements: unknown): Set<string> {
  const schemes = document.resolve(document.root['components'])?.['securitySchemes']
  const kindOf = (name: string) => {
    const { type, scheme, in: place, name: key } = document.resolve(Object(schemes)[name]) ?? {}
    return [type ?? name, scheme, place, key].filter((word) => word !== undefined).join(' ')
  }
  const list = Array.isArray(requirements) ? requirements : []
  const alternatives = list.map((each) => Object.keys(Object(each)).map(kindOf).sort().join(' and '))
  return new Set(alternatives.length === 0 ? ['none'] : alternatives.map((kinds) => kinds || 'none'))
}

/** Returns shapes by media type, ignoring media type parameters. A stream has the shape of its events. */
function contentOf(document: OpenApiDocument, reader: SchemaReader, { content }: Json): Map<string, Shape> {
  const types = isJson(content) ? Object.entries(content) : []
  return new Map(
    types.map(([name, media]) => {
      const type = name.replace(/;.*/, '').trim()
      const { schema } = isJson(media) ? media : {}
      return [
        type,
        reader.shapeOf(type === 'text/event-stream' ? eventSchema(document, Object(media)) : schema),
      ]
    }),
  )
}

/**
 * Returns the schema of a stream's events: `x-event-schema`, `itemSchema`, or the schema of `data` in the
 * stream's schema.
 */
function eventSchema(document: OpenApiDocument, media: Json): unknown {
  const { schema, itemSchema, 'x-event-schema': event = itemSchema } = media
  if (event !== undefined) return event
  const { properties } = document.resolve(schema) ?? {}
  return isJson(properties) ? (properties['data'] ?? schema) : undefined
}

export interface OperationDifference extends Difference {
  readonly operation: string
}

/** Yields differences between another document and Understudy's. */
export function* compareDocuments(
  ours: DescribedOperations,
  theirs: DescribedOperations,
): Generator<OperationDifference> {
  const shared: [DescribedOperation, DescribedOperation][] = []
  for (const [line, mine] of ours) {
    const other = theirs.get(line)
    if (other) shared.push([mine, other])
    const differences = other
      ? compareOperations(mine, other)
      : [difference('operation', '', 'operation-removed', 'breaking', `${line} is not documented`)]
    for (const each of differences) yield { operation: mine.id, ...each }
  }
  for (const compare of [compareSecurity, compareServers]) yield* once(shared, compare)
  const hasHeaders = [...theirs.values()].some(({ headers }) =>
    [...headers.values()].some(({ size }) => size > 0),
  )
  for (const [mine, other] of hasHeaders ? shared : [])
    for (const each of compareHeaders(mine, other)) yield { operation: mine.id, ...each }
  for (const [line, { id }] of theirs) {
    if (ours.has(line)) continue
    const message = `${line} is documented but not supported`
    yield { operation: id, ...difference('operation', '', 'operation-added', 'additive', message) }
  }
}

/** Yields differences. Those that all operations share are yielded once, with `*` as the operation. */
function* once(
  pairs: readonly [DescribedOperation, DescribedOperation][],
  compare: (ours: DescribedOperation, theirs: DescribedOperation) => Iterable<Difference>,
): Generator<OperationDifference> {
  const found = pairs.flatMap(([mine, other]) =>
    [...compare(mine, other)].map((each) => ({ operation: mine.id, ...each })),
  )
  const [first] = found
  const isShared = found.length > 1 && found.length === pairs.length
  if (
    first &&
    isShared &&
    found.every(({ kind, message }) => kind === first.kind && message === first.message)
  )
    yield { ...first, operation: '*' }
  else yield* found
}

function* compareSecurity(ours: DescribedOperation, theirs: DescribedOperation): Generator<Difference> {
  const more = [...theirs.security].filter((kind) => !ours.security.has(kind))
  const fewer = [...ours.security].filter((kind) => !theirs.security.has(kind))
  if (fewer.length > 0 && !theirs.security.has('none')) {
    const message = `is ${[...theirs.security].join(' or ')}, but Understudy has ${[...ours.security].join(' or ')}`
    yield difference('security', '', 'security-changed', 'breaking', message)
  } else if (more.length > 0)
    yield difference(
      'security',
      '',
      'security-added',
      'additive',
      more.includes('none') ? 'is optional' : `may be ${more.join(' or ')}`,
    )
}

function* compareServers(ours: DescribedOperation, theirs: DescribedOperation): Generator<Difference> {
  if (theirs.server === '' || theirs.server === ours.server) return
  const message = `has the path ${theirs.server}, but Understudy has ${ours.server || 'none'}`
  yield difference('servers', '', 'server-changed', 'breaking', message)
}

function* compareHeaders(ours: DescribedOperation, theirs: DescribedOperation): Generator<Difference> {
  for (const [status, other] of theirs.headers) {
    const mine = ours.headers.get(status)
    const part = `reply ${status} header`
    for (const [name, { shape }] of other) {
      const own = mine?.get(name)
      if (own) yield* compareShapes(own.shape, shape, { part, direction: 'reply', isObserved: false }, name)
      else if (mine) yield difference(part, name, 'header-added', 'additive', 'is new')
    }
    for (const [name, { isRequired }] of mine ?? [])
      if (!other.has(name) && !name.startsWith('x-understudy-')) {
        const severity = isRequired ? 'breaking' : 'info'
        yield difference(part, name, 'header-removed', severity, 'is not documented')
      }
  }
}

function difference(
  part: string,
  path: string,
  kind: string,
  severity: Severity,
  message: string,
): Difference {
  return { part, path, kind, severity, message }
}

function* compareOperations(ours: DescribedOperation, theirs: DescribedOperation): Generator<Difference> {
  for (const change of compareDeprecation(ours, theirs)) yield { part: 'operation', path: '', ...change }
  yield* compareParameters(ours, theirs)
  yield* compareBodies(ours.body, theirs.body)
  yield* compareReplies(ours, theirs)
}

function* compareBodies(mine: Part | undefined, other: Part | undefined): Generator<Difference> {
  if (mine && other)
    yield* compareShapes(mine.shape, other.shape, {
      part: 'request',
      direction: 'request',
      isObserved: false,
    })
  if (other?.isRequired && !mine?.isRequired)
    yield difference('request', '', 'body-required', 'breaking', 'a body is required')
  else if (mine && !other) yield difference('request', '', 'body-removed', 'breaking', 'no body is accepted')
  else if (other && !mine) yield difference('request', '', 'body-added', 'additive', 'a body is accepted')
}

function* compareParameters(ours: DescribedOperation, theirs: DescribedOperation): Generator<Difference> {
  const part = 'request'
  for (const [name, other] of theirs.parameters) {
    const mine = ours.parameters.get(name)
    if (!mine) {
      yield other.isRequired
        ? difference(part, name, 'parameter-added', 'breaking', 'is new and required')
        : difference(part, name, 'parameter-added', 'additive', 'is new')
      continue
    }
    if (other.isRequired && !mine.isRequired)
      yield difference(part, name, 'parameter-required', 'breaking', 'is required')
    if (!other.isRequired && mine.isRequired)
      yield difference(part, name, 'parameter-optional', 'additive', 'is optional')
    yield* compareShapes(mine.shape, other.shape, { part, direction: 'request', isObserved: false }, name)
  }
  for (const name of ours.parameters.keys())
    if (!theirs.parameters.has(name))
      yield difference(part, name, 'parameter-removed', 'breaking', 'is not accepted')
}

function* compareReplies(ours: DescribedOperation, theirs: DescribedOperation): Generator<Difference> {
  for (const [status, mine] of ours.replies) {
    const other = theirs.replies.get(status) ?? theirs.replies.get(`${status[0]}XX`)
    const part = `reply ${status}`
    if (other) yield* compareContents(mine, other, part)
    else if (status !== 'default') {
      const severity = status.startsWith('2') ? 'breaking' : 'info'
      yield difference(part, '', 'status-removed', severity, 'the status is not documented')
    }
  }
  const fallback = ours.replies.get('default')
  for (const [status, other] of theirs.replies) {
    if (ours.replies.has(status)) continue
    const part = `reply ${status}`
    if (status.startsWith('2') || !fallback) {
      yield difference(part, '', 'status-added', 'additive', 'the status is documented')
      continue
    }
    // All of Understudy's errors use the same envelope.
    const [mine, there] = [fallback.get('application/json'), other.get('application/json')]
    if (mine && there) yield* compareShapes(mine, there, { part, direction: 'reply', isObserved: false })
  }
}

/** Compares replies with the same status by media type. */
function* compareContents(
  ours: ReadonlyMap<string, Shape>,
  theirs: ReadonlyMap<string, Shape>,
  part: string,
): Generator<Difference> {
  const known = new Set<string>()
  for (const [type, shape] of ours) {
    const isStream = type === 'text/event-stream'
    const other = theirs.get(type)
    const setup = { part: isStream ? 'stream' : part, direction: 'reply', isObserved: false } as const
    for (const each of other ? compareShapes(shape, other, setup) : []) {
      // Events share fields with each other and with the reply. A difference in a shared field is listed
      // once.
      const place = isStream ? placeInReply(each.path) : each.path
      const names = [`${place} ${each.kind}`, `${place.replace(/^\[.*?\]/, '')} ${each.kind} ${each.message}`]
      if (!names.some((name) => known.has(name))) yield each
      for (const name of isStream ? names : names.slice(0, 1)) known.add(name)
    }
    if (!other && theirs.size > 0) {
      const severity = isStream ? 'info' : 'breaking'
      yield difference(part, '', 'media-type-removed', severity, `${type} is not documented`)
    }
  }
  for (const type of theirs.keys())
    if (!ours.has(type)) yield difference(part, '', 'media-type-added', 'additive', `may be ${type}`)
}

/** Returns the path in the reply for part of an event: `[response.completed].response.usage` is `usage`. */
function placeInReply(path: string): string {
  return path.replace(/^\[response\.[^\]]*\]\.(response\.|item|part)/, (_, field: string) => {
    if (field === 'response.') return ''
    return field === 'item' ? 'output' : 'output[message].content'
  })
}
