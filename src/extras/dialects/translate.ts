/**
 * Requests from a dialect into our words, replies and events into the dialect's.
 */

import { messageOf } from '../../http/errors.ts'
import type { Frame, Reply, StreamEvent } from '../../http/reply.ts'
import { dollars } from '../../journal/ledger.ts'
import { uuid } from '../../lib/seed.ts'
import { edited, readAt, readPath, reads } from '../../lib/value-path.ts'
import type { Dialect, Fields, FieldValue, RequestedFields, Word } from './dialect.ts'

/** What a dialect reads of a request. */
export interface SentParts {
  /** The query with its question mark, or the empty string. */
  readonly search: string
  readonly body: unknown
}

/** The call that a reply answers. */
export interface RepliedCall {
  readonly operation: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
}

/** What has to be known to work fields out. */
export interface ReplyFacts {
  /** Dollars that the call has cost, as the ledger of its sandbox has it; undefined where it has not used a model. */
  readonly cost: number | null | undefined
  /** Dollars for one token of input and of output. */
  readonly prices: { readonly prompt: number; readonly completion: number }
  readonly seed: string | number
  /** The model that answers, and where it runs. */
  readonly model: string
  readonly provider: string
  /** The models of the request that were asked, in their order; the last one answers. */
  readonly asked: readonly string[]
}

/** Whether a call asks by a header for fields that replies have only then. */
export function asksForFields({ onRequest = [] }: Dialect, headers: RepliedCall['headers']): boolean {
  return onRequest.some((each) => isAsked(each, headers))
}

/** A request in our words. */
export function toOurs(dialect: Dialect, operation: string, { search, body }: SentParts): SentParts {
  let ours = body
  const query = new URLSearchParams(search)
  for (const { request = [], ours: word, theirs } of dialect.words) {
    for (const [root, ...path] of request.map(readPath)) {
      if (root === 'body') ours = replaced(ours, path, theirs, word)
      else if (query.get(path[0] as string) === theirs) query.set(path[0] as string, word)
    }
  }
  const fields = dialect.requests?.[operation]
  if (fields && typeof ours === 'object' && ours !== null)
    ours = withFields(ours, fields, (each) => each.value, true)
  return { body: ours, search: search === '' ? '' : `?${query}` }
}

/** A reply in the words of a dialect, with the fields that it has beside ours. */
export function toTheirs(dialect: Dialect, call: RepliedCall, reply: Reply, facts: ReplyFacts): Reply {
  const { body, status } = reply
  if (status >= 400) return reply
  if (body.kind === 'json') {
    const fields = fieldsFor('replies', dialect, call, call.operation)
    return { ...reply, body: { kind: 'json', value: dressed(body.value, dialect, fields, facts) } }
  }
  if (body.kind !== 'frames') return reply
  return { ...reply, body: { kind: 'frames', frames: events(body.frames, dialect, call, facts) } }
}

/** A refusal, or an error that a fault made, as the vendor puts it. */
export function toTheirError({ errors = {}, errorMetadata }: Dialect, reply: Reply): Reply {
  const { body, status } = reply
  if (status < 400 || body.kind !== 'json') return reply
  const { gateway_metadata, ...envelope } = body.value as Record<string, unknown>
  const error = envelope['error'] as { message?: unknown } | undefined
  const text = error?.message === messageOf(status) ? errors[status] : undefined
  const value = {
    ...envelope,
    ...(text !== undefined && { error: { ...error, message: text } }),
    ...(gateway_metadata !== undefined && { [errorMetadata ?? 'gateway_metadata']: gateway_metadata }),
  }
  return { ...reply, body: { kind: 'json', value } }
}

function isAsked({ headers, value }: RequestedFields, sent: RepliedCall['headers']): boolean {
  return headers.some((name) => sent[name] === value)
}

/** @param place An operation, or an operation and a type of its events. */
function fieldsFor(
  kind: 'replies' | 'events',
  { onRequest = [], ...dialect }: Dialect,
  { headers }: RepliedCall,
  place: string,
): Fields {
  const asked = onRequest.filter((each) => isAsked(each, headers))
  return Object.assign({}, dialect[kind]?.[place], ...asked.map((each) => each[kind]?.[place]))
}

function* events(
  frames: Iterable<Frame>,
  dialect: Dialect,
  call: RepliedCall,
  facts: ReplyFacts,
): Generator<Frame> {
  if (dialect.comment !== undefined) yield { kind: 'bytes', bytes: `: ${dialect.comment}\n\n` }
  const fields = fieldsFor('events', dialect, call, call.operation)
  const byType = new Map<string, Fields>()
  const fieldsOf = ({ type = '' }: StreamEvent): Fields => {
    const known = byType.get(type) ?? fieldsFor('events', dialect, call, `${call.operation} ${type}`)
    byType.set(type, known)
    return known
  }
  for (const frame of frames) {
    const own = frame.kind === 'event' ? fieldsOf(frame.event) : {}
    if (frame.kind !== 'event' || !(mayChange(frame.event) || Object.keys(own).length > 0)) yield frame
    else {
      const all = mayChange(frame.event) ? { ...fields, ...own } : own
      const event = dressed(frame.event, dialect, all, facts) as StreamEvent
      const name = frame.wire?.startsWith('event: ') ? `event: ${event.type}\n` : ''
      yield { kind: 'event', event, wire: `${name}data: ${JSON.stringify(event)}\n\n` }
    }
  }
}

/** Deltas, which are most of a stream, hold neither a word nor a usage. */
function mayChange({ response, message, usage, tools }: StreamEvent): boolean {
  return response !== undefined || typeof message === 'object' || usage != null || tools !== undefined
}

function dressed(value: unknown, { words }: Dialect, fields: Fields = {}, facts: ReplyFacts): unknown {
  const spoken = words.reduce(
    (each, { reply = [], ours, theirs }: Word) =>
      reply.reduce((inner, path) => replaced(inner, readPath(path), ours, theirs), each),
    value,
  )
  return withFields(spoken, fields, (field, place) => workedOut(field, place, spoken, facts), false)
}

function replaced(value: unknown, path: readonly string[], from: string, to: string): unknown {
  return edited(value, path, (found) => (found === from ? to : found)).value
}

type Literal = { readonly value: unknown }

/**
 * Adds fields in the objects that are there: `usage.cost` where there is a usage.
 *
 * @param makesParents Whether an object that is missing is made for its field.
 */
function withFields(
  value: unknown,
  fields: Fields,
  read: (field: FieldValue & Literal, place: object) => unknown,
  makesParents: boolean,
): unknown {
  return Object.entries(fields).reduce((each, [text, field]) => {
    const path = readPath(text)
    const parent = path.slice(0, -1)
    const name = path.at(-1) as string
    const add = (place: unknown) =>
      typeof place !== 'object' || place === null || Object.hasOwn(place, name)
        ? place
        : { ...place, [name]: read(field as FieldValue & Literal, place) }
    const hasParent = reads(each, parent).length > 0
    if (hasParent || !makesParents) return edited(each, parent, add).value
    return { ...(each as object), [parent[0] as string]: { [name]: read(field as FieldValue & Literal, {}) } }
  }, value)
}

function workedOut(
  field: FieldValue,
  place: object,
  whole: unknown,
  { cost, prices, seed, model, provider, asked }: ReplyFacts,
): unknown {
  if ('value' in field) return field.value
  switch (field.from) {
    case 'count':
      return reads(whole, ['data', '*']).length
    case 'cost':
      return cost ?? 0
    case 'asked':
      return asked[0] ?? model
    case 'model':
      return model
    case 'provider':
      return provider
    case 'attempt':
      return Math.max(1, asked.length)
    case 'route':
      return asked.length > 1 ? 'fallback' : 'direct'
    case 'uuid':
      return uuid(seed, 'dialect', String(readAt(place, ['id'])))
    default: {
      const [usage = {}] = [readAt(whole, ['usage']), readAt(whole, ['response', 'usage'])].filter(Boolean)
      const tokens = (...names: string[]) =>
        Number(names.map((name) => readAt(usage, [name])).find(Boolean) ?? 0)
      const prompt = tokens('prompt_tokens', 'input_tokens') * prices.prompt
      const completion = tokens('completion_tokens', 'output_tokens') * prices.completion
      // Products of prices in binary have long tails of digits.
      return dollars(field.from === 'promptCost' ? prompt : completion)
    }
  }
}
