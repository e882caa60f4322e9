/**
 * Where the calls of a failing test went that did not come to its own sandbox.
 */
import type { JournalEntry } from './entry.ts'
import { calls } from './journal-text.ts'

/** How many of them a text names. */
const shown = 5

/**
 * The calls that the default sandbox answered while a test ran; the empty string where there are none.
 *
 * @example the default sandbox answered 1 call meanwhile: POST /responses with a key of no sandbox
 */
export function sharedCallsText(entries: readonly JournalEntry[]): string {
  if (entries.length === 0) return ''
  const named = entries.slice(0, shown).map(callText)
  const rest = entries.length > shown ? [`${calls(entries.length - shown)} more`] : []
  return `the default sandbox answered ${calls(entries.length)} meanwhile: ${[...named, ...rest].join(', ')}`
}

function callText({ method, path, headers }: JournalEntry): string {
  const by = 'authorization' in headers ? 'with a key of no sandbox' : 'without a key'
  return `${method} ${path.replace(/^.*\/api\/v1(?=\/)/, '')} ${by}`
}
