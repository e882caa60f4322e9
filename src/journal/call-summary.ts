/**
 * One line about a call, for lists of many: what an entry says without its headers and bodies.
 */
import { timeOfDayAt } from '../lib/clock.ts'
import type { CallRecord, Delivery } from './call-record.ts'

export interface CallSummary {
  /** The reply's `x-request-id`. */
  id: string
  /** The id of its sandbox. */
  sandbox: string
  /** Operation id, or null where no operation answered. */
  operation: string | null
  /** Upper case. */
  method: string
  /** As requested, without the query. */
  path: string
  /** 0 where the connection ended without an answer. */
  status: number
  /** What its body names; null where it names none. */
  model: string | null
  /** Whether it asked for an event stream. */
  stream: boolean
  /** The rule that made or changed the reply. */
  rule: { scenario: string; rule: number; faults: string[] } | null
  /** Whether neither an operation nor a rule answered. */
  unmatched: boolean
  /** How many rules were meant for it and did not happen. */
  missed: number
  /** How many warnings it got. */
  warnings: number
  delivery: Delivery
  /** Tokens that its reply has used. */
  tokens: number
  /** Real time of day at its arrival, ISO 8601. */
  startedAt: string
  /** Real milliseconds until the last byte, null while under way. */
  durationMs: number | null
  /** Real milliseconds until the first byte of the body; null where none came. */
  firstByteMs: number | null
}

export function toSummary(record: CallRecord): CallSummary {
  const { startedAt, firstByteAt, endedAt, operation, rule } = record
  return {
    id: record.id,
    sandbox: record.state.sandboxId,
    operation: operation ?? null,
    method: record.method,
    path: record.path,
    status: record.status,
    model: record.model ?? null,
    stream: record.asksForStream,
    rule: rule ? { ...rule } : null,
    unmatched: !operation && !rule,
    missed: record.missed,
    warnings: record.warnings.length,
    delivery: record.delivery,
    tokens: record.tokens,
    startedAt: timeOfDayAt(startedAt),
    durationMs: endedAt === undefined ? null : endedAt - startedAt,
    firstByteMs: firstByteAt === undefined ? null : firstByteAt - startedAt,
  }
}
