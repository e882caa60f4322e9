/**
 * An OpenAPI document as what can be compared: per operation its request, its parameters and its replies.
 */
import { upgrade } from '@scalar/openapi-upgrader'
import {
  DocumentError,
  isJson,
  type Json,
  OpenApiDocument,
  routeOf,
  shapeOf,
} from '../operations/document/openapi-document.ts'
import { SchemaReader } from './schema-shape.ts'
import { type Shape, unknownShape } from './shape.ts'

export interface DescribedOperation {
  /** `createResponse`, or what the document calls it. */
  readonly id: string
  /** `POST /responses`; path parameters have no name here, as they may differ. */
  readonly line: string
  readonly body: { readonly shape: Shape; readonly isRequired: boolean } | undefined
  /** By place and name: `query max_results`. */
  readonly parameters: ReadonlyMap<string, { readonly shape: Shape; readonly isRequired: boolean }>
  /** By status, `default` included, and media type. */
  readonly replies: ReadonlyMap<string, ReadonlyMap<string, Shape>>
}

/**
 * The operations of a document, by `line`.
 *
 * @param document OpenAPI 3.x, or Swagger 2.0. Throws a `DocumentError` for anything else.
 */
export function readDocument(document: unknown): Map<string, DescribedOperation> {
  const current = new OpenApiDocument(newest(document))
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

/** Path parameters lose their names, and the base address goes. */
export function lineOf(method: string, path: string): string {
  return `${method.toUpperCase()} ${shapeOf(routeOf(path, undefined))}`
}

function newest(document: unknown): unknown {
  if (!isJson(document) || !('paths' in document))
    throw new DocumentError('is no OpenAPI document: it has no paths')
  if (typeof document['openapi'] === 'string' && /^3\.[12]/.test(document['openapi'])) return document
  return upgrade(document as Parameters<typeof upgrade>[0], '3.1')
}

function describe(
  document: OpenApiDocument,
  reader: SchemaReader,
  operation: Json,
  item: Json,
): Omit<DescribedOperation, 'id' | 'line'> {
  const parameters = new Map<string, { shape: Shape; isRequired: boolean }>()
  for (const given of [item['parameters'], operation['parameters']].flatMap((list) =>
    Array.isArray(list) ? list : [],
  )) {
    const parameter = document.resolve(given)
    if (parameter?.['in'] !== 'query') continue
    parameters.set(`query ${parameter['name']}`, {
      shape: reader.shapeOf(parameter['schema']),
      isRequired: parameter['required'] === true,
    })
  }
  const request = document.resolve(operation['requestBody'])
  const schema = request && contentOf(reader, request).get('application/json')
  const replies = new Map<string, ReadonlyMap<string, Shape>>()
  const responses = isJson(operation['responses']) ? operation['responses'] : {}
  for (const [status, given] of Object.entries(responses)) {
    const reply = document.resolve(given)
    if (reply) replies.set(status, contentOf(reader, reply))
  }
  return {
    body: schema && { shape: schema, isRequired: request['required'] === true },
    parameters,
    replies,
  }
}

/** Shapes by media type, without its parameters. */
function contentOf(reader: SchemaReader, { content }: Json): Map<string, Shape> {
  const types = isJson(content) ? Object.entries(content) : []
  return new Map(
    types.map(([type, media]) => [
      type.split(';')[0]?.trim() ?? type,
      isJson(media) ? reader.shapeOf(media['schema']) : unknownShape,
    ]),
  )
}
