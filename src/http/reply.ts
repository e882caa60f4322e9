/** Replies before they are encoded. Resolvers return replies, faults modify them, and transports send them. */
import { shown } from '../lib/schema-messages.ts'

/** A stream event's payload. It always has a `type` in the Responses protocol. Spec: Events, 3. */
export interface StreamEvent {
  type?: string
  [field: string]: unknown
}

/**
 * End of a connection: `end` ends the body cleanly, `close` closes the connection in the middle of
 * the body, `reset` resets it, and `stall` leaves it open without sending anything else.
 */
export type HangUp = 'end' | 'close' | 'reset' | 'stall'

/** One step of a streamed reply. */
export type Frame =
  /** An event. `wire` is its encoded form, if already available. */
  | { kind: 'event'; event: StreamEvent; wire?: string }
  /** The literal `[DONE]`, which ends a stream. `wire` is its encoded form, if already available. Spec: Events, 2. */
  | { kind: 'done'; wire?: string }
  /** Raw bytes; strings are encoded as UTF-8. */
  | { kind: 'bytes'; bytes: string | Uint8Array }
  /**
   * Sends earlier frames, and pauses for `ms` milliseconds of sandbox time or, if `until` is set, until that promise
   * resolves. The promise must not reject.
   */
  | { kind: 'wait'; ms: number; until?: Promise<unknown> }
  /** Ends the connection after earlier frames are sent; later frames are ignored. */
  | { kind: 'hang-up'; how: HangUp }

export type Body<Value = unknown> =
  | { kind: 'none' }
  /** A JSON value, and its serialised forms (text and UTF-8) if already available. */
  | { kind: 'json'; value: Value; text?: string; bytes?: Uint8Array }
  /** A streamed body, iterated lazily and only once, at the reader's speed. */
  | { kind: 'frames'; frames: Iterable<Frame> }
  /** No response, not even a status line: the connection ends or stalls. */
  | { kind: 'hang-up'; how: HangUp }

/** @typeParam Value Type of the JSON body. */
export interface Reply<Value = unknown> {
  status: number
  /** Response headers with lowercase names. */
  headers: Record<string, string>
  /** JSON, a stream of frames, nothing, or the end of the connection. */
  body: Body<Value>
  /** Effects of faults and the `latency` option on delivery. Default: none. */
  transport?: Transport
}

/** Effects of faults and the `latency` option on a reply's delivery. Times are in milliseconds of sandbox time. */
export interface Transport {
  /** Delay before the first byte of the head. */
  delayMs?: number
  /** Time from the first to the last byte of the head. */
  headMs?: number
  /** If true, the connection closes after the status line, in the middle of the headers. */
  headIsCut?: boolean
  /** Time from the end of the reply until the connection closes. */
  closeAfterMs?: number
  /** Pause after which a stream sends a comment line, and the comment's text. */
  keepAlive?: { ms: number; comment: string }
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
  if (!(status >= 200 && status <= 599) || typeof status !== 'number')
    throw new TypeError(`json() expects a status and a value, as in json(201, { … }), got ${shown(status)}`)
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: { kind: 'json', value },
  }
}

export function announcesEvents({ 'content-type': type }: Readonly<Record<string, string>>): boolean {
  return /^text\/event-stream\b/i.test(String(type))
}

/** Creates a 200 with an event stream. Spec: Events. */
export function eventStream(frames: Iterable<Frame>): Reply<never> {
  if (typeof Object(frames)[Symbol.iterator] !== 'function' || typeof frames === 'string')
    throw noFrames(frames)
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
    // Other iterables are read, and checked, while the stream is sent.
    body: { kind: 'frames', frames: Array.isArray(frames) ? [...checked(frames)] : checked(frames) },
  }
}

/** Returns replies without frames unchanged. */
export function changeFrames(reply: Reply, change: (frames: Iterable<Frame>) => Iterable<Frame>): Reply {
  const { body } = reply
  return body.kind === 'frames' ? { ...reply, body: { ...body, frames: change(body.frames) } } : reply
}

function* checked(frames: Iterable<Frame>): Generator<Frame> {
  for (const frame of frames) {
    if (!isFrame(frame)) throw noFrames(frame)
    yield frame
  }
}

function isFrame(frame: unknown): boolean {
  const { kind, event } = Object(frame)
  return kind === 'event' ? Object(event) === event : ['done', 'bytes', 'wait', 'hang-up'].includes(kind)
}

function noFrames(value: unknown): TypeError {
  return new TypeError(
    `eventStream() expects frames, such as [{ kind: 'event', event: { … } }], got ${shown(value)}`,
  )
}
