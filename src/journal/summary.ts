/** Short summaries of calls, for the console. */
import { hideInString } from '../http/secrets.ts'
import { timeOfDayAt } from '../lib/clock.ts'
import type { CallRecord } from './call-record.ts'
import { type AppliedRule, type Delivery, elapsed } from './entry.ts'

export interface CallSummary {
  /** The reply's `x-request-id`. */
  id: string
  /** Sandbox id. */
  sandbox: string
  /** Operation id; null if no operation handled the request. */
  operation: string | null
  /** Method in upper case. */
  method: string
  /** Path as requested, without the query. */
  path: string
  /** HTTP status; 0 if the connection closed without a response. */
  status: number
  /** Model named in the body, or null. */
  model: string | null
  /** If true, the request asked for an event stream. */
  stream: boolean
  /** The rules that produced or changed the reply. */
  rules: AppliedRule[]
  /** If true, neither an operation nor a rule matched the request. */
  unmatched: boolean
  /** Number of near misses; 0 if a rule applied. */
  nearMissCount: number
  /** Number of warnings. */
  warnings: number
  delivery: Delivery
  /** Sum of input and output tokens. */
  tokens: number
  /** Real time of arrival, ISO 8601. */
  startedAt: string
  /** Real time until the last byte, in milliseconds; null while the reply is being sent. */
  durationMs: number | null
  /** Real time until the body's first byte, in milliseconds; null if nothing was sent. */
  firstByteMs: number | null
}

export function toSummary(record: CallRecord): CallSummary {
  const { startedAt, firstByteAt, endedAt, operation, rules } = record
  return {
    id: record.id,
    sandbox: record.state.id,
    operation: operation ?? null,
    method: record.method,
    path: hideInString(record.path),
    status: record.status,
    model: record.model === undefined ? null : hideInString(record.model),
    stream: record.asksForStream,
    rules: [...rules],
    unmatched: !operation && rules.length === 0,
    nearMissCount: record.nearMissCount,
    warnings: record.warnings.length,
    delivery: record.delivery,
    tokens: record.tokens,
    startedAt: timeOfDayAt(startedAt),
    durationMs: elapsed(startedAt, endedAt),
    firstByteMs: elapsed(startedAt, firstByteAt),
  }
}
