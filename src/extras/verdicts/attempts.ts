/** Groups calls into attempts at the same thing. */
import type { JournalEntry } from '../../journal/entry.ts'
import { splitAddress } from '../../lib/address.ts'
import { canonicalJson, isObject } from '../../lib/json.ts'

/**
 * Groups calls with the same operation (or method and path) and the same conversation or content, whatever model, ids,
 * headers, metadata and stream flags the client changes. Both the groups and their calls keep their order.
 */
export function attemptsIn(entries: readonly JournalEntry[]): readonly (readonly JournalEntry[])[] {
  return [...Map.groupBy(entries, keyOf).values()]
}

function keyOf(entry: JournalEntry): string {
  const { id, operation, method, path, params, query, body, requestText } = entry
  const target = operation ?? `${method} ${splitAddress(path).route ?? path}`
  // A body that is not stored could be anything.
  const content = requestText.truncatedBytes > 0 ? id : isObject(body) ? contentOf(body) : requestText.text
  return canonicalJson([target, params, query, content])
}

/** Returns the fields that say what is asked. Bodies without any of these are compared as a whole. */
function contentOf(body: Record<string, unknown>): unknown {
  const asked = Object.entries(body).filter(([name]) => contentFields.has(name))
  return withoutIds(asked.length > 0 ? Object.fromEntries(asked) : body)
}

const contentFields = new Set(
  'messages input prompt instructions system previous_response_id conversation query documents'.split(' '),
)

/** Omits ids and metadata at every depth. A reference consists of its id, and keeps it. */
export function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds)
  if (!isObject(value) || value['type'] === 'item_reference') return value
  const fields = Object.entries(value).filter(([name]) => !incidental.has(name))
  return Object.fromEntries(fields.map(([name, inner]) => [name, withoutIds(inner)]))
}

const incidental = new Set(
  'id call_id tool_call_id tool_use_id metadata user safety_identifier prompt_cache_key'.split(' '),
)
