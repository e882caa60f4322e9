/** Groups calls into attempts at the same thing. */
import type { JournalEntry } from '../../journal/entry.ts'
import { splitAddress } from '../../lib/address.ts'
import { canonicalJson, isObject } from '../../lib/json.ts'
import type { ConversationItem } from '../../resources/conversation.ts'
import type { Reading } from './reading.ts'

export interface Attempt {
  readonly entry: JournalEntry
  readonly reading: Reading
  /** The conversation in the request; empty if its operation has none. */
  readonly items: readonly ConversationItem[]
  readonly faults: readonly string[]
  /** End of the reply, or arrival if there is none, in milliseconds since the sandbox's start. */
  readonly endMs: number
}

/**
 * Returns the same text for calls with the same operation (or method and path) and the same conversation or content.
 * Model, ids, headers, metadata and stream flags may differ.
 */
export function attemptKey(entry: JournalEntry): string {
  const { id, params, query, body, requestText } = entry
  // A body that is not stored could be anything.
  const content = requestText.truncatedBytes > 0 ? id : isObject(body) ? contentOf(body) : requestText.text
  return canonicalJson([targetOf(entry), params, query, content])
}

export function targetOf({ operation, method, path }: JournalEntry): string {
  return operation ?? `${method} ${splitAddress(path).route ?? path}`
}

/** Returns the fields that contain the request's content. A body without any of these fields is returned as a whole. */
function contentOf(body: Record<string, unknown>): unknown {
  const asked = Object.entries(body).filter(([name]) => contentFields.has(name))
  return withoutIds(asked.length > 0 ? Object.fromEntries(asked) : body)
}

const contentFields = new Set(
  'messages input prompt instructions system previous_response_id conversation query documents'.split(' '),
)

/** Omits ids and metadata at every depth, except the ids of item references. */
export function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds)
  if (!isObject(value) || value['type'] === 'item_reference') return value
  const fields = Object.entries(value).filter(([name]) => !incidental.has(name))
  return Object.fromEntries(fields.map(([name, inner]) => [name, withoutIds(inner)]))
}

const incidental = new Set(
  'id call_id tool_call_id tool_use_id metadata user safety_identifier prompt_cache_key'.split(' '),
)

/** Returns true if a call has no complete reply, or is still in progress. */
export function isFailed({ entry, reading }: Attempt): boolean {
  return reading.ending !== 'whole' && (reading.ending !== 'unknown' || entry.durationMs === null)
}

/** Returns true if a call has failed in a way that makes a retry worthwhile. */
export function isRetryable({ entry, reading, faults }: Attempt): boolean {
  if (reading.ending === 'rejected') return entry.status >= 500 || [408, 409, 429].includes(entry.status)
  // A client that disconnects has a reason of its own, unless it had to wait.
  const isOwn = entry.delivery === 'aborted-by-client' && !faults.some(isSlow)
  return (reading.ending === 'none' || reading.ending === 'cut') && !isOwn
}

/** Returns true for faults that make clients wait. */
export function isSlow(fault: string): boolean {
  return /^(?:timeout|latency|bandwidth|slow-.*|.*-stall)$/.test(fault)
}

/** Returns true if a call arrived after the end of another call (or after its start, if it got no reply). */
export function isAfter(later: Attempt, { entry, reading }: Attempt): boolean {
  const passed = later.entry.elapsedMs - entry.elapsedMs
  // Durations are in real time, which passes while the clock stands still.
  return passed === 0 || passed >= (reading.ending === 'none' ? 0 : (entry.durationMs ?? 0))
}

/** Pairs each failed attempt with the first attempt that followed it. */
export function retriesIn(attempts: readonly Attempt[]): (readonly [failed: Attempt, retry: Attempt])[] {
  return attempts.flatMap((failed, place) => {
    if (!isFailed(failed)) return []
    // Others are not concurrent.
    const retry = attempts.slice(place + 1, place + 50).find((each) => isAfter(each, failed))
    return retry ? [[failed, retry] as const] : []
  })
}
