/**
 * The events of a tape, derived from its bytes whenever somebody asks.
 */
import { createParser } from 'eventsource-parser'
import { bodyOf, type Tape } from './tape.ts'

export interface TapeEvent {
  /** The text of its data lines. */
  readonly data: string
  /** Its `event:` line, where it has one. */
  readonly event: string | undefined
  /** The data as JSON; undefined where it is none. */
  readonly value: unknown
}

/** Whether the reply is an event stream. */
export function isEventStream({ reply }: Pick<Tape, 'reply'>): boolean {
  return /^text\/event-stream\b/i.test(reply?.headers['content-type'] ?? '')
}

/** The events of an event stream, comments left out. */
export function eventsOf(tape: Tape): TapeEvent[] {
  return eventsIn(new TextDecoder().decode(bodyOf(tape)))
}

export function eventsIn(text: string): TapeEvent[] {
  const events: TapeEvent[] = []
  const parser = createParser({
    onEvent: ({ data, event }) => void events.push({ data, event, value: parsed(data) }),
  })
  parser.feed(text)
  return events
}

/**
 * The texts that the deltas of a stream make together, by what they belong to: a secret may come in several of them.
 */
export function joinedDeltas(events: readonly TapeEvent[]): string[] {
  const texts = new Map<string, string>()
  for (const { value } of events) {
    for (const { of, text } of deltasIn(value)) texts.set(of, (texts.get(of) ?? '') + text)
  }
  return [...texts.values()]
}

/** The pieces of text in one event: of the Responses, the Chat and the Messages protocol. */
function* deltasIn(value: unknown): Generator<{ of: string; text: string }> {
  if (typeof value !== 'object' || value === null) return
  const { type, item_id, content_index, index, delta, choices } = value as Record<string, unknown>
  if (typeof delta === 'string') yield { of: `${type} ${item_id} ${content_index}`, text: delta }
  else yield* stringsIn(delta, `${type} ${index}`)
  if (!Array.isArray(choices)) return
  for (const choice of choices) {
    if (typeof choice === 'object' && choice !== null)
      yield* stringsIn(choice.delta, `choice ${choice.index}`)
  }
}

function* stringsIn(value: unknown, of: string): Generator<{ of: string; text: string }> {
  if (typeof value === 'string') yield { of, text: value }
  else if (typeof value === 'object' && value !== null)
    for (const [name, inner] of Object.entries(value)) yield* stringsIn(inner, `${of} ${name}`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
