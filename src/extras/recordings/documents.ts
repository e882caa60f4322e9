/**
 * Reads the parts of OpenAPI documents to compare (parameters, bodies and replies by operation), and compares two
 * documents.
 */
import { upgrade } from '@scalar/openapi-upgrader'
import {
  DocumentError,
  isJson,
  type Json,
  OpenApiDocument,
  routeOf,
  shapeOf,
} from '../../http/openapi-document.ts'
import {
  compareShapes,
  type Difference,
  SchemaReader,
  type Severity,
  type Shape,
  unknownShape,
} from './shapes.ts'

/** A shape that may be required. */
interface Part {
  readonly shape: Shape
  readonly isRequired: boolean
}

export interface DescribedOperation {
  /** Operation id, such as `createResponse`, or the id in the document. */
  readonly id: string
  /** Method and path, such as `POST /responses`. Path parameters have no names here, because names may differ. */
  readonly line: string
  readonly body: Part | undefined
  /** Parameters by location and name, such as `query max_results`. */
  readonly parameters: ReadonlyMap<string, Part>
  /** Replies by status, including `default`, and media type. */
  readonly replies: ReadonlyMap<string, ReadonlyMap<string, Shape>>
}

/** Operations by `line`. */
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
  if (!isJson(document) || !('paths' in document))
    throw new DocumentError('is not an OpenAPI document: it has no paths')
  if (typeof document['openapi'] === 'string' && /^3\.[12]/.test(document['openapi'])) return document
  // `upgrade` mutates its argument.
  return upgrade(structuredClone(document) as Parameters<typeof upgrade>[0], '3.1')
}

function describe(
  document: OpenApiDocument,
  reader: SchemaReader,
  operation: Json,
  item: Json,
): Pick<DescribedOperation, 'body' | 'parameters' | 'replies'> {
  const parameters = new Map<string, Part>()
  const lists = [item['parameters'], operation['parameters']]
  for (const each of lists.flatMap((list) => (Array.isArray(list) ? list : []))) {
    const parameter = document.resolve(each)
    if (parameter?.['in'] !== 'query') continue
    parameters.set(`query ${parameter['name']}`, {
      shape: reader.shapeOf(parameter['schema']),
      isRequired: parameter['required'] === true,
    })
  }
  const request = document.resolve(operation['requestBody'])
  const shape = request && contentOf(reader, request).get('application/json')
  const replies = new Map<string, ReadonlyMap<string, Shape>>()
  const responses = isJson(operation['responses']) ? operation['responses'] : {}
  for (const [status, response] of Object.entries(responses)) {
    const reply = document.resolve(response)
    if (reply) replies.set(status, contentOf(reader, reply))
  }
  const body = shape && { shape, isRequired: request['required'] === true }
  return { body, parameters, replies }
}

/** Returns shapes by media type, ignoring media type parameters. */
function contentOf(reader: SchemaReader, { content }: Json): Map<string, Shape> {
  const types = isJson(content) ? Object.entries(content) : []
  return new Map(
    types.map(([type, media]) => [
      type.split(';')[0]?.trim() ?? type,
      isJson(media) ? reader.shapeOf(media['schema']) : unknownShape,
    ]),
  )
}

export interface OperationDifference extends Difference {
  readonly operation: string
}

/** Yields differences between another document and ours. */
export function* compareDocuments(
  ours: DescribedOperations,
  theirs: DescribedOperations,
): Generator<OperationDifference> {
  for (const [line, mine] of ours) {
    const other = theirs.get(line)
    const differences = other
      ? compareOperations(mine, other)
      : [difference('operation', '', 'operation-removed', 'breaking', `${line} is not documented`)]
    for (const each of differences) yield { operation: mine.id, ...each }
  }
  for (const [line, { id }] of theirs) {
    if (ours.has(line)) continue
    const message = `${line} is documented but not supported`
    yield { operation: id, ...difference('operation', '', 'operation-added', 'additive', message) }
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
  for (const [type, shape] of ours) {
    const isStream = type === 'text/event-stream'
    const other = theirs.get(type)
    if (other && !isStream)
      yield* compareShapes(shape, other, { part, direction: 'reply', isObserved: false })
    if (!other && theirs.size > 0) {
      const severity = isStream ? 'info' : 'breaking'
      yield difference(part, '', 'media-type-removed', severity, `${type} is not documented`)
    }
  }
  for (const type of theirs.keys())
    if (!ours.has(type)) yield difference(part, '', 'media-type-added', 'additive', `may be ${type}`)
}
