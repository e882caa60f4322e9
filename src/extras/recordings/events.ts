/** Parses events from a recorded stream's bytes. */
import { createParser } from 'eventsource-parser'
import { announcesEvents } from '../../http/reply.ts'
import { parseJson } from '../../lib/json.ts'
import type { Recording } from './recording.ts'

export interface RecordedEvent {
  readonly data: string
  /** Value of the `event:` line, if any. */
  readonly event: string | undefined
  /** Parsed data; undefined if it is not JSON. */
  readonly value: unknown
}

/** Returns true if the recorded reply has the media type `text/event-stream`. */
export function isEventStream({ reply }: Pick<Recording, 'reply'>): boolean {
  return reply !== undefined && announcesEvents(reply.headers)
}

export const lastEvent =
  /data: ?\[DONE\]|"type": ?"(?:response\.(?:completed|failed|incomplete)|message_stop)"/

/** Parses a stream's events, without comments. `onIgnored` is called for each line that belongs to no event. */
export function eventsIn(text: string, onIgnored?: (line: string) => void): RecordedEvent[] {
  const events: RecordedEvent[] = []
  const parser = createParser({
    onEvent: ({ data, event }) => void events.push({ data, event, value: parseJson(data) }),
    onError: ({ line }) => void onIgnored?.(line ?? ''),
  })
  parser.feed(text)
  return events
}

/** Joins the text deltas of each part in a stream, because a secret may be split across deltas. */
export function joinedDeltas(events: readonly RecordedEvent[]): string[] {
  const texts = new Map<string, string>()
  for (const { value } of events)
    for (const { part, text } of deltasIn(value)) texts.set(part, (texts.get(part) ?? '') + text)
  return [...texts.values()]
}

interface Delta {
  /** Identifies the part of the reply that the text belongs to. */
  readonly part: string
  readonly text: string
}

/** Yields the text deltas in an event of the Responses, Chat or Messages protocol. */
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
