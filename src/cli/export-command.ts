/**
 * `export`: one entry of a journal as a tape, the rule of a scenario, or a fixture, on standard output.
 */
import { readFile } from 'node:fs/promises'
import type { JournalEntry } from '../journal/entry.ts'
import { operations } from '../operations/index.ts'
import { entryFixture, entryScenario, entryTape } from '../tapes/entry-export.ts'
import { formatTape } from '../tapes/tape.ts'
import { toRedactor } from './redaction-file.ts'
import { UsageError } from './usage-error.ts'

export interface ExportFlags {
  as: 'tape' | 'rule' | 'fixture'
  entry?: string
}

/** @param file What `GET /__understudy/sandboxes/default/journal` gives. */
export async function exportEntry(file: string, { as, entry: id }: ExportFlags): Promise<void> {
  const entries = await entriesIn(file)
  const entry = id === undefined ? entries.at(-1) : entries.find((each) => each.id === id)
  if (!entry) throw new UsageError(`${file}: has no entry${id === undefined ? '' : ` '${id}'`}`)
  try {
    console.log(exported(entry, as).trimEnd())
  } catch (error) {
    throw new UsageError(`${file}: entry '${entry.id}': ${(error as Error).message}`)
  }
}

function exported(entry: JournalEntry, as: ExportFlags['as']): string {
  switch (as) {
    case 'tape':
      return formatTape(entryTape(entry, entry.operation, toRedactor({})))
    case 'rule':
      return JSON.stringify(entryScenario(entry, entry.operation, operations), null, 2)
    case 'fixture':
      return JSON.stringify(entryFixture(entry, entry.operation), null, 2)
  }
}

async function entriesIn(file: string): Promise<JournalEntry[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(
      `${file}: ${error.code === 'ENOENT' ? 'there is no such file' : `cannot be read: ${error.code}`}`,
    )
  })
  try {
    const value = JSON.parse(text)
    return Array.isArray(value) ? value : (value.data ?? [])
  } catch (error) {
    throw new UsageError(`${file}: not JSON: ${(error as Error).message}`)
  }
}
