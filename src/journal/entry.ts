/** Calls in the journal as plain data: full entries, optionally with secrets hidden, and short summaries. */
import type { AssumptionName } from '../assumptions.ts'
import { GatewayError } from '../http/errors.ts'
import { hideInString, hideInText, hideInValue } from '../http/secrets.ts'
import { timeOfDayAt } from '../lib/clock.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { shown } from '../lib/schema-messages.ts'
import { explainNearMisses, type NearMiss } from '../scenarios/near-misses.ts'
import type { TurnReading } from '../scenarios/script-runs.ts'
import type { KeptText, TimedPart } from './body.ts'
import type { CallRecord, CallRule, Delivery } from './call-record.ts'
import type { CallUsage } from './ledger.ts'

export interface JournalEntry<Body = unknown> {
  /** The reply's `x-request-id`. */
  id: string
  /** Operation id; null if no operation handled the request. */
  operation: string | null
  /** Method in upper case. */
  method: string
  /** Path as requested. */
  path: string
  /** Path parameters by name, decoded. */
  params: Record<string, string>
  /** Query parameters by name. Repeated ones are arrays. */
  query: Record<string, string | string[]>
  /** Request headers; names in lower case. */
  headers: Record<string, string>
  /** The parsed request body; undefined if it is empty, truncated or not JSON. */
  body: Body
  /** The request body exactly as sent. */
  rawBody: KeptText
  /** HTTP status; 0 if the connection closed without a response. */
  status: number
  /** The reply's error message; null if the request was not rejected. */
  reason: string | null
  /** Reply headers; names in lower case. */
  replyHeaders: Record<string, string>
  /** Reply body, as far as it was sent. */
  replyBody: KeptText
  /** Times at which the reply body's chunks were sent. Empty for a reply sent in one piece. */
  timeline: TimedPart[]
  /** The rule that produced or changed the reply; null if none did. */
  rule: CallRule | null
  /** Turn and conversation, if a script replied; otherwise null. */
  turn: TurnReading | null
  /**
   * If no rule applied, the rules that were tried, with the reason why each did not apply. Limited to the first 100
   * rules tried; `explain()` lists all.
   */
  nearMisses: readonly NearMiss[]
  /** The reply's tokens and cost; null if usage is not counted. */
  usage: CallUsage | null
  /** Trace id in the `traceparent` header; null if the header is missing or malformed. */
  traceId: string | null
  /** Assumptions that the reply depends on. */
  assumptions: AssumptionName[]
  /** Warnings for the caller, which the reply does not contain. */
  warnings: string[]
  /** If true, the reply violated Understudy's own schema. This is a bug; please report it. */
  schemaViolation: boolean
  /** Outcome of the delivery; `pending` while the reply is being sent. */
  delivery: Delivery
  /** Sandbox time of arrival, ISO 8601. */
  timestamp: string
  /** Real time until the last byte, in milliseconds; null while the reply is being sent. */
  durationMs: number | null
  /**
   * Real time until the body's first byte (for a stream, its first event), in milliseconds; null if nothing
   * was sent.
   */
  firstByteMs: number | null
}

const entryFields: readonly string[] = [
  'id',
  'operation',
  'method',
  'path',
  'params',
  'query',
  'headers',
  'body',
  'rawBody',
  'status',
  'reason',
  'replyHeaders',
  'replyBody',
  'timeline',
  'rule',
  'turn',
  'nearMisses',
  'usage',
  'traceId',
  'assumptions',
  'warnings',
  'schemaViolation',
  'delivery',
  'timestamp',
  'durationMs',
  'firstByteMs',
] satisfies (keyof JournalEntry)[]

/** Throws 400 for a field that entries do not have, because the field would silently match nothing. */
export function assertEntryFields(match: unknown): void {
  if (match !== undefined && (typeof match !== 'object' || match === null))
    throw new TypeError(
      `match must be an object such as { body: { model: 'aurora/dawn-2' } }, got ${shown(match)}`,
    )
  // A test runner's asymmetric matchers are opaque.
  if (typeof match !== 'object' || match === null || Object.getPrototypeOf(match) !== Object.prototype) return
  const unknown = Object.keys(match).find((name) => !entryFields.includes(name))
  if (unknown === undefined) return
  const hint = didYouMean(unknown, entryFields)
  const isNear = !hint.startsWith('; expected')
  throw new GatewayError(
    400,
    `A call has no field '${unknown}'${isNear ? hint : `; to match the body, write { body: { ${unknown}: … } }`}`,
  )
}

/**
 * Maximum number of near misses per entry. Keeps the JSON for a thousand entries within the maximum string
 * length, even with ten thousand rules.
 */
const maxNearMisses = 100

/** Converts a record to an entry. Modifying the entry does not change the journal. */
export function toEntry(record: CallRecord): JournalEntry {
  const { requestBody, replyBody, startedAt, firstByteAt, endedAt } = record
  return {
    id: record.id,
    operation: record.operation ?? null,
    method: record.method,
    path: record.path,
    params: { ...record.params },
    query: queryOf(record.search),
    headers: { ...record.headers },
    body: record.body,
    rawBody: { text: requestBody.text, cut: requestBody.cut },
    status: record.status,
    reason: record.reason ?? null,
    replyHeaders: { ...record.replyHeaders },
    replyBody: { text: replyBody.text, cut: replyBody.cut },
    timeline: record.timeline?.parts() ?? [],
    rule: record.rule ? { ...record.rule } : null,
    turn: record.turn ? { ...record.turn } : null,
    // Lazy, because formatting the reasons for a thousand rules is slow.
    get nearMisses() {
      return record.rule ? [] : nearMissesOf(record, maxNearMisses)
    },
    usage: record.usage ? { ...record.usage } : null,
    traceId: record.traceId ?? null,
    assumptions: [...record.assumptions],
    warnings: [...record.warnings],
    schemaViolation: record.schemaViolation,
    delivery: record.delivery,
    timestamp: new Date(record.at).toISOString(),
    durationMs: elapsed(startedAt, endedAt),
    firstByteMs: elapsed(startedAt, firstByteAt),
  }
}

/** Returns the rules that were tried but did not apply, including those tried before the rule that matched. */
export function nearMissesOf(record: CallRecord, limit?: number): readonly NearMiss[] {
  const { savedNearMisses, skipped, params, query, headers, body } = record
  return (
    savedNearMisses ?? (skipped ? explainNearMisses(skipped, { params, query, headers, body }, limit) : [])
  )
}

/** Parses a query string. Repeated parameters become an array. */
export function queryOf(search: string): JournalEntry['query'] {
  const values = new Map<string, string | string[]>()
  for (const [name, value] of new URLSearchParams(search)) {
    const before = values.get(name)
    if (Array.isArray(before)) before.push(value)
    else values.set(name, before === undefined ? value : [before, value])
  }
  return Object.fromEntries(values)
}

/** Returns a copy of an entry with secrets hidden. In process, entries contain secrets as sent. */
export function hiddenEntry(entry: JournalEntry): JournalEntry {
  return hidePart(entry) as JournalEntry
}

/**
 * Hides secrets in part of an entry.
 *
 * @param mark Returns the replacement for a secret. Default: the same for all secrets.
 */
export function hidePart(part: Partial<JournalEntry>, mark?: (secret: unknown) => string) {
  const { rawBody, replyBody, ...rest } = part
  return {
    ...part,
    ...hideInValue(rest, mark),
    ...(rawBody && { rawBody: hideInKept(rawBody) }),
    ...(replyBody && { replyBody: hideInKept(replyBody) }),
  }
}

/** Hides secrets in a stored body. In an expected value, the text may be an asymmetric matcher instead. */
function hideInKept(kept: KeptText): KeptText {
  return typeof kept.text === 'string' ? { ...kept, text: hideInText(kept.text) } : kept
}

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
  /** The rule that produced or changed the reply; null if none did. */
  rule: { scenario: string; rule: number; faults: string[] } | null
  /** If true, neither an operation nor a rule matched the request. */
  unmatched: boolean
  /** Number of near misses; 0 if a rule applied. */
  missed: number
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
  const { startedAt, firstByteAt, endedAt, operation, rule } = record
  return {
    id: record.id,
    sandbox: record.state.id,
    operation: operation ?? null,
    method: record.method,
    path: hideInString(record.path),
    status: record.status,
    model: record.model === undefined ? null : hideInString(record.model),
    stream: record.asksForStream,
    rule: rule ? { ...rule } : null,
    unmatched: !operation && !rule,
    missed: record.missed,
    warnings: record.warnings.length,
    delivery: record.delivery,
    tokens: record.tokens,
    startedAt: timeOfDayAt(startedAt),
    durationMs: elapsed(startedAt, endedAt),
    firstByteMs: elapsed(startedAt, firstByteAt),
  }
}

/** Returns milliseconds, rounded to microseconds so that saving and opening a file does not change them. */
function elapsed(from: number, to: number | undefined): number | null {
  return to === undefined ? null : Math.round((to - from) * 1000) / 1000
}
