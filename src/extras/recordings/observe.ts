/**
 * Derives shapes from a gateway's replies and event streams, and compares them with Understudy's.
 * Understudy's own streams are sampled by sending it requests.
 */

import { apiDocument } from '../../control/documents.ts'
import { toFetch } from '../../delivery/fetch.ts'
import type { GatewayCore } from '../../gateway/gateway.ts'
import { decodeUtf8 } from '../../lib/bytes.ts'
import {
  type DescribedOperation,
  type DescribedOperations,
  lineOf,
  type OperationDifference,
  readDocument,
} from './documents.ts'
import { eventsIn, eventsOf, isEventStream, type RecordedEvent } from './events.ts'
import { bodyOf, jsonIn, type Recording } from './recording.ts'
import {
  compareShapes,
  type Difference,
  type Severity,
  type Shape,
  shapeOfSample,
  unionOf,
  unknownShape,
} from './shapes.ts'

export interface Observed {
  readonly replies: number
  /** Shapes by operation and status. */
  readonly bodies: ReadonlyMap<DescribedOperation, ReadonlyMap<number, Shape>>
  /** Media type of each reply, in lower case and without parameters. */
  readonly mediaTypes: readonly { operation: DescribedOperation; status: number; type: string }[]
  readonly headers: ReadonlySet<string>
  readonly streams: StreamModel
}

/** Headers that are not part of the API, such as those for connections, proxies, caches and browser security. */
const transportHeaders =
  /^(?:access-control-.*|age|alt-svc|cf-.*|connection|content-(?:encoding|length|security-policy)|date|etag|keep-alive|nel|permissions-policy|referrer-policy|report-to|server.*|set-cookie|strict-transport-security|transfer-encoding|vary|via|x-(?:content-type-options|frame-options|powered-by|understudy-.*|xss-protection))$/

/** Headers that Understudy may send. */
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

/** Derives shapes from complete replies to the given operations. Ignores all other recordings. */
export function observe(recordings: Iterable<Recording>, operations: DescribedOperations): Observed {
  const bodies = new Map<DescribedOperation, Map<number, Shape>>()
  const mediaTypes: Observed['mediaTypes'][number][] = []
  const headers = new Set<string>()
  const streams: RecordedEvent[][] = []
  let replies = 0
  for (const recording of recordings) {
    const { reply, end, request } = recording
    const operation = request && operationOf(request.method, request.path, operations)
    if (!reply || end?.end !== 'fin' || !operation) continue
    replies++
    for (const header of Object.keys(reply.headers)) if (!transportHeaders.test(header)) headers.add(header)
    const { 'content-type': type = '' } = reply.headers
    mediaTypes.push({ operation, status: reply.status, type: type.replace(/;.*/, '').trim().toLowerCase() })
    if (isEventStream(recording)) {
      if (operation.line === 'POST /responses' && reply.status === 200) streams.push(eventsOf(recording))
      continue
    }
    const value = jsonIn(decodeUtf8(bodyOf(recording)))
    if (value === undefined) continue
    const shapes = bodies.get(operation) ?? new Map<number, Shape>()
    const shape = unionOf(shapes.get(reply.status) ?? unknownShape, shapeOfSample(value))
    bodies.set(operation, shapes.set(reply.status, shape))
  }
  return { replies, bodies, mediaTypes, headers, streams: modelOf(streams) }
}

function operationOf(
  method: string,
  path: string,
  operations: DescribedOperations,
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

/**
 * Yields differences between described operations and observed replies.
 *
 * @param streams Model of Understudy's streams. Default: streams and headers are not compared.
 */
export function* compareObserved(
  operations: DescribedOperations,
  observed: Observed,
  streams?: StreamModel,
): Generator<OperationDifference> {
  for (const [{ id, line }, statuses] of observed.bodies)
    for (const [status, shape] of statuses)
      for (const each of compareBody(operations.get(line), status, shape)) yield { operation: id, ...each }
  for (const { operation, status, type } of observed.mediaTypes) {
    const content = operations.get(operation.line)?.replies.get(String(status))
    if (!content?.size || content.has(type)) continue
    const message = `is ${type || 'of no content type'}, but Understudy has ${[...content.keys()].join(' or ')}`
    const kind = 'media-type-added'
    yield { operation: operation.id, part: `reply ${status}`, path: '', kind, severity: 'breaking', message }
  }
  if (!streams) return
  for (const path of observed.headers) {
    if (ourHeaders.has(path)) continue
    const message = 'is not sent by Understudy'
    yield { operation: '*', part: 'headers', path, kind: 'header-added', severity: 'info', message }
  }
  if (observed.streams.streams > 0)
    for (const each of compareStreams(streams, observed.streams))
      yield { operation: 'createResponse', ...each }
}

function* compareBody(
  mine: DescribedOperation | undefined,
  status: number,
  shape: Shape,
): Generator<Difference> {
  if (!mine) return
  const part = `reply ${status}`
  const content =
    mine.replies.get(String(status)) ?? (status >= 400 ? mine.replies.get('default') : undefined)
  const documented = content?.get('application/json')
  if (documented) yield* compareShapes(documented, shape, { part, direction: 'reply', isObserved: true })
  if (!content)
    yield { part, path: '', kind: 'status-added', severity: 'additive', message: 'the status was returned' }
}

export interface StreamModel {
  readonly streams: number
  /** Shapes by event type. */
  readonly events: ReadonlyMap<string, Shape>
  /** Pairs of consecutive event types, such as `response.created > response.in_progress`. */
  readonly successors: ReadonlySet<string>
  readonly first: ReadonlySet<string>
  readonly last: ReadonlySet<string>
  /** Event types that occur in every stream. */
  readonly always: ReadonlySet<string>
  /** Number of streams that end with `[DONE]`. */
  readonly done: number
  /** Inconsistencies within individual streams. */
  readonly flaws: ReadonlySet<string>
}

/** @param streams Events of each complete stream. */
export function modelOf(streams: readonly (readonly RecordedEvent[])[]): StreamModel {
  const events = new Map<string, Shape>()
  const successors = new Set<string>()
  const first = new Set<string>()
  const last = new Set<string>()
  const flaws = new Set<string>()
  let always: Set<string> | undefined
  let done = 0
  for (const stream of streams) {
    const end = stream.findIndex(({ data }) => data === '[DONE]')
    if (end >= 0) done++
    if (end >= 0 && end < stream.length - 1) flaws.add('events come after [DONE]')
    const typed = stream.flatMap(({ value }) => (isEvent(value) ? [value] : []))
    const types = typed.map(({ type }) => type)
    for (const [index, event] of typed.entries()) {
      events.set(event.type, unionOf(events.get(event.type) ?? unknownShape, shapeOfSample(event)))
      const next = types[index + 1]
      if (next !== undefined) successors.add(`${event.type} > ${next}`)
    }
    if (types[0] !== undefined) first.add(types[0])
    const final = types.at(-1)
    if (final !== undefined) last.add(final)
    always = new Set(always ? [...always].filter((type) => types.includes(type)) : types)
    for (const flaw of flawsOf(typed)) flaws.add(flaw)
  }
  const count = streams.length
  return { streams: count, events, successors, first, last, always: always ?? new Set(), done, flaws }
}

interface Event extends Record<string, unknown> {
  type: string
}

function isEvent(value: unknown): value is Event {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'type') === 'string'
}

function* flawsOf(events: readonly Event[]): Generator<string> {
  const numbers = events.map(({ sequence_number }) => sequence_number)
  if (numbers.some((number, index) => Number(number) <= Number(numbers[index - 1])))
    yield 'sequence numbers do not increase'
  const texts = new Map<string, string>()
  for (const event of events) {
    const part = `${event['item_id']} ${event['content_index']}`
    if (event.type === 'response.output_text.delta') texts.set(part, (texts.get(part) ?? '') + event['delta'])
    if (event.type !== 'response.output_text.done') continue
    if (texts.has(part) && texts.get(part) !== event['text']) yield 'deltas do not add up to the text'
  }
  for (const { text, annotations } of events.flatMap(({ part }) => (isPart(part) ? [part] : [])))
    for (const { start_index: start, end_index: end } of annotations) {
      const fits = Number(start) >= 0 && Number(end) > Number(start) && Number(end) <= text.length
      if (!fits && text !== '') yield 'annotations do not match the text'
    }
}

interface Part {
  text: string
  annotations: { start_index?: unknown; end_index?: unknown }[]
}

function isPart(value: unknown): value is Part {
  if (typeof value !== 'object' || value === null) return false
  const { text, annotations } = value as Record<string, unknown>
  return typeof text === 'string' && Array.isArray(annotations)
}

/** Yields differences between observed streams and Understudy's. */
export function* compareStreams(ours: StreamModel, theirs: StreamModel): Generator<Difference> {
  const part = 'stream'
  const difference = (path: string, kind: string, severity: Severity, message: string): Difference => ({
    part,
    path,
    kind,
    severity,
    message,
  })
  for (const type of theirs.events.keys())
    if (!ours.events.has(type)) yield difference(type, 'event-added', 'additive', 'is not sent by Understudy')
  for (const type of ours.always)
    if (!theirs.always.has(type))
      yield difference(type, 'event-removed', 'breaking', 'is missing from some streams')
  for (const type of theirs.first)
    if (!ours.first.has(type))
      yield difference(
        type,
        'first-event',
        'breaking',
        `comes first, but Understudy's streams start with ${list(ours.first)}`,
      )
  for (const type of theirs.last)
    if (!ours.last.has(type))
      yield difference(
        type,
        'last-event',
        'breaking',
        `comes last, but Understudy's streams end with ${list(ours.last)}`,
      )
  if (theirs.done < theirs.streams && ours.done === ours.streams)
    yield difference('', 'done-missing', 'breaking', 'some streams do not end with [DONE]')
  for (const pair of theirs.successors) {
    const [before = '', after = ''] = pair.split(' > ')
    if (ours.successors.has(pair) || !ours.events.has(before) || !ours.events.has(after)) continue
    yield difference(pair, 'order-changed', 'breaking', "does not occur in Understudy's streams")
  }
  for (const flaw of theirs.flaws) if (!ours.flaws.has(flaw)) yield difference('', flaw, 'breaking', flaw)
  for (const [type, shape] of theirs.events) {
    const mine = ours.events.get(type)
    if (mine) yield* compareShapes(mine, shape, { part, direction: 'reply', isObserved: true }, type)
  }
}

function list(words: ReadonlySet<string>): string {
  return [...words].join(' or ')
}

/** Understudy's operations and streams, with which documents and replies are compared. */
export interface MockDescription {
  readonly operations: DescribedOperations
  readonly streams: StreamModel
}

/** Describes a gateway with its OpenAPI document and generated streams. */
export async function describeMock(gateway: GatewayCore): Promise<MockDescription> {
  const operations = readDocument(JSON.parse(JSON.stringify(apiDocument(gateway))))
  return { operations, streams: withSchemas(modelOf(await generatedStreams(gateway)), operations) }
}

const items = [
  { type: 'message', content: 'Tides follow the moon.' },
  { type: 'message', content: '' },
  { type: 'function_call', name: 'look_up', arguments: { q: 'tides' } },
  { type: 'function_call', name: 'look_up', arguments: '' },
  { type: 'web_search_call', action: { query: 'tides' } },
] as const

/** Generates streams with citations, with an incomplete function call, and with every pair of consecutive items. */
async function generatedStreams(gateway: GatewayCore) {
  const fetch = toFetch(gateway)
  const stream = async (body: object) => {
    const response = await fetch('https://gateway.example/api/v1/responses', {
      method: 'POST',
      headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'aurora/dawn-2', input: 'How do tides work?', stream: true, ...body }),
    })
    return eventsIn(await response.text())
  }
  const parameters = { type: 'object', properties: { q: { type: 'string' } } }
  const tools = [{ type: 'function', name: 'look_up', parameters }]
  const cited = await stream({ plugins: [{ id: 'web' }] })
  // mutation: equivalent (any small limit will do)
  const incomplete = await stream({ tools, tool_choice: 'required', max_output_tokens: 1 })
  const output = items.flatMap((first) => items.flatMap((second) => [first, second]))
  using _ = gateway.use({ on: 'createResponse', reply: { output } })
  return [cited, incomplete, await stream({})]
}

/** Replaces parts of sampled events with the document's shapes, which are more complete. */
function withSchemas(model: StreamModel, operations: DescribedOperations): StreamModel {
  const response = operations.get('POST /responses')?.replies.get('200')?.get('application/json')
  const item = fieldOf(response, '', 'output')?.items
  const part = fieldOf(item, 'message', 'content')?.items
  const annotation = fieldOf(part, 'output_text', 'annotations')?.items
  const schemas = new Map(Object.entries({ response, item, part, annotation }))
  const described = [...model.events].map(([type, shape]): [string, Shape] => {
    const objects = [...shape.objects].map(([tag, object]) => {
      const fields = [...object.fields].map(([name, field]) => {
        // Sampled strings are arbitrary, except for the type, which has a closed set of values.
        const sample = name === 'type' ? field.shape : { ...field.shape, values: undefined }
        return [name, { ...field, shape: schemas.get(name) ?? sample }] as const
      })
      return [tag, { ...object, fields: new Map(fields) }] as const
    })
    return [type, { ...shape, objects: new Map(objects) }]
  })
  return { ...model, events: new Map(described) }
}

function fieldOf(shape: Shape | undefined, tag: string, name: string): Shape | undefined {
  return shape?.objects.get(tag)?.fields.get(name)?.shape
}
