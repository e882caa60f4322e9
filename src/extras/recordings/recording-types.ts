/**
 * Recordings as parsed data.
 */
// Written by `npm run generate` from the schemas: change those.

import type { Json } from '../../lib/json.ts'

/** One recorded exchange, as plain data. */
export interface Tape {
  head: {
    /** Version of the format. */
    tape: 1
    /** Operation id, `post-chat-completions` for an unknown path, or the name of a reply without a request. */
    operation: string
    dialect: string
    /** What requests are matched by; empty for a reply without a request. */
    key: string
    /** Kinds of secrets replaced in the request. */
    redacted: string[]
    /** Hash of the canonical body, if its texts were replaced by filler. */
    bodyHash?: string
    /** Time of day, ISO 8601. */
    recordedAt?: string
    [field: string]: unknown
  }
  /** Absent for a reply that was captured alone. */
  request?: {
    method: string
    /** Below the base address, percent-encoded. */
    path: string
    /** With its question mark; empty without parameters. */
    query: string
    headers: Record<string, string>
    /** A body that is compact JSON. */
    json?: Json
    text?: string
    base64?: string
    [field: string]: unknown
  }
  /** Absent if the connection ended before a head, or nothing was sent. */
  reply?: {
    /** Milliseconds since the request was sent. */
    ms: number
    status: number
    headers: Record<string, string>
    [field: string]: unknown
  }
  chunks: Array<{
    /** Milliseconds since the request was sent. */
    ms: number
    text: string
    [field: string]: unknown
  } | {
    /** Milliseconds since the request was sent. */
    ms: number
    base64: string
    [field: string]: unknown
  }>
  /** Absent for a request without a reply yet. */
  end?: {
    end: 'fin' | 'reset' | 'client-left' | 'idle'
    /** Milliseconds since the request was sent. */
    ms: number
    /** Length of all chunks together. */
    bytes: number
    /** Hash of all chunks together. Not checked if absent. */
    sha256?: string
    /** Kinds of secrets replaced in the reply. */
    redacted?: string[]
    [field: string]: unknown
  }
  [field: string]: unknown
}
