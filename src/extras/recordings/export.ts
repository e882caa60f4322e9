/**
 * Exports a journal entry as a recording, a scenario rule, or a fixture, for `export` and the control API.
 */
import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import { parseJsonBody } from '../../http/json-body.ts'
import type { JournalEntry } from '../../journal/entry.ts'
import { check } from '../../lib/check.ts'
import { toYaml } from '../../lib/data-file.ts'
import { amount, count } from '../../lib/numbers.ts'
import { print } from '../../lib/print.ts'
import { UsageError } from '../../lib/usage-error.ts'
import { readAt } from '../../lib/value-path.ts'
import { operations } from '../../operations/index.ts'
import type { KnownOperation } from '../../scenarios/check-scenario.ts'
import type { ScenarioInput } from '../../scenarios/scenario.ts'
import { firstProblem, formatRecording, type RecordedEnding, type Recording, toContent } from './recording.ts'
import { type Exchange, toRecording } from './recording-files.ts'
import { Redactor, toRedactor } from './redact.ts'
import { recordingScenario } from './replay.ts'

export type EntryFormat = 'recording' | 'rule' | 'fixture'

export interface ExportFlags {
  as: EntryFormat
  entry?: string
}

/**
 * Prints a journal entry in another format.
 *
 * @param file Journal file: a control API reply, or its entries.
 */
export async function exportFromFile(file: string, { as, entry: id }: ExportFlags): Promise<void> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'ENOENT' ? 'no such file' : `cannot be read: ${error.code}`
    throw new UsageError(`${file}: ${reason}`)
  })
  const entries = journalEntries(text, file).filter((each) => readAt(each, ['id']) !== undefined)
  const selected = id === undefined ? entries.at(-1) : entries.find((each) => readAt(each, ['id']) === id)
  if (!selected) throw new UsageError(`${file}: has no entry${id === undefined ? '' : ` '${id}'`}`)
  const toJson = (value: unknown) => JSON.stringify(value, null, 2)
  try {
    const { data: entry, error } = check(ExportedEntry, selected)
    if (!entry) throw new TypeError(firstProblem(error))
    print(exportEntry(entry, as, operations, { redactor: toRedactor({}), formatRule: toJson }).trimEnd())
  } catch (error) {
    throw new UsageError(`${file}: entry '${readAt(selected, ['id'])}': ${(error as Error).message}`)
  }
}

/** Parses entries from a list, a control API reply, or one entry per line. */
export function journalEntries(text: string, file: string): unknown[] {
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
      throw new UsageError(`${file}: is not a journal: ${(error as Error).message}`)
    }
  }
}

const Kept = z.lazy(() => z.looseObject({ text: z.string(), cut: count() }))

/** Schema of the entry fields that imports and exports use. */
export const RecordedEntry = z.lazy(() => z.looseObject(recordedFields()))

const recordedFields = () => ({
  method: z.string(),
  path: z.string(),
  query: z.record(z.string(), z.union([z.string(), z.array(z.string())])).default({}),
  headers: z.record(z.string(), z.string()).default({}),
  rawBody: Kept,
  status: count().max(999),
  replyHeaders: z.record(z.string(), z.string()).default({}),
  replyBody: Kept,
  delivery: z.enum(['pending', 'complete', 'aborted-by-fault', 'aborted-by-client']),
  durationMs: amount().nullable().default(null),
  firstByteMs: amount().nullable().default(null),
})

const ExportedEntry = z.lazy(() =>
  z.looseObject({ ...recordedFields(), operation: z.string().nullable().default(null) }),
)

export type RecordedEntry = Pick<JournalEntry, keyof ReturnType<typeof recordedFields>>
type ExportedEntry = RecordedEntry & Pick<JournalEntry, 'operation'>

/**
 * Formats an entry. Throws if the entry is incomplete or, for a fixture, has no records.
 *
 * @param options.redactor Removes secrets. Default: removes keys with known formats.
 * @param options.formatRule Formats a scenario. Default: YAML.
 */
export function exportEntry(
  entry: ExportedEntry,
  as: EntryFormat,
  operations: readonly KnownOperation[],
  options: { redactor?: Redactor; formatRule?: (scenario: ScenarioInput) => string } = {},
): string {
  const { redactor, formatRule = toYaml } = options
  switch (as) {
    case 'recording':
      return formatRecording(entryRecording(entry, redactor))
    case 'rule':
      return formatRule(recordingScenario(entryRecording(entry, redactor), operations))
    case 'fixture':
      return `${JSON.stringify(entryFixture(entry), null, 2)}\n`
  }
}

/** Converts an entry to a recording without secrets. */
function entryRecording(entry: ExportedEntry, redactor = new Redactor()): Recording {
  return toRecording(entryExchange(entry), { redactor, operation: entry.operation })
}

/** Collections by the operation that returns their records. */
const collections: Record<string, string> = {
  listProviders: 'providers',
  updateWorkspace: 'workspaces',
  listEmbeddingsModels: 'embeddingsModels',
  listBenchmarks: 'benchmarks',
  getPreset: 'presets',
}

/** Returns a reply's records, for `createGateway({ fixtures })`. */
function entryFixture({ operation, status, replyBody }: ExportedEntry): Record<string, unknown[]> {
  const collection = operation === null ? undefined : collections[operation]
  if (collection === undefined || status !== 200) {
    const names = Object.keys(collections).join(', ')
    throw new TypeError(
      `Only a 200 reply from ${names} can be exported as a fixture: export this call as a recording or a rule`,
    )
  }
  if (replyBody.cut > 0) throw new TypeError('The reply in the journal is incomplete')
  const records = recordsIn(replyBody.text)
  if (collection !== 'presets') return { [collection]: records }
  const versions = records.map(({ designated_version }) => designated_version)
  return { presets: records.map(({ designated_version: _, ...preset }) => preset), presetVersions: versions }
}

/** Returns the records in `data`. Throws if the reply has none. */
function recordsIn(text: string): Record<string, unknown>[] {
  const records = [readAt(parseJsonBody(text), ['data'])].flat()
  if (records.every(isRecord)) return records
  throw new TypeError(
    'Only a JSON reply with records in data can be exported as a fixture, but this reply has none',
  )
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Converts an entry to an exchange. Throws if the entry is incomplete. */
export function entryExchange(entry: RecordedEntry): Exchange {
  const { method, path, query, headers, rawBody, status, replyHeaders, replyBody, delivery } = entry
  if (rawBody.cut > 0 || replyBody.cut > 0)
    throw new TypeError('The request or reply in the journal is incomplete')
  if (delivery === 'pending') throw new TypeError('The request is still in progress')
  const end = entry.durationMs ?? 0
  const first = entry.firstByteMs ?? end
  const parameters = Object.entries(query).flatMap(([name, values]) =>
    [values].flat().map((value) => [name, value]),
  )
  const search = new URLSearchParams(parameters).toString()
  const bytes = new TextEncoder().encode(replyBody.text)
  return {
    request: {
      method,
      path: path.replace(/^.*?\/api\/v1(?=\/)/, ''),
      query: search === '' ? '' : `?${search}`,
      headers,
      ...toContent(new TextEncoder().encode(rawBody.text)),
    },
    reply: status === 0 ? undefined : { ms: first, status, headers: replyHeaders },
    chunks: bytes.length > 0 ? [{ ms: first, bytes }] : [],
    end: { how: toEnding(delivery), ms: end },
  }
}

/** Maps a delivery outcome in the journal to a recording's ending. */
export function toEnding(delivery: string | undefined): RecordedEnding {
  return delivery === 'aborted-by-fault'
    ? 'reset'
    : delivery === 'aborted-by-client'
      ? 'aborted-by-client'
      : 'fin'
}
