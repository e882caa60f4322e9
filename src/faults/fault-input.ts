/**
 * Faults as a scenario writes them.
 */
// Written by `npm run generate` from the schemas: change those.

import type { Json } from '../lib/json.ts'

/** A fault by its name. */
export type FaultName =
  | 'latency'
  | 'timeout'
  | 'connection-reset'
  | 'empty-response'
  | 'status'
  | 'rate-limit'
  | 'retry-after-date'
  | 'malformed-body'
  | 'html-error-page'
  | 'random-bytes'
  | 'empty-body'
  | 'error-body-in-200'
  | 'json-instead-of-stream'
  | 'stream-instead-of-json'
  | 'missing-field'
  | 'wrong-type'
  | 'duplicate-response-id'
  | 'missing-usage'
  | 'content-filter'
  | 'citation-out-of-range'
  | 'citation-out-of-order'
  | 'citation-missing-field'
  | 'citation-late'
  | 'citation-dropped-in-stream'
  | 'stream-sequence-gap'
  | 'stream-reordered-events'
  | 'stream-huge-event'
  | 'stream-malformed-event'
  | 'stream-duplicate-event'
  | 'stream-unknown-event'
  | 'stream-empty-data'
  | 'stream-error-event'
  | 'stream-without-completed'
  | 'stream-without-done'
  | 'stream-data-after-done'
  | 'slow-stream'
  | 'stream-cut'
  | 'stream-reset'
  | 'stream-stall'
  | 'stream-multiline-data'
  | 'stream-no-space'
  | 'stream-comments'
  | 'stream-bom'
  | 'stream-crlf'
  | 'stream-lone-cr'
  | 'stream-split-crlf'
  | 'wrong-content-type'
  | 'gzip-body'
  | 'broken-gzip'
  | 'truncated-body'
  | 'short-content-length'
  | 'slow-body'
  | 'bandwidth'
  | 'stream-joined'
  | 'stream-split'
  | 'slow-head'
  | 'truncated-head'
  | 'idle-connection-closed'
  | 'lost-reply'

/** The faults whose parameters all have defaults. */
export type BareFaultName = Exclude<FaultName, 'missing-field' | 'wrong-type'>

/** A fault: `'stream-cut'`, or `{ name: 'stream-cut', atEvent: 5 }`. */
export type FaultInput =
  | BareFaultName
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
  | MissingFieldFault
  | WrongTypeFault
  | DuplicateResponseIdFault
  | MissingUsageFault
  | ContentFilterFault
  | CitationOutOfRangeFault
  | CitationOutOfOrderFault
  | CitationMissingFieldFault
  | CitationLateFault
  | CitationDroppedInStreamFault
  | StreamSequenceGapFault
  | StreamReorderedEventsFault
  | StreamHugeEventFault
  | StreamMalformedEventFault
  | StreamDuplicateEventFault
  | StreamUnknownEventFault
  | StreamEmptyDataFault
  | StreamErrorEventFault
  | StreamWithoutCompletedFault
  | StreamWithoutDoneFault
  | StreamDataAfterDoneFault
  | SlowStreamFault
  | StreamCutFault
  | StreamResetFault
  | StreamStallFault
  | StreamMultilineDataFault
  | StreamNoSpaceFault
  | StreamCommentsFault
  | StreamBomFault
  | StreamCrlfFault
  | StreamLoneCrFault
  | StreamSplitCrlfFault
  | WrongContentTypeFault
  | GzipBodyFault
  | BrokenGzipFault
  | TruncatedBodyFault
  | ShortContentLengthFault
  | SlowBodyFault
  | BandwidthFault
  | StreamJoinedFault
  | StreamSplitFault
  | SlowHeadFault
  | TruncatedHeadFault
  | IdleConnectionClosedFault
  | LostReplyFault

/** The reply is late: by a fixed, a uniformly drawn or a log-normally drawn number of milliseconds. */
export interface LatencyFault {
  name: 'latency'
  /** Milliseconds; the median of a log-normal draw. */
  ms?: number
  /** Upper bound of a uniformly drawn addition, in milliseconds. */
  jitterMs?: number
  /** If given, the delay is log-normal with this spread. 0.5 has a realistic tail. */
  sigma?: number
}

/** The request is accepted and never answered; the connection stays open. */
export interface TimeoutFault {
  name: 'timeout'
}

/** The connection is reset (RST) before any byte of the reply. Through MSW and `fetch`, `fetch` fails. */
export interface ConnectionResetFault {
  name: 'connection-reset'
}

/** The connection closes cleanly (FIN) before any byte. Through MSW and `fetch`, `fetch` fails. */
export interface EmptyResponseFault {
  name: 'empty-response'
}

/** The error envelope with any 4xx or 5xx status. */
export interface StatusFault {
  name: 'status'
  /** 400 to 599; also `error.code`. */
  status?: number
  /** `error.message`. Default: the status's usual message. */
  message?: string
  /** `error.metadata`. Default: the `error_type` of 429, 502, 503, 524 and 529, otherwise none. */
  metadata?: Record<string, Json> | null
  /** `gateway_metadata`, next to `error`. Default: none. */
  gateway_metadata?: Record<string, Json> | null
  /** `user_id`, next to `error`. Default: none. */
  user_id?: string | null
  /** Added to the usual headers: `WWW-Authenticate` of a 401, `Retry-After` of a 429 and a 503, `X-RateLimit-*` of a 429. */
  headers?: Record<string, string>
}

/** A 429 with `Retry-After` and `X-RateLimit-*`, which follow the rule's quota if it has one. */
export interface RateLimitFault {
  name: 'rate-limit'
  /** `error.message`. Default: Rate limit exceeded. */
  message?: string
  /** `X-RateLimit-Limit` of a rule without a quota. */
  limit?: number
  /** Milliseconds, for a rule without a quota. */
  retryAfterMs?: number
}

/** An error whose `Retry-After` is an HTTP date, `ms` after its `Date`. Both are sandbox time. A client that compares them with the clock of its machine sees a date in the past, unless the gateway runs with `clock: "system"` or the test sets the machine’s clock. */
export interface RetryAfterDateFault {
  name: 'retry-after-date'
  /** Status of the reply. */
  status?: 429 | 503
  /** Milliseconds from the request to the date, rounded up to a second. */
  ms?: number
}

/** A 200 with `Content-Type: application/json` whose body is not JSON. */
export interface MalformedBodyFault {
  name: 'malformed-body'
  /** The body as it is sent. */
  body?: string
}

/** The HTML error page of an intermediate proxy. */
export interface HtmlErrorPageFault {
  name: 'html-error-page'
  /** Status of the reply. */
  status?: number
}

/** A 200 with a body of random bytes that are not UTF-8; the same bytes for the same seed and request. */
export interface RandomBytesFault {
  name: 'random-bytes'
  /** Length of the body. */
  bytes?: number
  /** The wrong `Content-Type`. */
  contentType?: string
}

/** A success without a body: a 200 with `Content-Length: 0`, or a 204. */
export interface EmptyBodyFault {
  name: 'empty-body'
  /** Status of the reply. */
  status?: 200 | 204
}

/** The error envelope with status 200, as gateways send it once they have started to answer. */
export interface ErrorBodyIn200Fault {
  name: 'error-body-in-200'
  /** `error.code`. */
  code?: number
  /** `error.message`. Default: the code's usual message. */
  message?: string
}

/** A request for a stream gets JSON. */
export interface JsonInsteadOfStreamFault {
  name: 'json-instead-of-stream'
}

/** A request for JSON gets an event stream. */
export interface StreamInsteadOfJsonFault {
  name: 'stream-instead-of-json'
}

/** A field that the contract requires is missing. */
export interface MissingFieldFault {
  name: 'missing-field'
  /** Path of the field: `data.0.slug`; `*` matches every key. In a stream, a path in each event. */
  path: string
}

/** A field has a different type from the one in the contract. */
export interface WrongTypeFault {
  name: 'wrong-type'
  /** Path of the field: `data.0.slug`; `*` matches every key. In a stream, a path in each event. */
  path: string
  /** Type of the field instead. Default: number for a string, string for all other types. */
  as?: 'string' | 'number' | 'boolean' | 'null' | 'array' | 'object'
}

/** Every answer has the same id. */
export interface DuplicateResponseIdFault {
  name: 'duplicate-response-id'
  /** The id of every answer. */
  id?: string
}

/** The answer has no `usage`. */
export interface MissingUsageFault {
  name: 'missing-usage'
}

/** The answer is `incomplete` with the reason `content_filter` and the text up to that point. */
export interface ContentFilterFault {
  name: 'content-filter'
}

/** The offsets of each citation are past the end of the text. */
export interface CitationOutOfRangeFault {
  name: 'citation-out-of-range'
  /** Characters between the end of the text and the start of the citation. */
  by?: number
}

/** The citations of a text are in reverse order. */
export interface CitationOutOfOrderFault {
  name: 'citation-out-of-order'
}

/** Each citation lacks a field. */
export interface CitationMissingFieldFault {
  name: 'citation-missing-field'
  /** The missing field. */
  field?: 'type' | 'url' | 'title' | 'start_index' | 'end_index' | 'content'
}

/** The citations of a stream are sent after the end of its text. */
export interface CitationLateFault {
  name: 'citation-late'
}

/** The citations of a stream are only in its final event. */
export interface CitationDroppedInStreamFault {
  name: 'citation-dropped-in-stream'
}

/** From one event on, the sequence numbers are too high, as if events had been lost. */
export interface StreamSequenceGapFault {
  name: 'stream-sequence-gap'
  /** Number of events sent before the fault. */
  atEvent?: number
  /** Number of pieces of text or arguments sent before the fault. Default: 3, or all but the last if there are fewer. With other faults in the rule, it also waits until those have acted. */
  afterDeltas?: number
  /** How many numbers are missing. */
  missing?: number
}

/** Two consecutive events are in the wrong order. */
export interface StreamReorderedEventsFault {
  name: 'stream-reordered-events'
  /** Number of events sent before the fault. */
  atEvent?: number
  /** Number of pieces of text or arguments sent before the fault. Default: 3, or all but the last if there are fewer. With other faults in the rule, it also waits until those have acted. */
  afterDeltas?: number
}

/** One event has an additional long field, `padding`. */
export interface StreamHugeEventFault {
  name: 'stream-huge-event'
  /** Number of events sent before the fault. */
  atEvent?: number
  /** Number of pieces of text or arguments sent before the fault. Default: 3, or all but the last if there are fewer. With other faults in the rule, it also waits until those have acted. */
  afterDeltas?: number
  /** Length of the field, in bytes. */
  bytes?: number
}

/** The JSON of one event is broken; the stream continues. */
export interface StreamMalformedEventFault {
  name: 'stream-malformed-event'
  /** Number of events sent before the fault. */
  atEvent?: number
  /** Number of pieces of text or arguments sent before the fault. Default: 3, or all but the last if there are fewer. With other faults in the rule, it also waits until those have acted. */
  afterDeltas?: number
}

/** One event is sent twice, with the same sequence number. */
export interface StreamDuplicateEventFault {
  name: 'stream-duplicate-event'
  /** Number of events sent before the fault. */
  atEvent?: number
  /** Number of pieces of text or arguments sent before the fault. Default: 3, or all but the last if there are fewer. With other faults in the rule, it also waits until those have acted. */
  afterDeltas?: number
}

/** An event of an unknown type is added, with a sequence number of its own. */
export interface StreamUnknownEventFault {
  name: 'stream-unknown-event'
  /** Number of events sent before the fault. */
  atEvent?: number
  /** Number of pieces of text or arguments sent before the fault. Default: 3, or all but the last if there are fewer. With other faults in the rule, it also waits until those have acted. */
  afterDeltas?: number
  /** Type of the event. */
  type?: string
}

/** An event with an empty `data:` line is added. */
export interface StreamEmptyDataFault {
  name: 'stream-empty-data'
  /** Number of events sent before the fault. */
  atEvent?: number
  /** Number of pieces of text or arguments sent before the fault. Default: 3, or all but the last if there are fewer. With other faults in the rule, it also waits until those have acted. */
  afterDeltas?: number
}

/** The stream reports a failure in the middle and ends. */
export interface StreamErrorEventFault {
  name: 'stream-error-event'
  /** Number of events sent before the fault. */
  atEvent?: number
  /** Number of pieces of text or arguments sent before the fault. Default: 3, or all but the last if there are fewer. With other faults in the rule, it also waits until those have acted. */
  afterDeltas?: number
  /** Number of bytes sent before the fault. */
  atByte?: number
  /** Milliseconds of the stream's pace before the fault. */
  afterMs?: number
  /** `response.failed` with the whole Response, or the flat `error` event. Default: failed. */
  form?: 'failed' | 'error'
  /** `error.code`. */
  code?: string
  /** `error.message`. */
  message?: string
}

/** The final event, with the whole answer, is missing; `[DONE]` is sent. */
export interface StreamWithoutCompletedFault {
  name: 'stream-without-completed'
}

/** The last line of the stream, `[DONE]`, is missing. */
export interface StreamWithoutDoneFault {
  name: 'stream-without-done'
}

/** The first event of the stream is sent again after `[DONE]`. */
export interface StreamDataAfterDoneFault {
  name: 'stream-data-after-done'
}

/** The response head is sent at once, the events slowly. */
export interface SlowStreamFault {
  name: 'slow-stream'
  /** Milliseconds before the first event. */
  firstEventMs?: number
  /** Milliseconds before each further event. */
  everyMs?: number
}

/** The stream ends cleanly in the middle: no final event, no `[DONE]`. */
export interface StreamCutFault {
  name: 'stream-cut'
  /** Number of events sent before the fault. */
  atEvent?: number
  /** Number of pieces of text or arguments sent before the fault. Default: 3, or all but the last if there are fewer. With other faults in the rule, it also waits until those have acted. */
  afterDeltas?: number
  /** Number of bytes sent before the fault. */
  atByte?: number
  /** Milliseconds of the stream's pace before the fault. */
  afterMs?: number
}

/** The connection is reset in the middle of the stream. Through MSW and `fetch`, reading the body fails. */
export interface StreamResetFault {
  name: 'stream-reset'
  /** Number of events sent before the fault. */
  atEvent?: number
  /** Number of pieces of text or arguments sent before the fault. Default: 3, or all but the last if there are fewer. With other faults in the rule, it also waits until those have acted. */
  afterDeltas?: number
  /** Number of bytes sent before the fault. */
  atByte?: number
  /** Milliseconds of the stream's pace before the fault. */
  afterMs?: number
}

/** The stream goes silent in the middle and stays open. */
export interface StreamStallFault {
  name: 'stream-stall'
  /** Number of events sent before the fault. */
  atEvent?: number
  /** Number of pieces of text or arguments sent before the fault. Default: 3, or all but the last if there are fewer. With other faults in the rule, it also waits until those have acted. */
  afterDeltas?: number
  /** Number of bytes sent before the fault. */
  atByte?: number
  /** Milliseconds of the stream's pace before the fault. */
  afterMs?: number
}

/** The JSON of each event is spread over several `data:` lines. */
export interface StreamMultilineDataFault {
  name: 'stream-multiline-data'
}

/** There is no space after `data:`. */
export interface StreamNoSpaceFault {
  name: 'stream-no-space'
}

/** A comment line precedes each event, as gateways send it to keep a connection alive. */
export interface StreamCommentsFault {
  name: 'stream-comments'
  /** Text of the comment lines. */
  comment?: string
}

/** The stream starts with a byte order mark. */
export interface StreamBomFault {
  name: 'stream-bom'
}

/** Lines end in CR LF. */
export interface StreamCrlfFault {
  name: 'stream-crlf'
}

/** Lines end in CR alone. */
export interface StreamLoneCrFault {
  name: 'stream-lone-cr'
}

/** Lines end in CR LF, and a chunk ends between the two. */
export interface StreamSplitCrlfFault {
  name: 'stream-split-crlf'
}

/** The right body with a wrong content type. */
export interface WrongContentTypeFault {
  name: 'wrong-content-type'
  /** The wrong `Content-Type`. */
  contentType?: string
}

/** The body is gzip with `Content-Encoding: gzip`, even if the client did not ask for it. */
export interface GzipBodyFault {
  name: 'gzip-body'
}

/** The body is gzip with a wrong checksum: reading it fails at its end. */
export interface BrokenGzipFault {
  name: 'broken-gzip'
}

/** The body ends before its `Content-Length`, or without its last chunk, and the connection closes. */
export interface TruncatedBodyFault {
  name: 'truncated-body'
  /** Number of bytes sent. Default: half of the body. */
  atByte?: number
}

/** `Content-Length` is too short, so the last bytes of the body do not belong to it. */
export interface ShortContentLengthFault {
  name: 'short-content-length'
  /** Number of bytes missing from the length. */
  by?: number
}

/** The response head is sent at once, the body slowly in equal pieces. */
export interface SlowBodyFault {
  name: 'slow-body'
  /** Duration of the body in milliseconds. */
  ms?: number
  /** Number of pieces. */
  chunks?: number
}

/** The body is sent at a limited rate. */
export interface BandwidthFault {
  name: 'bandwidth'
  /** Bytes per second. */
  bytesPerSecond?: number
}

/** The response head and all events are sent in one chunk at the end of the stream, as through a buffering proxy. */
export interface StreamJoinedFault {
  name: 'stream-joined'
  /** Minimum delay in milliseconds. A stream that takes longer is delayed until its end. */
  ms?: number
}

/** The stream is split into chunks of this many bytes, even in the middle of a line or a multibyte character. */
export interface StreamSplitFault {
  name: 'stream-split'
  /** Length of each chunk in bytes. */
  bytes?: number
}

/** Status line and headers are sent slowly, byte by byte. Through MSW and `fetch`, the promise resolves late. */
export interface SlowHeadFault {
  name: 'slow-head'
  /** Duration of the head in milliseconds. */
  ms?: number
}

/** The connection closes in the middle of the headers, after the status line. Through MSW and `fetch`, `fetch` fails. */
export interface TruncatedHeadFault {
  name: 'truncated-head'
}

/** The reply is complete and keeps the connection alive, but the connection closes before the next request. */
export interface IdleConnectionClosedFault {
  name: 'idle-connection-closed'
  /** Milliseconds after the end of the reply. */
  afterMs?: number
}

/** The operation runs, including its writes, and the connection is reset before any byte of the reply. */
export interface LostReplyFault {
  name: 'lost-reply'
}
