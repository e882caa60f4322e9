/**
 * An entry of the journal as something to keep: a tape, the rule of a scenario, or a fixture.
 */
import type { JournalEntry } from '../journal/entry.ts'
import type { KnownOperation } from '../rules/check-scenario.ts'
import type { ScenarioInput } from '../rules/scenario-input.ts'
import { Redactor } from './redactor.ts'
import { type Tape, toContent } from './tape.ts'
import { tapeScenario } from './tape-scenario.ts'
import { type Exchanged, toTape } from './tape-writer.ts'

/** What an export needs of an entry. */
export type ExportedEntry = Pick<
  JournalEntry,
  | 'method'
  | 'path'
  | 'query'
  | 'headers'
  | 'rawBody'
  | 'status'
  | 'replyHeaders'
  | 'replyBody'
  | 'delivery'
  | 'durationMs'
  | 'firstByteMs'
>

const encoder = new TextEncoder()

/** A tape without secrets. Throws for an entry whose bodies were not kept whole, or that is still under way. */
export function entryTape(entry: ExportedEntry, operation: string | null, redactor = new Redactor()): Tape {
  return toTape(entryExchange(entry), { redactor, operation: operation ?? undefined })
}

/** A scenario with one rule, which answers requests like this one as it was answered. */
export function entryScenario(
  entry: ExportedEntry,
  operation: string | null,
  operations: readonly KnownOperation[],
): ScenarioInput {
  return tapeScenario(entryTape(entry, operation), operations)
}

/** The collections whose records an operation gives, by the field that holds them. */
const collections: Record<string, string> = {
  listProviders: 'providers',
  updateWorkspace: 'workspaces',
  listEmbeddingsModels: 'embeddingsModels',
  listBenchmarks: 'benchmarks',
  getPreset: 'presets',
}

/** The records of a reply for `createGateway({ fixtures })`. Throws for an operation that gives none. */
export function entryFixture(entry: ExportedEntry, operation: string | null): Record<string, unknown[]> {
  const collection = operation === null ? undefined : collections[operation]
  if (collection === undefined || entry.status !== 200) {
    const names = Object.keys(collections).join(', ')
    throw new TypeError(`A fixture is made of a 200 of ${names}: export this one as a tape or as a rule`)
  }
  if (entry.replyBody.cut > 0) throw new TypeError('The body of the reply was too long to keep')
  const { data } = JSON.parse(entry.replyBody.text)
  const records = [data].flat()
  if (collection !== 'presets') return { [collection]: records }
  const versions = records.map(({ designated_version }) => designated_version)
  return { presets: records.map(({ designated_version: _, ...preset }) => preset), presetVersions: versions }
}

/** What happened, as a tape is made of it. Throws for an entry that does not have all of it. */
export function entryExchange(entry: ExportedEntry): Exchanged {
  const { method, path, query, headers, rawBody, status, replyHeaders, replyBody, delivery } = entry
  if (rawBody.cut > 0 || replyBody.cut > 0)
    throw new TypeError('One of its bodies was too long for the journal to keep')
  if (delivery === 'pending') throw new TypeError('It is still under way')
  const end = entry.durationMs ?? 0
  const first = entry.firstByteMs ?? end
  const parameters = Object.entries(query).flatMap(([name, values]) =>
    [values].flat().map((value) => [name, value]),
  )
  const search = new URLSearchParams(parameters).toString()
  const bytes = encoder.encode(replyBody.text)
  const how = delivery === 'cut' ? 'reset' : delivery === 'client-left' ? 'client-left' : 'fin'
  return {
    request: {
      method,
      path: path.replace(/^.*?\/api\/v1(?=\/)/, ''),
      query: search === '' ? '' : `?${search}`,
      headers,
      ...toContent(encoder.encode(rawBody.text)),
    },
    reply: status === 0 ? undefined : { ms: first, status, headers: replyHeaders },
    chunks: bytes.length > 0 ? [{ ms: first, bytes }] : [],
    end: { how, ms: end },
  }
}
