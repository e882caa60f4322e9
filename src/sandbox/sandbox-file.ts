/**
 * A whole sandbox as a file: what its rows differ from the seed by, its scenarios and how far they are, its clock and
 * counters, and the calls that it was asked. Another gateway reads it, and goes on from there.
 */
import * as z from 'zod'
import { Fixtures } from '../database/seed-options.ts'
import type { JournalEntry } from '../journal/entry.ts'
import { hiddenEntry } from '../journal/hidden-entry.ts'
import { RulesFile, toRulesFile } from '../rules/rules-file.ts'
import type { SandboxFile as SavedSandbox } from './file-types.ts'
import type { Sandbox } from './sandbox.ts'

const Row = z.lazy(() => z.looseObject({}))
const Kept = z.lazy(() => z.looseObject({ text: z.string(), cut: z.number() }))

/** What is read of an entry; the rest is for people. */
const SavedCall = z.lazy(() =>
  z.looseObject({
    method: z.string(),
    path: z.string(),
    operation: z.string().nullable(),
    params: z.record(z.string(), z.string()),
    query: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
    headers: z.record(z.string(), z.string()),
    rawBody: Kept,
    status: z.int(),
    replyHeaders: z.record(z.string(), z.string()),
    replyBody: Kept,
    delivery: z.enum(['pending', 'complete', 'cut', 'client-left']),
    warnings: z.array(z.string()),
    assumptions: z.array(z.string()).optional(),
    reason: z.string().nullish(),
  }),
)
export type SavedCall = z.infer<typeof SavedCall>

export const SandboxFile = z.lazy(() =>
  z.strictObject({
    format: z.literal('understudy-sandbox'),
    version: z.literal(1),
    /** Where it comes from. */
    sandbox: z.string(),
    seed: z.union([z.int(), z.string()]),
    fixtures: Fixtures,
    changes: z
      .record(
        z.string(),
        z.strictObject({
          created: z.array(Row),
          changed: z.array(z.strictObject({ key: z.string(), row: Row })),
          deleted: z.array(z.string()),
        }),
      )
      .describe('By collection: what differs from the seed.'),
    rules: RulesFile,
    clock: z.strictObject({ steps: z.int(), advanced: z.number(), elapsed: z.number() }),
    occurrences: z.record(z.string(), z.int()).describe('How often the same request came, by its hash.'),
    calls: z.array(SavedCall).optional().describe('The journal, secrets hidden.'),
  }),
)
export type SandboxFile = SavedSandbox

/** @param withCalls Whether the journal goes along. */
export function toSandboxFile(sandbox: Sandbox, withCalls: boolean): SandboxFile {
  const { id, options, state } = sandbox
  const differences = state.database
    .differences()
    .map(({ collection, difference }) => [collection, difference])
  const { clock, rules, occurrences } = state.snapshot()
  // Plain data from here on: rows are shared, and counters have a form of their own.
  return JSON.parse(
    JSON.stringify({
      format: 'understudy-sandbox',
      version: 1,
      sandbox: id,
      seed: options.seed,
      fixtures: options.fixtures,
      changes: Object.fromEntries(differences),
      rules: toRulesFile(rules),
      clock,
      occurrences,
      ...(withCalls && { calls: sandbox.journal.entries().map((entry: JournalEntry) => hiddenEntry(entry)) }),
    }),
  )
}
