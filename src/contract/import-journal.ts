/**
 * Our own journal as tapes, as the control API gives it.
 */
import * as z from 'zod'
import { entryExchange } from '../tapes/entry-export.ts'
import type { Exchanged } from '../tapes/tape-writer.ts'
import { ImportError } from './import-error.ts'

const Kept = z.looseObject({ text: z.string(), cut: z.number() })

/** What a tape needs of an entry. */
const Entry = z.looseObject({
  method: z.string(),
  path: z.string(),
  query: z.record(z.string(), z.union([z.string(), z.array(z.string())])).default({}),
  headers: z.record(z.string(), z.string()).default({}),
  rawBody: Kept,
  status: z.number(),
  replyHeaders: z.record(z.string(), z.string()).default({}),
  replyBody: Kept,
  delivery: z.enum(['pending', 'complete', 'cut', 'client-left']),
  durationMs: z.number().nullable().default(null),
  firstByteMs: z.number().nullable().default(null),
})

export function importJournal(text: string, file: string): { exchanges: Exchanged[]; skipped: string[] } {
  const exchanges: Exchanged[] = []
  const skipped: string[] = []
  for (const [index, given] of entriesIn(text, file).entries()) {
    const place = `${file}: entry ${index + 1}`
    const entry = Entry.safeParse(given)
    if (!entry.success) {
      const [issue] = entry.error.issues
      skipped.push(`${place}: ${issue?.path.join('.')}: ${issue?.message}`)
      continue
    }
    try {
      exchanges.push(entryExchange(entry.data))
    } catch (error) {
      skipped.push(`${place}: ${(error as Error).message}`)
    }
  }
  return { exchanges, skipped }
}

/** A list of entries, the reply of the control API, or one entry a line. */
function entriesIn(text: string, file: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text)
    if (Array.isArray(value)) return value
    const { data } = value as { data?: unknown }
    return Array.isArray(data) ? data : [data ?? value]
  } catch {
    const lines = text.split('\n').filter((line) => line.trim() !== '')
    try {
      return lines.map((line) => JSON.parse(line))
    } catch (error) {
      throw new ImportError(`${file}: is no journal: ${(error as Error).message}`)
    }
  }
}
