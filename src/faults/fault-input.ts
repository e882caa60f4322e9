/**
 * Faults as a scenario writes them.
 */
// Written by `npm run generate` from the schemas: change those.

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

/** What JSON can say. */
export type Json = string | number | boolean | null | Json[] | { [field: string]: Json }

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

/** A field of the answer is not there, against the contract. */
export interface MissingFieldFault {
  name: 'missing-field'
  /** The field by its path: `data.0.slug`; `*` stands for any of them. In a stream, of each event. */
  path: string
}

/** A field of the answer has another type than the contract says. */
export interface WrongTypeFault {
  name: 'wrong-type'
  /** The field by its path: `data.0.slug`; `*` stands for any of them. In a stream, of each event. */
  path: string
  /** Default: a string becomes a number, everything else a string. */
  as?: 'string' | 'number' | 'boolean' | 'null' | 'array' | 'object'
}

/** Every answer has the same id. */
export interface DuplicateResponseIdFault {
  name: 'duplicate-response-id'
  /** The id that every response has. */
  id?: string
}

/** The answer does not say how many tokens it took: `usage` is not there. */
export interface MissingUsageFault {
  name: 'missing-usage'
}

/** The answer is `incomplete` with the reason `content_filter`; its text is as far as it got. */
export interface ContentFilterFault {
  name: 'content-filter'
}

/** The offsets of each citation lie past the end of the text. */
export interface CitationOutOfRangeFault {
  name: 'citation-out-of-range'
  /** Characters between the end of the text and the beginning of the citation. */
  by?: number
}

/** The citations of a text come in the reverse of their order. */
export interface CitationOutOfOrderFault {
  name: 'citation-out-of-order'
}

/** A field of each citation is not there. */
export interface CitationMissingFieldFault {
  name: 'citation-missing-field'
  /** The field that is left out. */
  field?: 'type' | 'url' | 'title' | 'start_index' | 'end_index' | 'content'
}

/** The citations of a stream come after its text is done. */
export interface CitationLateFault {
  name: 'citation-late'
}

/** The citations of a stream are nowhere but in the final answer. */
export interface CitationDroppedInStreamFault {
  name: 'citation-dropped-in-stream'
}

/** From one event on, the sequence numbers are too high: as if events had been lost. */
export interface StreamSequenceGapFault {
  name: 'stream-sequence-gap'
  /** Events that are delivered before it. */
  atEvent?: number
  /** Pieces of text or of arguments that are delivered before it. Default: 3, and where there are fewer, all but the last; beside other faults of the rule, as many as those need. */
  afterDeltas?: number
  /** Numbers that are left out. */
  missing?: number
}

/** Two neighbouring events come in the wrong order. */
export interface StreamReorderedEventsFault {
  name: 'stream-reordered-events'
  /** Events that are delivered before it. */
  atEvent?: number
  /** Pieces of text or of arguments that are delivered before it. Default: 3, and where there are fewer, all but the last; beside other faults of the rule, as many as those need. */
  afterDeltas?: number
}

/** One event has an additional field, `padding`, and is as long as that makes it. */
export interface StreamHugeEventFault {
  name: 'stream-huge-event'
  /** Events that are delivered before it. */
  atEvent?: number
  /** Pieces of text or of arguments that are delivered before it. Default: 3, and where there are fewer, all but the last; beside other faults of the rule, as many as those need. */
  afterDeltas?: number
  /** Length of the field, in bytes. */
  bytes?: number
}

/** The JSON of one event is broken; the stream goes on. */
export interface StreamMalformedEventFault {
  name: 'stream-malformed-event'
  /** Events that are delivered before it. */
  atEvent?: number
  /** Pieces of text or of arguments that are delivered before it. Default: 3, and where there are fewer, all but the last; beside other faults of the rule, as many as those need. */
  afterDeltas?: number
}

/** One event comes twice, with the same sequence number. */
export interface StreamDuplicateEventFault {
  name: 'stream-duplicate-event'
  /** Events that are delivered before it. */
  atEvent?: number
  /** Pieces of text or of arguments that are delivered before it. Default: 3, and where there are fewer, all but the last; beside other faults of the rule, as many as those need. */
  afterDeltas?: number
}

/** An event of a type that no client knows comes in between, with a sequence number of its own. */
export interface StreamUnknownEventFault {
  name: 'stream-unknown-event'
  /** Events that are delivered before it. */
  atEvent?: number
  /** Pieces of text or of arguments that are delivered before it. Default: 3, and where there are fewer, all but the last; beside other faults of the rule, as many as those need. */
  afterDeltas?: number
  /** The type of the event. */
  type?: string
}

/** An event with nothing in its `data:` line comes in between. */
export interface StreamEmptyDataFault {
  name: 'stream-empty-data'
  /** Events that are delivered before it. */
  atEvent?: number
  /** Pieces of text or of arguments that are delivered before it. Default: 3, and where there are fewer, all but the last; beside other faults of the rule, as many as those need. */
  afterDeltas?: number
}

/** The stream reports a failure in its middle and ends. */
export interface StreamErrorEventFault {
  name: 'stream-error-event'
  /** Events that are delivered before it. */
  atEvent?: number
  /** Pieces of text or of arguments that are delivered before it. Default: 3, and where there are fewer, all but the last; beside other faults of the rule, as many as those need. */
  afterDeltas?: number
  /** Bytes that are delivered before it. */
  atByte?: number
  /** Milliseconds of the pace of the stream before it. */
  afterMs?: number
  /** `response.failed` with the whole Response, or the flat `error` event. Default: failed. */
  form?: 'failed' | 'error'
  /** `error.code`. */
  code?: string
  /** `error.message`. */
  message?: string
}

/** The final event, with the whole answer, is missing; `[DONE]` comes. */
export interface StreamWithoutCompletedFault {
  name: 'stream-without-completed'
}

/** The stream is complete, but its last line, `[DONE]`, is missing. */
export interface StreamWithoutDoneFault {
  name: 'stream-without-done'
}

/** After `[DONE]` the first event of the stream comes once more. */
export interface StreamDataAfterDoneFault {
  name: 'stream-data-after-done'
}

/** The head comes at once, the events slowly. */
export interface SlowStreamFault {
  name: 'slow-stream'
  /** Milliseconds before the first event. */
  firstEventMs?: number
  /** Milliseconds before each other event. */
  everyMs?: number
}

/** The stream ends cleanly in the middle: no final event, no `[DONE]`. */
export interface StreamCutFault {
  name: 'stream-cut'
  /** Events that are delivered before it. */
  atEvent?: number
  /** Pieces of text or of arguments that are delivered before it. Default: 3, and where there are fewer, all but the last; beside other faults of the rule, as many as those need. */
  afterDeltas?: number
  /** Bytes that are delivered before it. */
  atByte?: number
  /** Milliseconds of the pace of the stream before it. */
  afterMs?: number
}

/** The connection is reset in the middle of the stream; through MSW and fetch, the body fails to read on. */
export interface StreamResetFault {
  name: 'stream-reset'
  /** Events that are delivered before it. */
  atEvent?: number
  /** Pieces of text or of arguments that are delivered before it. Default: 3, and where there are fewer, all but the last; beside other faults of the rule, as many as those need. */
  afterDeltas?: number
  /** Bytes that are delivered before it. */
  atByte?: number
  /** Milliseconds of the pace of the stream before it. */
  afterMs?: number
}

/** The stream goes silent in the middle and stays open. */
export interface StreamStallFault {
  name: 'stream-stall'
  /** Events that are delivered before it. */
  atEvent?: number
  /** Pieces of text or of arguments that are delivered before it. Default: 3, and where there are fewer, all but the last; beside other faults of the rule, as many as those need. */
  afterDeltas?: number
  /** Bytes that are delivered before it. */
  atByte?: number
  /** Milliseconds of the pace of the stream before it. */
  afterMs?: number
}

/** The JSON of each event is spread over several `data:` lines. */
export interface StreamMultilineDataFault {
  name: 'stream-multiline-data'
}

/** No space stands after `data:`. */
export interface StreamNoSpaceFault {
  name: 'stream-no-space'
}

/** A comment line stands before each event, as gateways send to keep a connection alive. */
export interface StreamCommentsFault {
  name: 'stream-comments'
  /** What the comment lines say. */
  comment?: string
}

/** The stream begins with a byte order mark. */
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

/** The right body under another content type. */
export interface WrongContentTypeFault {
  name: 'wrong-content-type'
  /** The `Content-Type` instead. */
  contentType?: string
}

/** The body comes as gzip, with `Content-Encoding: gzip`, also to a client that did not ask for it. */
export interface GzipBodyFault {
  name: 'gzip-body'
}

/** The body comes as gzip whose checksum is wrong: it fails at its end, when all of it has been read. */
export interface BrokenGzipFault {
  name: 'broken-gzip'
}

/** The body ends too early, against its `Content-Length` or without the end of its chunks, and the connection closes. */
export interface TruncatedBodyFault {
  name: 'truncated-body'
  /** Bytes that are sent. Default: half of them. */
  atByte?: number
}

/** `Content-Length` is too short: the last bytes of the body are none of it. */
export interface ShortContentLengthFault {
  name: 'short-content-length'
  /** Bytes that the length is too short. */
  by?: number
}

/** The head comes at once; the body dribbles in, in equal pieces. */
export interface SlowBodyFault {
  name: 'slow-body'
  /** Milliseconds that the body takes. */
  ms?: number
  /** In how many pieces. */
  chunks?: number
}

/** The body comes at so many bytes per second. */
export interface BandwidthFault {
  name: 'bandwidth'
  /** Bytes of the body in a second. */
  bytesPerSecond?: number
}

/** Head and events of a stream come together at its end, in one chunk, as through a proxy that buffers. */
export interface StreamJoinedFault {
  name: 'stream-joined'
  /** Milliseconds that a stream is held back which itself takes less. */
  ms?: number
}

/** The stream comes in chunks of so many bytes: also inside a line, and inside a character. */
export interface StreamSplitFault {
  name: 'stream-split'
  /** Bytes of each chunk. */
  bytes?: number
}

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
