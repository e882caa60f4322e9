/**
 * Requests from a dialect into our words, replies and events into the dialect's.
 */
import type { Frame, Reply, StreamEvent } from '../http/reply.ts'
import { dollars } from '../journal/ledger.ts'
import { uuid } from '../lib/seed.ts'
import { edited, readAt, readPath, reads } from '../lib/value-path.ts'
import type { Dialect, Fields, FieldValue, Word } from './dialect.ts'

/** What a dialect reads of a request. */
export interface SentParts {
  /** The query with its question mark, or the empty string. */
  readonly search: string
  readonly body: unknown
}

/** What has to be known to work fields out. */
export interface ReplyFacts {
  /** Dollars that the call has cost, as the ledger of its sandbox has it; undefined where it has not used a model. */
  readonly cost: number | null | undefined
  /** Dollars for one token of input and of output. */
  readonly prices: { readonly prompt: number; readonly completion: number }
  readonly seed: string | number
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
export function toTheirs(dialect: Dialect, operation: string, reply: Reply, facts: ReplyFacts): Reply {
  const { body, status } = reply
  if (status >= 400) return reply
  if (body.kind === 'json') {
    const value = dressed(body.value, dialect, dialect.replies?.[operation], facts)
    return { ...reply, body: { kind: 'json', value } }
  }
  if (body.kind !== 'frames') return reply
  return { ...reply, body: { kind: 'frames', frames: events(body.frames, dialect, operation, facts) } }
}

function* events(
  frames: Iterable<Frame>,
  dialect: Dialect,
  operation: string,
  facts: ReplyFacts,
): Generator<Frame> {
  if (dialect.comment !== undefined) yield { kind: 'bytes', bytes: `: ${dialect.comment}\n\n` }
  const fields = dialect.events?.[operation]
  for (const frame of frames) {
    const changed = frame.kind === 'event' && mayChange(frame.event)
    if (!changed) yield frame
    else {
      const event = dressed(frame.event, dialect, fields, facts) as StreamEvent
      const name = frame.wire?.startsWith('event: ') ? `event: ${event.type}\n` : ''
      yield { kind: 'event', event, wire: `${name}data: ${JSON.stringify(event)}\n\n` }
    }
  }
}

/** Deltas, which are most of a stream, hold neither a word nor a usage. */
function mayChange(event: StreamEvent): boolean {
  return event['response'] !== undefined || event['usage'] != null || event['tools'] !== undefined
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
  { cost, prices, seed }: ReplyFacts,
): unknown {
  if ('value' in field) return field.value
  switch (field.from) {
    case 'count':
      return reads(whole, ['data', '*']).length
    case 'cost':
      return cost ?? 0
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
