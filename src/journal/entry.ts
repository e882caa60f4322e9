/**
 * One call of the journal as data: as an entry, with its secrets hidden, and as a line of a list.
 */
import type { AssumptionName } from '../assumptions.ts'
import { GatewayError } from '../http/errors.ts'
import { hideInString, hideInText, hideInValue } from '../http/secrets.ts'
import { timeOfDayAt } from '../lib/clock.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { explainNearMisses, type NearMiss } from '../scenarios/near-misses.ts'
import type { TurnReading } from '../scenarios/script-runs.ts'
import type { KeptText, TimedPart } from './body.ts'
import type { CallRecord, CallRule, Delivery } from './call-record.ts'
import type { CallUsage } from './ledger.ts'

export interface JournalEntry<Body = unknown> {
  /** The reply's `x-request-id`. */
  id: string
  /** Operation id, or null where no operation answered. */
  operation: string | null
  /** Upper case. */
  method: string
  /** As requested. */
  path: string
  /** Path parameters by name, decoded. */
  params: Record<string, string>
  /** Query parameters by name; those given more than once as a list. */
  query: Record<string, string | string[]>
  /** Names in lower case. */
  headers: Record<string, string>
  /** The body as parsed; undefined where it is none, not JSON, or too long to keep. */
  body: Body
  /** The body exactly as sent. */
  rawBody: KeptText
  /** 0 where the connection ended without an answer. */
  status: number
  /** Why it was refused: the message of the error in its reply; null where that is none. */
  reason: string | null
  /** Names in lower case. */
  replyHeaders: Record<string, string>
  /** What was sent of the reply's body. */
  replyBody: KeptText
  /** When the parts of the reply's body left; empty for a reply of one part. */
  timeline: TimedPart[]
  /** The rule that made or changed the reply. */
  rule: CallRule | null
  /** Which turn of which scripted conversation the call was; null where no script answered. */
  turn: TurnReading | null
  /**
   * Where no rule did: the rules that were meant for the call, and why each did not happen. The newest hundred; the
   * journal explains the others too.
   */
  nearMisses: readonly NearMiss[]
  /** What the reply has used; null where that is not counted. */
  usage: CallUsage | null
  /** The trace that the call is part of, as its `traceparent` says. */
  traceId: string | null
  /** What the reply rests on that the specification leaves open. */
  assumptions: AssumptionName[]
  /** What a caller should know, and the reply does not say. */
  warnings: string[]
  /** Whether the reply broke the double's own schema: our bug, please report it. */
  schemaViolation: boolean
  /** How the reply reached its reader. */
  delivery: Delivery
  /** Sandbox time, ISO 8601. */
  timestamp: string
  /** Real milliseconds until the last byte, null while under way. */
  durationMs: number | null
  /** Real milliseconds until the first byte of the body, which is a stream's first event; null where none came. */
  firstByteMs: number | null
}

/** The names of the fields. */
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

/** Throws 400 for a field that no entry has: it would match no call, and nobody would learn why. */
export function assertEntryFields(match: unknown): void {
  // A matcher of a test runner is looked at as a whole.
  if (typeof match !== 'object' || match === null || Object.getPrototypeOf(match) !== Object.prototype) return
  const unknown = Object.keys(match).find((name) => !entryFields.includes(name))
  if (unknown !== undefined)
    throw new GatewayError(400, `A call has no field '${unknown}'${didYouMean(unknown, entryFields)}`)
}

/** A thousand entries with ten thousand rules each would be more than a string can hold. */
const maxNearMisses = 100

/** A copy of a record, for people to read: changing it changes nothing in the journal. */
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
    // A thousand rules are put into words only for those who ask.
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
    durationMs: endedAt === undefined ? null : endedAt - startedAt,
    firstByteMs: firstByteAt === undefined ? null : firstByteAt - startedAt,
  }
}

/** The rules about a call that did not apply, also if an older one did. */
export function nearMissesOf(record: CallRecord, limit?: number): readonly NearMiss[] {
  const { savedNearMisses, skipped, params, query, headers, body } = record
  return (
    savedNearMisses ?? (skipped ? explainNearMisses(skipped, { params, query, headers, body }, limit) : [])
  )
}

/** The parameters of a query, with a list where a name is repeated. */
export function queryOf(search: string): JournalEntry['query'] {
  const values = new Map<string, string | string[]>()
  for (const [name, value] of new URLSearchParams(search)) {
    const before = values.get(name)
    if (Array.isArray(before)) before.push(value)
    else values.set(name, before === undefined ? value : [before, value])
  }
  return Object.fromEntries(values)
}

/** A copy; in process, the entry itself has what was sent. */
export function hiddenEntry(entry: JournalEntry): JournalEntry {
  return hidePart(entry) as JournalEntry
}

/**
 * The same of some fields of an entry.
 *
 * @param mark What to show in the place of a secret. Default: the same for all.
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

/** In an expected part, the text may be a matcher of a test runner. */
function hideInKept(kept: KeptText): KeptText {
  return typeof kept.text === 'string' ? { ...kept, text: hideInText(kept.text) } : kept
}

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
    durationMs: endedAt === undefined ? null : endedAt - startedAt,
    firstByteMs: firstByteAt === undefined ? null : firstByteAt - startedAt,
  }
}
