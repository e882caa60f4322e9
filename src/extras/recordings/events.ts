/** Parses events from a recorded stream's bytes. */
import { createParser } from 'eventsource-parser'
import { parseJson } from '../../lib/json.ts'

export interface RecordedEvent {
  readonly data: string
  /** Value of the `event:` line, if any. */
  readonly event: string | undefined
  /** Parsed data; undefined if it is not JSON. */
  readonly value: unknown
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
