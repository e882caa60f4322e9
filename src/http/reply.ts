/**
 * A reply before it is encoded. Resolvers return replies, faults modify them, adapters send them.
 */

/** Payload of an event in a stream. Responses events always have a `type` (Spec: Events, 3); other protocols may not. */
export interface StreamEvent {
  type?: string
  [field: string]: unknown
}

/**
 * End of a connection: `end` ends the body cleanly, `close` closes the connection in the middle of the body, `reset`
 * resets it, `stall` leaves it open without sending anything more.
 */
export type HangUp = 'end' | 'close' | 'reset' | 'stall'

/** One step of a streamed reply. */
export type Frame =
  /** `wire` is the encoded event, if already available. */
  | { kind: 'event'; event: StreamEvent; wire?: string }
  /** The literal `[DONE]` that ends a stream; `wire` as above. Spec: Events, 2. */
  | { kind: 'done'; wire?: string }
  /** Raw bytes; strings are encoded as UTF-8. */
  | { kind: 'bytes'; bytes: string | Uint8Array }
  /**
   * Pauses for `ms` milliseconds of sandbox time or until a promise resolves, which must not reject. Earlier frames are
   * sent first.
   */
  | { kind: 'wait'; ms: number; until?: Promise<void> }
  /** Ends the connection after earlier frames are sent; later frames are ignored. */
  | { kind: 'hang-up'; how: HangUp }

export type Body<Value = unknown> =
  | { kind: 'none' }
  /** A JSON value, with its serialisation as text and UTF-8 if already available. */
  | { kind: 'json'; value: Value; text?: string; bytes?: Uint8Array }
  /** A streamed body; iterated once, lazily, at the speed of the reader. */
  | { kind: 'frames'; frames: Iterable<Frame> }
  /** No response at all, not even a status line: the connection ends or stalls. */
  | { kind: 'hang-up'; how: HangUp }

/** @typeParam Value Type of the JSON body. */
export interface Reply<Value = unknown> {
  /** HTTP status code. */
  status: number
  /** Response headers; names in lower case. */
  headers: Record<string, string>
  /** JSON, a stream of frames, nothing, or the end of the connection. */
  body: Body<Value>
  /** Effects of faults on the connection. Default: none. */
  transport?: Transport
}

/** Effects of a fault on the connection of a reply. Times are milliseconds of sandbox time. */
export interface Transport {
  /** Delay before the first byte of the head. */
  delayMs?: number
  /** Duration of the head, from its first byte to its last. */
  headMs?: number
  /** If true, the connection closes after the status line, in the middle of the headers. */
  headIsCut?: boolean
  /** Time between the end of the reply and the close of the connection. */
  closeAfterMs?: number
}

/** Creates a 200 with a JSON body. */
export function ok<Value>(value: Value): Reply<Value> {
  return json(200, value)
}

export function json<Value>(
  status: number,
  value: Value,
  headers: Record<string, string> = {},
): Reply<Value> {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: { kind: 'json', value },
  }
}

/** Creates a 200 with an event stream. Spec: Events. */
export function eventStream(frames: Iterable<Frame>): Reply<never> {
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
    body: { kind: 'frames', frames },
  }
}
