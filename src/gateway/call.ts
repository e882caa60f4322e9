/**
 * A request and its way back, as every transport hands them to the gateway.
 */
import type { GatewayError } from '../http/errors.ts'
import type { HangUp, Reply } from '../http/reply.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'

export interface Call {
  /** Upper case. */
  readonly method: string
  /** Path as requested, including anything before the base URL, without the query; percent-encoded. */
  readonly path: string
  /** Query with its question mark, or the empty string. */
  readonly search: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Sandbox of the code that made the request, captured where it was made; it may have been disposed since. */
  readonly sandbox?: Sandbox | undefined
  /** Refuses the call: its address is not one of the gateway. A rule for all operations may reply instead. */
  readonly refusal?: GatewayError
  /** Reads the body. Throws a 413 if it has more than `limit` bytes. */
  readBody(limit: number): Promise<Uint8Array>
  readonly sink: Sink
}

/** The way back to the client: all that a transport implements. `deliver` decides what to send, and when. */
export interface Sink {
  /** If false, there is no connection that faults could act on, as with `fetch` and MSW. */
  readonly hasConnection: boolean
  /** If true, the client has disconnected. */
  readonly hasLeft: boolean
  /** Aborts when the client disconnects. */
  readonly left: AbortSignal
  /**
   * Sends a complete reply in one write: the normal path for JSON.
   *
   * @param body Undefined for a reply without one, as to HEAD.
   * @param length Bytes of the body; for HEAD, of the body that GET would get.
   */
  whole(reply: Readonly<Reply>, body: string | Uint8Array | undefined, length: number | undefined): void
  /**
   * Sends the head; a transport may hold it back until the first chunk, but not for longer than a turn.
   *
   * @param length Bytes of the body, if known.
   * @param wait Waits for milliseconds of sandbox time, for a head that is sent slowly.
   */
  head(reply: Readonly<Reply>, length?: number, wait?: Wait): Promise<void> | void
  /** Returns a promise if the transport does not accept a chunk yet; it resolves when it does. */
  ready(): Promise<void> | undefined
  /** Sends one chunk. Chunks are never joined. */
  chunk(bytes: string | Uint8Array, length: number): void
  /** Ends the reply; may be called before the head. After `stall` it may be called once more. */
  end(how: Ending): Promise<void> | void
}

/** `complete` ends the body properly, `close` and `reset` break it, `stall` leaves it open. */
export type Ending = 'complete' | Exclude<HangUp, 'end'>

export type Wait = (ms: number) => Promise<void> | undefined

/** Discards a reply, for a call whose client does not wait for it. */
export const discard: Sink = {
  hasConnection: false,
  hasLeft: false,
  left: new AbortController().signal,
  whole() {},
  head() {},
  ready: () => undefined,
  chunk() {},
  end() {},
}
