/**
 * Tapes as parsed data.
 */
// Written by `npm run generate` from the schemas: change those.

import type { Json } from '../lib/json.ts'

/** One recorded exchange, as plain data. */
export interface Tape {
  head: {
    /** The version of the format. */
    tape: 1
    /** Operation id, or `post-chat-completions` for a path without one. */
    operation: string
    dialect: string
    /** What requests are matched by; empty for a reply that has no request. */
    key: string
    /** What was replaced in the request, by kind. */
    redacted: string[]
    /** Of the canonical body, where its texts were replaced by filler. */
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
    /** With its question mark; empty where there is none. */
    query: string
    headers: Record<string, string>
    /** A body that is compact JSON. */
    json?: Json
    text?: string
    base64?: string
    [field: string]: unknown
  }
  /** Absent where the connection ended without a head, or nobody asked yet. */
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
  /** Absent for a request that has no reply yet. */
  end?: {
    end: 'fin' | 'reset' | 'client-left' | 'idle'
    /** Milliseconds since the request was sent. */
    ms: number
    /** Length of all chunks together. */
    bytes: number
    /** Of all chunks together. Left out, it is not checked. */
    sha256?: string
    /** What was replaced in the reply, by kind. */
    redacted?: string[]
    [field: string]: unknown
  }
  [field: string]: unknown
}
