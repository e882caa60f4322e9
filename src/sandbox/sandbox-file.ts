/**
 * A whole sandbox as a file: what its rows differ from the seed by, its scenarios and how far they are, its clock and
 * counters, and the calls that it was asked. Another gateway reads it, and goes on from there.
 */
import * as z from 'zod'
import { Fixtures } from '../database/seed-data.ts'
import type { Violation } from '../http/errors.ts'
import { httpToken } from '../http/header-record.ts'
import { maxParts } from '../journal/body.ts'
import type { JournalEntry } from '../journal/entry.ts'
import { hiddenEntry } from '../journal/hidden-entry.ts'
import { RulesFile, toRulesFile } from '../scenarios/rules-file.ts'
import type { Sandbox } from './sandbox.ts'

/** Maximum lengths in UTF-16 units. Live calls stay below them. */
const maxName = 1000
const maxText = 64 * 1024 * 1024

const Name = z.lazy(() => z.string().max(maxName))
const Text = z.lazy(() => z.string().max(maxText))
const Row = z.lazy(() => z.looseObject({}))
const Kept = z.lazy(() => z.looseObject({ text: Text, cut: z.int().min(0) }))

const Token = z.lazy(() => z.string().max(maxName).regex(httpToken, 'Must be an HTTP token'))
const Headers = z.lazy(() =>
  z.record(
    Token,
    z
      .string()
      .max(maxText)
      .regex(/^[^\0\r\n]*$/, 'Must be one line'),
  ),
)

/** Longest duration and largest size in a file. */
const maxNumber = 1e12
const Count = z.lazy(() => z.int().min(0).max(maxNumber))
const Milliseconds = z.lazy(() => z.number().min(0).max(maxNumber).nullable())
const Usage = z.lazy(() =>
  z.looseObject({
    model: Name,
    inputTokens: Count,
    cachedTokens: Count,
    outputTokens: Count,
    reasoningTokens: Count,
    cost: z.number().min(0).max(maxNumber).nullable(),
  }),
)

/** An entry as it is read; facts that older or shortened files leave out are optional. */
const SavedCall = z.lazy(() =>
  z.looseObject({
    id: z
      .string()
      .regex(/^[\w.-]{1,100}$/, 'Must be letters, digits, dots and hyphens')
      .optional(),
    method: Token,
    path: z
      .string()
      .min(1)
      .max(maxText)
      .regex(/^[^\p{Cc} ]+$/u, 'Must have no spaces and no control characters'),
    operation: Name.nullable(),
    params: z.record(Text, Text),
    query: z.record(Text, z.union([Text, z.array(Text)])),
    headers: Headers,
    rawBody: Kept,
    status: z.int().min(0).max(999),
    replyHeaders: Headers,
    replyBody: Kept,
    delivery: z.enum(['pending', 'complete', 'cut', 'client-left']),
    warnings: z.array(Text),
    assumptions: z.array(Name).default([]),
    reason: Text.nullish(),
    at: z.iso.datetime().optional(),
    rule: z
      .looseObject({ scenario: Name, rule: Count, faults: z.array(Name) })
      .nullable()
      .default(null),
    turn: z
      .looseObject({ conversation: Count, turn: Count, of: Count, problem: Text.nullable() })
      .nullable()
      .default(null),
    usage: Usage.nullable().default(null),
    nearMisses: z.array(z.looseObject({ scenario: Name, rule: Count, reason: Text })).default([]),
    brokeContract: z.boolean().default(false),
    timeline: z
      .array(z.looseObject({ ms: z.number().min(0).max(maxNumber), offset: Count }))
      .max(maxParts)
      .default([]),
    firstByteMs: Milliseconds.default(null),
    durationMs: Milliseconds.default(null),
  }),
)
export type SavedCall = z.infer<typeof SavedCall>

export const SandboxFile = z.lazy(() =>
  z.strictObject({
    format: z.literal('understudy-sandbox'),
    version: z.literal(1),
    /** Where it comes from. */
    sandbox: Name,
    seed: z.union([z.int(), Text]),
    fixtures: Fixtures,
    changes: z
      .record(
        Name,
        z.strictObject({
          created: z.array(Row),
          changed: z.array(z.strictObject({ key: Text, row: Row })),
          deleted: z.array(Text),
        }),
      )
      .describe('By collection: what differs from the seed.'),
    rules: RulesFile,
    clock: z.strictObject({ steps: z.int(), advanced: z.number(), elapsed: z.number() }),
    occurrences: z.record(Name, z.int()).describe('How often the same request came, by its hash.'),
    calls: z.array(SavedCall).optional().describe('The journal, secrets hidden.'),
  }),
)
/** A whole sandbox as data. */
export type SandboxFile = z.output<typeof SandboxFile>

/**
 * Violations of calls whose operation this gateway does not have, and whose name is no plain identifier either.
 *
 * @param known Ids of operations.
 */
export function strangeOperations({ calls = [] }: SandboxFile, known: ReadonlySet<string>): Violation[] {
  return calls.flatMap(({ operation }, index) =>
    operation === null || known.has(operation) || /^[a-z_][\w.-]*$/i.test(operation)
      ? []
      : [
          {
            path: `body.calls[${index}].operation`,
            message: 'Must be an operation of this gateway, or a plain identifier',
            rule: 'pattern',
          },
        ],
  )
}

/**
 * Returns the file of a sandbox, also of a disposed one.
 *
 * @param withCalls If true, the file has the journal.
 */
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
      ...(withCalls && { calls: state.journal.entries().map((entry: JournalEntry) => hiddenEntry(entry)) }),
    }),
  )
}
