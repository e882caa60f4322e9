/** A request and its reply channel, as transports pass them to the gateway. */
import type { GatewayError } from '../http/errors.ts'
import type { HangUp, Reply } from '../http/reply.ts'
import type { Arrival, CallRecord } from '../journal/call-record.ts'
import type { AnyOperation } from '../operation.ts'
import type { Conversation } from '../resources/conversation.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { SandboxState } from '../sandbox/sandbox-state.ts'
import type { GatewayCore } from './gateway.ts'

export interface Call extends Arrival {
  /** Sandbox of the async context that sent the request. It may have been disposed since. */
  readonly sandbox?: Sandbox | undefined
  /** Error for a call to an address outside the gateway. A rule for `*` may reply instead. */
  readonly rejection?: GatewayError
  readonly warning?: string
  /** Reads the body. Throws 413 if it exceeds `limit` bytes. */
  readBody(limit: number): Promise<Uint8Array>
  readonly sink: Sink
}

export interface ReceivedCall {
  readonly gateway: GatewayCore
  readonly call: Call
  readonly record: CallRecord<SandboxState>
  readonly operation: AnyOperation | undefined
  readonly rejection: unknown
  readonly conversation: ReadConversation
}

/** Reads the conversation from the body, once. Returns undefined for an operation without conversations. */
export type ReadConversation = () => Conversation | undefined

/** Reply channel, implemented by each transport. `deliver` decides what to send, and when. */
export interface Sink {
  /** If false, faults have no connection to act on, as with `fetch` and MSW. */
  readonly hasConnection: boolean
  readonly isDisconnected: boolean
  readonly disconnected: AbortSignal
  /** Sends a complete reply. @param length Body size in bytes. For HEAD, the size that GET would send. */
  whole(reply: Readonly<Reply>, body: string | Uint8Array | undefined, length: number | undefined): void
  /** Sends the head, if possible together with the first chunk. @param wait Waits, to send the head slowly. */
  head(reply: Readonly<Reply>, wait?: Wait): Promise<void> | void
  /** Returns a promise that resolves when the transport can accept a chunk, or undefined if it already can. */
  ready(): Promise<void> | undefined
  /** Sends one chunk. Chunks are never merged. */
  chunk(bytes: string | Uint8Array, length: number): void
  /** Called when the upload fails, for transports that cannot detect it. */
  abort?(error: unknown): void
  /** Ends the reply, possibly before the head. May be called once more after `stall`. */
  end(how: Ending): Promise<void> | void
}

export type Ending = 'complete' | Exclude<HangUp, 'end'>

export type Wait = (ms: number) => Promise<void> | undefined
