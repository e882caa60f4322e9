/**
 * What tapes show of a gateway, by operation and status, and how the double differs from it.
 */
import { decodeUtf8 } from '../lib/bytes.ts'
import { bodyOf, type Tape } from '../tapes/tape.ts'
import { eventsOf, isEventStream, type TapeEvent } from '../tapes/tape-events.ts'
import type { OperationDifference } from './compare-documents.ts'
import { compareShapes } from './compare-shapes.ts'
import type { DescribedOperation } from './document.ts'
import { lineOf } from './document.ts'
import { shapeOfSample } from './sample-shape.ts'
import { type Shape, unionOf, unknownShape } from './shape.ts'
import { compareStreams, modelOf, type StreamModel } from './stream-model.ts'

export interface Observed {
  /** How many replies were looked at. */
  readonly replies: number
  /** By operation and status. */
  readonly bodies: ReadonlyMap<DescribedOperation, ReadonlyMap<number, Shape>>
  readonly mediaTypes: ReadonlyMap<DescribedOperation, ReadonlyMap<number, ReadonlySet<string>>>
  readonly headers: ReadonlySet<string>
  readonly streams: StreamModel
}

/** Headers of connections, proxies and clocks, which are nobody's contract. */
const transport =
  /^(?:access-control-.*|age|alt-svc|cf-.*|connection|content-(?:encoding|length|security-policy)|date|etag|keep-alive|nel|permissions-policy|referrer-policy|report-to|server.*|set-cookie|strict-transport-security|transfer-encoding|vary|via|x-(?:content-type-options|frame-options|powered-by|understudy-.*|xss-protection))$/

/** Headers that the double sends at one time or another. */
const ourHeaders = new Set([
  'allow',
  'cache-control',
  'content-type',
  'retry-after',
  'retry-after-ms',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-request-id',
])

export function observe(
  tapes: ReadonlyMap<string, Tape>,
  operations: ReadonlyMap<string, DescribedOperation>,
): Observed {
  const bodies = new Map<DescribedOperation, Map<number, Shape>>()
  const mediaTypes = new Map<DescribedOperation, Map<number, Set<string>>>()
  const headers = new Set<string>()
  const streams: TapeEvent[][] = []
  let replies = 0
  for (const tape of tapes.values()) {
    const { reply, end, request } = tape
    const operation = request && operationOf(request.method, request.path, operations)
    if (!reply || end?.end !== 'fin' || !operation) continue
    replies++
    for (const header of Object.keys(reply.headers)) if (!transport.test(header)) headers.add(header)
    const mediaType = reply.headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? ''
    const types = mediaTypes.get(operation) ?? new Map<number, Set<string>>()
    mediaTypes.set(operation, types.set(reply.status, (types.get(reply.status) ?? new Set()).add(mediaType)))
    if (isEventStream(tape)) {
      if (operation.line === 'POST /responses' && reply.status === 200) streams.push(eventsOf(tape))
      continue
    }
    const value = parsed(decodeUtf8(bodyOf(tape)))
    if (value === undefined) continue
    const shapes = bodies.get(operation) ?? new Map<number, Shape>()
    const shape = unionOf(shapes.get(reply.status) ?? unknownShape, shapeOfSample(value))
    bodies.set(operation, shapes.set(reply.status, shape))
  }
  return { replies, bodies, mediaTypes, headers, streams: modelOf(streams) }
}

/** @param streams The model of our streams. Default: streams are not compared. */
export function* compareObserved(
  operations: ReadonlyMap<string, DescribedOperation>,
  observed: Observed,
  streams?: StreamModel,
): Generator<OperationDifference> {
  for (const [operation, statuses] of observed.bodies) {
    const mine = operations.get(operation.line)
    for (const [status, shape] of statuses) {
      const part = `reply ${status}`
      const content =
        mine &&
        (mine.replies.get(String(status)) ?? (status >= 400 ? mine.replies.get('default') : undefined))
      if (mine && !content) {
        const message = `a reply ${status} was seen`
        yield { operation: operation.id, part, path: '', kind: 'status-added', severity: 'additive', message }
      }
      const known = content?.get('application/json')
      if (!known) continue
      for (const difference of compareShapes(known, shape, { part, direction: 'reply', isObserved: true }))
        yield { operation: operation.id, ...difference }
    }
  }
  for (const [operation, statuses] of observed.mediaTypes)
    for (const [status, types] of statuses) {
      const content = operations.get(operation.line)?.replies.get(String(status))
      for (const type of types)
        if (content && content.size > 0 && !content.has(type))
          yield {
            operation: operation.id,
            part: `reply ${status}`,
            path: '',
            kind: 'media-type-added',
            severity: 'breaking',
            message: `is ${type || 'of no content type'}, ours is ${[...content.keys()].join(' or ')}`,
          }
    }
  if (!streams) return
  for (const header of observed.headers)
    if (!ourHeaders.has(header))
      yield {
        operation: '*',
        part: 'headers',
        path: header,
        kind: 'header-added',
        severity: 'info',
        message: 'is sent',
      }
  if (observed.streams.streams > 0)
    for (const difference of compareStreams(streams, observed.streams))
      yield { operation: 'createResponse', ...difference }
}

function operationOf(
  method: string,
  path: string,
  operations: ReadonlyMap<string, DescribedOperation>,
): DescribedOperation | undefined {
  const exact = operations.get(lineOf(method, path))
  if (exact) return exact
  const segments = path.split('/')
  return [...operations.values()].find(({ line }) => {
    const [verb, template = ''] = line.split(' ')
    const parts = template.split('/')
    const fits = parts.length === segments.length && verb === method
    return fits && parts.every((part, index) => part === '{}' || part === segments[index])
  })
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
