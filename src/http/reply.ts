/**
 * A reply before it is bytes. Resolvers make replies, faults distort them, adapters render them.
 */

/** One payload of an event stream. `type` is always there in Responses (Spec: Events, 3), not in every protocol. */
export interface StreamEvent {
  type?: string
  [field: string]: unknown
}

/**
 * How a connection ends: `end` ends the body cleanly, `close` closes the connection in the middle of it, `reset` breaks
 * it, `stall` leaves it open and says nothing more.
 */
export type HangUp = 'end' | 'close' | 'reset' | 'stall'

/** One step of a streamed reply, in the order in which a client would notice it. */
export type Frame =
  /** `wire` is the event as it is sent, where that is already known. */
  | { kind: 'event'; event: StreamEvent; wire?: string }
  /** The literal `[DONE]` that ends a stream; `wire` as above. Spec: Events, 2. */
  | { kind: 'done'; wire?: string }
  /** Bytes as they are, whatever they are; a string stands for its UTF-8. */
  | { kind: 'bytes'; bytes: string | Uint8Array }
  /**
   * Nothing for `ms` milliseconds of sandbox time, or until something has come; that promise does not fail. What came
   * before has left by then.
   */
  | { kind: 'wait'; ms: number; until?: Promise<void> }
  /** The last frame; later ones are ignored. What came before has been sent by then. */
  | { kind: 'hang-up'; how: HangUp }

export type Body<Value = unknown> =
  | { kind: 'none' }
  /** A JSON value; `text` is its serialisation, and `bytes` the UTF-8 of that, where they are already known. */
  | { kind: 'json'; value: Value; text?: string; bytes?: Uint8Array }
  /** A body that is sent step by step; iterated once, lazily, as fast as the reader reads. */
  | { kind: 'frames'; frames: Iterable<Frame> }
  /** Not even a status line: the connection ends, or stays silent, without an answer. */
  | { kind: 'hang-up'; how: HangUp }

/** @typeParam Value What a JSON body holds. */
export interface Reply<Value = unknown> {
  /** HTTP status code. */
  status: number
  /** Names in lower case. */
  headers: Record<string, string>
  /** What is sent: JSON, a stream of frames, nothing, or a connection that ends. */
  body: Body<Value>
  /** How the connection carries it, where that is not whole and at once. */
  transport?: Transport
}

/** What a fault does to the connection of a reply, besides its body. Times are milliseconds of sandbox time. */
export interface Transport {
  /** Before the first byte of the head. */
  delayMs?: number
  /** From the first byte of the head to its last. */
  headMs?: number
  /** The connection closes after the status line, in the middle of the headers. */
  headIsCut?: boolean
  /** The connection closes so long after the end of the reply. */
  closeAfterMs?: number
}

/** A 200 with a JSON body. */
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

/** A 200 that is an event stream. Spec: Events. */
export function eventStream(frames: Iterable<Frame>): Reply<never> {
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
    body: { kind: 'frames', frames },
  }
}
