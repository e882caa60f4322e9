/**
 * The events of a recorded stream, derived from its bytes when needed.
 */
import { createParser } from 'eventsource-parser'
import { bodyOf, jsonIn, type Recording } from './recording.ts'

export interface RecordedEvent {
  /** Text of the `data:` lines. */
  readonly data: string
  /** The `event:` line, if any. */
  readonly event: string | undefined
  /** The data as JSON; undefined if it is not JSON. */
  readonly value: unknown
}

/** If true, the reply is an event stream. */
export function isEventStream({ reply }: Pick<Recording, 'reply'>): boolean {
  return /^text\/event-stream\b/i.test(reply?.headers['content-type'] ?? '')
}

/** The events of the reply, without comments. */
export function eventsOf(recording: Recording): RecordedEvent[] {
  return eventsIn(new TextDecoder().decode(bodyOf(recording)))
}

export function eventsIn(text: string): RecordedEvent[] {
  const events: RecordedEvent[] = []
  const parser = createParser({
    onEvent: ({ data, event }) => void events.push({ data, event, value: jsonIn(data) }),
  })
  parser.feed(text)
  return events
}

/** The texts that the deltas of a stream add up to, one per part: a secret may be split over several deltas. */
export function joinedDeltas(events: readonly RecordedEvent[]): string[] {
  const texts = new Map<string, string>()
  for (const { value } of events)
    for (const { part, text } of deltasIn(value)) texts.set(part, (texts.get(part) ?? '') + text)
  return [...texts.values()]
}

interface Delta {
  /** Identifies the part of the answer that the text belongs to. */
  readonly part: string
  readonly text: string
}

/** The text deltas in one event of the Responses, Chat or Messages protocol. */
function* deltasIn(value: unknown): Generator<Delta> {
  if (typeof value !== 'object' || value === null) return
  const { type, item_id, content_index, index, delta, choices } = value as Record<string, unknown>
  if (typeof delta === 'string') yield { part: `${type} ${item_id} ${content_index}`, text: delta }
  else yield* stringsIn(delta, `${type} ${index}`)
  if (!Array.isArray(choices)) return
  for (const choice of choices) {
    if (typeof choice === 'object' && choice !== null)
      yield* stringsIn(choice.delta, `choice ${choice.index}`)
  }
}

function* stringsIn(value: unknown, part: string): Generator<Delta> {
  if (typeof value === 'string') yield { part, text: value }
  else if (typeof value === 'object' && value !== null)
    for (const [name, inner] of Object.entries(value)) yield* stringsIn(inner, `${part} ${name}`)
}
