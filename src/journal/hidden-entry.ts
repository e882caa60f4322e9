/**
 * A journal entry as it may leave the process or be printed, its secrets hidden.
 */
import { hideInHeaders, hideInText, hideInValue } from '../http/secrets.ts'
import type { KeptText } from './body.ts'
import type { JournalEntry } from './entry.ts'

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
  const { headers, replyHeaders, query, body, rawBody, replyBody } = part
  return {
    ...part,
    ...(headers && { headers: hideInHeaders(headers, mark) }),
    ...(replyHeaders && { replyHeaders: hideInHeaders(replyHeaders, mark) }),
    ...(query && { query: hideInValue(query, mark) }),
    ...(body !== undefined && { body: hideInValue(body, mark) }),
    ...(rawBody && { rawBody: hideInKept(rawBody) }),
    ...(replyBody && { replyBody: hideInKept(replyBody) }),
  }
}

/** In an expected part, the text may be a matcher of a test runner. */
function hideInKept(kept: KeptText): KeptText {
  return typeof kept.text === 'string' ? { ...kept, text: hideInText(kept.text) } : kept
}
