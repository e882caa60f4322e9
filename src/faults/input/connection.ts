/**
 * Faults of the layer `connection` as a scenario writes them.
 */
// Written by `npm run generate` from the schemas: change those.

export type ConnectionFault =
  | SlowHeadFault
  | TruncatedHeadFault
  | IdleConnectionClosedFault
  | LostReplyFault

/** Status line and headers dribble in, byte by byte; through MSW and fetch, the promise resolves late. */
export interface SlowHeadFault {
  name: 'slow-head'
  /** Milliseconds that the head takes. */
  ms?: number
}

/** The connection closes in the middle of the headers, after the status line; through MSW and fetch, a fetch that fails. */
export interface TruncatedHeadFault {
  name: 'truncated-head'
}

/** The reply is whole and keeps the connection alive; then the connection closes before the next request. */
export interface IdleConnectionClosedFault {
  name: 'idle-connection-closed'
  /** Milliseconds after the reply. */
  afterMs?: number
}

/** The operation has done its work, a write included, and the connection is reset before a byte of the reply. */
export interface LostReplyFault {
  name: 'lost-reply'
}
