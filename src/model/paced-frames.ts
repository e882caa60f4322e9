/** Converts an answer's events to stream frames in any protocol, with pauses before tokens. */
import type { Frame, StreamEvent } from '../http/reply.ts'
import type { Latency } from '../sandbox/latency.ts'

export interface EventStream {
  readonly events: Iterable<StreamEvent>
  /** Returns true if the event contains a token. Pauses come before these events. */
  isToken(event: StreamEvent): boolean
  /** Converts an event to a frame. Returns undefined to skip the event. */
  toFrame(event: StreamEvent): Frame | undefined
  /** If true, the stream ends with the literal `[DONE]`. */
  readonly endsWithDone: boolean
}

/** Yields a stream's frames, which are created on demand. */
export function* pacedFrames(
  { events, isToken, toFrame, endsWithDone }: EventStream,
  { firstToken, perToken }: Latency = { firstToken: 0, perToken: 0 },
): Generator<Frame, undefined> {
  if (firstToken > 0) yield { kind: 'wait', ms: firstToken }
  for (const event of events) {
    if (perToken > 0 && isToken(event)) yield { kind: 'wait', ms: perToken }
    const frame = toFrame(event)
    if (frame) yield frame
  }
  if (endsWithDone) yield { kind: 'done' }
  return undefined
}
