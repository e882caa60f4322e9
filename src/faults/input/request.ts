/**
 * Faults of the layer `request` as a scenario writes them.
 */
// Written by `npm run generate` from the schemas: change those.

import type { Json } from '../../lib/json.ts'

export type RequestFault =
  | LatencyFault
  | TimeoutFault
  | ConnectionResetFault
  | EmptyResponseFault
  | StatusFault
  | RateLimitFault
  | RetryAfterDateFault
  | MalformedBodyFault
  | HtmlErrorPageFault
  | RandomBytesFault
  | EmptyBodyFault
  | ErrorBodyIn200Fault
  | JsonInsteadOfStreamFault
  | StreamInsteadOfJsonFault

/** The answer comes late: after a fixed, a uniformly drawn or a log-normally drawn number of milliseconds. */
export interface LatencyFault {
  name: 'latency'
  /** Milliseconds; for a log-normal draw, the median. */
  ms?: number | {
    /** At the start of the sandbox. */
    from: number
    /** From the end of `overMs` on. */
    to: number
    /** Milliseconds of sandbox time on the way. */
    overMs: number
  }
  /** A uniform draw of up to so much more. */
  jitterMs?: number
  /** Log-normal, with this spread: 0.5 has a realistic tail. */
  sigma?: number
}

/** The request is accepted and never answered; the connection stays open. */
export interface TimeoutFault {
  name: 'timeout'
}

/** The connection is reset (RST) before a byte of the answer; through MSW and fetch, a fetch that fails. */
export interface ConnectionResetFault {
  name: 'connection-reset'
}

/** The connection closes cleanly (FIN) without a byte; through MSW and fetch, a fetch that fails. */
export interface EmptyResponseFault {
  name: 'empty-response'
}

/** The error envelope with any 4xx or 5xx status. */
export interface StatusFault {
  name: 'status'
  /** 400 to 599; it is `error.code` too. */
  status?: number
  /** `error.message`. Default: the usual one of the status. */
  message?: string
  /** `error.metadata`. Default: the `error_type` of 429, 502, 503, 524 and 529, none otherwise. */
  metadata?: Record<string, Json> | null
  /** `gateway_metadata`, beside `error`. Default: none. */
  gateway_metadata?: Record<string, Json> | null
  /** `user_id`, beside `error`. Default: none. */
  user_id?: string | null
  /** On top of the usual ones: `WWW-Authenticate` of a 401, `Retry-After` of a 429 and a 503, `X-RateLimit-*` of a 429. */
  headers?: Record<string, string>
}

/** A 429 with `Retry-After` and `X-RateLimit-*`, which count when the rule has a quota. */
export interface RateLimitFault {
  name: 'rate-limit'
  /** `error.message`. Default: Rate limit exceeded. */
  message?: string
  /** `X-RateLimit-Limit`, for a rule without a quota. */
  limit?: number
  /** Milliseconds, for a rule without a quota. */
  retryAfterMs?: number
}

/** A refusal whose `Retry-After` is a date, so long after its `Date`. Both are sandbox time: a client that compares it with the clock of its machine finds a date in the past and waits as long as it likes, unless the gateway runs with `clock: "system"` or the test sets the machine’s clock. */
export interface RetryAfterDateFault {
  name: 'retry-after-date'
  /** Its status. */
  status?: 429 | 503
  /** Milliseconds from the request to the date, to the second. */
  ms?: number
}

/** A 200 that says it is JSON and is not. */
export interface MalformedBodyFault {
  name: 'malformed-body'
  /** The body as it is sent. */
  body?: string
}

/** The HTML error page of a proxy in between. */
export interface HtmlErrorPageFault {
  name: 'html-error-page'
  /** Its status. */
  status?: number
}

/** A 200 whose body is random bytes, not even UTF-8: the same for the same seed and call. */
export interface RandomBytesFault {
  name: 'random-bytes'
  /** How many. */
  bytes?: number
  /** The `Content-Type`, which lies. */
  contentType?: string
}

/** A success without a body: a 200 with `Content-Length: 0`, or a 204. */
export interface EmptyBodyFault {
  name: 'empty-body'
  /** Its status. */
  status?: 200 | 204
}

/** The error envelope under the status 200, as gateways send that have already begun to answer. */
export interface ErrorBodyIn200Fault {
  name: 'error-body-in-200'
  /** `error.code`. */
  code?: number
  /** `error.message`. Default: the usual one of the code. */
  message?: string
}

/** Asked for a stream, the gateway answers with JSON. */
export interface JsonInsteadOfStreamFault {
  name: 'json-instead-of-stream'
}

/** Asked for JSON, the gateway answers with an event stream. */
export interface StreamInsteadOfJsonFault {
  name: 'stream-instead-of-json'
}
