/**
 * One call in the journal: as it is kept, and as people read it.
 */
import type { AssumptionName } from '../assumptions.ts'
import { explainNearMisses, type NearMiss, type SkippedRules } from '../rules/near-misses.ts'
import type { Match } from '../rules/rules.ts'

/**
 * How a reply reached its reader: `pending` is still under way, `cut` was broken off by a fault,
 * `client-left` by the client.
 */
export type Delivery = 'pending' | 'complete' | 'cut' | 'client-left'

/** A text that may have been too long to keep. */
export interface KeptText {
  /** The text, or as much of it as is kept. */
  text: string
  /** How many bytes of it were not kept. */
  cut: number
}

export interface JournalEntry<Body = unknown> {
  /** The reply's `x-request-id`. */
  id: string
  /** Operation id, or null where no operation answered. */
  operation: string | null
  /** Upper case. */
  method: string
  /** As requested. */
  path: string
  params: Record<string, string>
  query: Record<string, string | string[]>
  /** Names in lower case. */
  headers: Record<string, string>
  /** The body as parsed; undefined where it is none, not JSON, or too long to keep. */
  body: Body
  /** The body exactly as sent. */
  rawBody: KeptText
  status: number
  replyHeaders: Record<string, string>
  /** What was sent of the reply's body. */
  replyBody: KeptText
  /** The rule that made or changed the reply. */
  rule: { scenario: string; rule: number; faults: string[] } | null
  /** Where no rule did: the rules that were meant for the call, and why each did not happen. */
  nearMisses: NearMiss[]
  assumptions: AssumptionName[]
  warnings: string[]
  /** Whether the reply broke the double's own schema: our bug, please report it. */
  brokeContract: boolean
  delivery: Delivery
  /** Sandbox time, ISO 8601. */
  at: string
  /** Real milliseconds until the last byte, null while under way. */
  durationMs: number | null
  /** Real milliseconds until the first byte of the body, which is a stream's first event; null where none came. */
  firstByteMs: number | null
}

/** What the journal keeps of a call; it shows it as a `JournalEntry`. */
export interface CallRecord {
  id: string
  operation: string | undefined
  readonly method: string
  readonly path: string
  /** The path below the base address; undefined where it does not lie below one. */
  readonly route: string | undefined
  readonly search: string
  params: Readonly<Record<string, string>>
  headers: Readonly<Record<string, string>>
  /** As much of the request's body as is kept, and how many bytes are not. */
  requestText: string
  requestCut: number
  /** As the operation saw it; undefined where it is none, not JSON, or too long to keep. */
  readonly body: unknown
  status: number
  replyHeaders: Record<string, string>
  /** What is kept of the reply's body, as it was sent. */
  replyParts: Array<string | Uint8Array>
  readonly replyText: string
  replyCut: number
  /** Bytes of both bodies that are kept. */
  requestBytes: number
  replyBytes: number
  match: Match | undefined
  misses: SkippedRules | undefined
  assumptions: readonly AssumptionName[]
  warnings: readonly string[]
  brokeContract: boolean
  delivery: Delivery
  /** Whether the journal still has it. */
  kept: boolean
  /** Sandbox time, milliseconds since 1970. */
  at: number
  /** Real time in milliseconds, from `monotonic()`. */
  readonly startedAt: number
  firstByteAt: number | undefined
  endedAt: number | undefined
}

/** A record as people read it: a copy, so that nobody changes what happened. */
export function toEntry(record: CallRecord): JournalEntry {
  const { requestText, requestCut, replyText, replyCut, startedAt, firstByteAt, endedAt } = record
  return {
    id: record.id,
    operation: record.operation ?? null,
    method: record.method,
    path: record.path,
    params: { ...record.params },
    query: queryOf(record.search),
    headers: { ...record.headers },
    body: record.body,
    rawBody: { text: requestText, cut: requestCut },
    status: record.status,
    replyHeaders: { ...record.replyHeaders },
    replyBody: { text: replyText, cut: replyCut },
    rule: record.match ? ruleOf(record.match) : null,
    // A thousand rules are put into words only for those who ask.
    get nearMisses() {
      return record.match ? [] : nearMissesOf(record)
    },
    assumptions: [...record.assumptions],
    warnings: [...record.warnings],
    brokeContract: record.brokeContract,
    delivery: record.delivery,
    at: new Date(record.at).toISOString(),
    durationMs: endedAt === undefined ? null : endedAt - startedAt,
    firstByteMs: firstByteAt === undefined ? null : firstByteAt - startedAt,
  }
}

/** The rules that were meant for a call and did not happen, also where an older one did. */
export function nearMissesOf({ misses, params, search, headers, body }: CallRecord): NearMiss[] {
  if (!misses) return []
  const query = Object.fromEntries(new URLSearchParams(search))
  return explainNearMisses(misses, { params, query, headers, body })
}

export function ruleOf({ scenario, rule, effect }: Match): {
  scenario: string
  rule: number
  faults: string[]
} {
  return { scenario, rule, faults: effect.faults.map(({ name }) => name) }
}

function queryOf(search: string): JournalEntry['query'] {
  const parameters = new URLSearchParams(search)
  const names = new Set(parameters.keys())
  return Object.fromEntries(
    [...names].map((name) => {
      const values = parameters.getAll(name)
      return [name, values.length > 1 ? values : (values[0] as string)]
    }),
  )
}
