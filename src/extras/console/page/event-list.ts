/**
 * The events of a recorded stream, each with its time.
 */
import type { JournalEntry } from '../../../journal/entry.ts'
import { parsed } from './parts/format.ts'

export interface TimedEvent {
  /** Milliseconds from the arrival of the request. */
  ms: number
  name: string
  data: string
  /** Its data, where that is JSON. */
  value: unknown
  /** What it adds to the text. */
  delta: string
}

export function isEventStream({ replyHeaders }: JournalEntry): boolean {
  return replyHeaders['content-type']?.startsWith('text/event-stream') ?? false
}

const encoder = new TextEncoder()

/** The events with the time at which the part that ends them left. */
export function eventsOf({ replyBody, timeline, firstByteMs }: JournalEntry): TimedEvent[] {
  const parts = timeline.length > 0 ? timeline : [{ ms: firstByteMs ?? 0, offset: 0 }]
  const events: TimedEvent[] = []
  let offset = 0
  let part = 0
  for (const block of replyBody.text.split(/(?<=\r?\n\r?\n)/)) {
    offset += encoder.encode(block).length
    while ((parts[part + 1]?.offset ?? Number.POSITIVE_INFINITY) < offset) part++
    const lines = block.split(/\r?\n/)
    const data = lines
      .filter((line) => line.startsWith('data:'))
      .map((line) => line.slice(5).trimStart())
      .join('\n')
    const named = lines
      .find((line) => line.startsWith('event:'))
      ?.slice(6)
      .trim()
    if (block.trim() === '') continue
    const value = parsed(data)
    const name = named ?? textAt(value, 'type') ?? (data || block.trim())
    events.push({
      ms: parts[part]?.ms ?? 0,
      name: name.slice(0, 80),
      data: data || block,
      value,
      delta: deltaOf(value),
    })
  }
  return events
}

function textAt(value: unknown, ...path: (string | number)[]): string | undefined {
  let at = value
  for (const step of path) at = typeof at === 'object' && at !== null ? Reflect.get(at, step) : undefined
  return typeof at === 'string' ? at : undefined
}

/** Of the Responses, Messages and Chat Completions protocols. */
function deltaOf(value: unknown): string {
  return (
    textAt(value, 'delta') ??
    textAt(value, 'delta', 'text') ??
    textAt(value, 'choices', 0, 'delta', 'content') ??
    ''
  )
}
