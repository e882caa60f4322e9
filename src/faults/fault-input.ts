/**
 * Faults as a scenario writes them.
 */
// Written by `npm run generate` from the schemas: change those.

import type { RequestFault } from './input/request.ts'
import type { AnswerFault } from './input/answer.ts'
import type { EventsFault } from './input/events.ts'
import type { TextFault } from './input/text.ts'
import type { BytesFault } from './input/bytes.ts'
import type { ConnectionFault } from './input/connection.ts'

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
  | RequestFault
  | AnswerFault
  | EventsFault
  | TextFault
  | BytesFault
  | ConnectionFault
