/**
 * Converts a sandbox to a file's content: rows that differ from the seed, scenarios with their progress, clock,
 * counters and calls. Another gateway can open the file and continue. Usage, the prompt cache and stored responses are
 * not saved.
 */
import * as z from 'zod'
import { type AssumptionName, assumptions } from '../assumptions.ts'
import { Fixtures } from '../database/seed-data.ts'
import type { Violation } from '../http/errors.ts'
import { httpToken } from '../http/header-record.ts'
import type { Reply } from '../http/reply.ts'
import { maxParts } from '../journal/body.ts'
import { CallRecord } from '../journal/call-record.ts'
import { AppliedRule, hiddenEntry, type JournalEntry } from '../journal/entry.ts'
import { Ledger } from '../journal/ledger.ts'
import { Clock, maxAdvancedMs } from '../lib/clock.ts'
import { amount, count } from '../lib/numbers.ts'
import { RulesFile, toRulesFile } from '../scenarios/rules-file.ts'
import { Occurrences } from './memory.ts'
import type { GatewayOptions } from './options.ts'
import type { SandboxState } from './sandbox-state.ts'

/** Maximum string lengths, in UTF-16 code units. Live calls never exceed them. */
const maxName = 1000
const maxText = 64 * 1024 * 1024

const Name = z.lazy(() => z.string().max(maxName))
const Text = z.lazy(() => z.string().max(maxText))
const Row = z.lazy(() => z.looseObject({}))
const Kept = z.lazy(() => z.looseObject({ text: Text, truncatedBytes: count() }))

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

const Count = z.lazy(() => count())
const Milliseconds = z.lazy(() => amount().nullable())
const Usage = z.lazy(() =>
  z.looseObject({
    model: Name,
    inputTokens: Count,
    cachedTokens: Count,
    outputTokens: Count,
    reasoningTokens: Count,
    cost: amount().nullable(),
  }),
)

/** A saved journal entry. Fields that older or hand-edited files may lack are optional. */
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
      .regex(/^[^\p{Cc} ]+$/u, 'Must not contain spaces or control characters'),
    operation: Name.nullable(),
    params: z.record(Text, Text),
    query: z.record(Text, z.union([Text, z.array(Text)])),
    headers: Headers,
    requestText: Kept,
    status: z.int().min(0).max(999),
    responseHeaders: Headers,
    responseBody: Kept,
    delivery: z.enum(['pending', 'complete', 'aborted-by-fault', 'aborted-by-client']),
    warnings: z.array(Text),
    assumptions: z.array(Name).default([]),
    error: Text.nullish(),
    timestamp: z.iso.datetime().optional(),
    rules: z.array(AppliedRule).default([]),
    turn: z
      .looseObject({ conversation: Count, number: Count, total: Count, mismatch: Text.nullable() })
      .nullable()
      .default(null),
    usage: Usage.nullable().default(null),
    nearMisses: z.array(z.looseObject({ scenario: Name, rule: Count, reason: Text })).default([]),
    schemaViolation: z.boolean().default(false),
    timeline: z
      .array(z.looseObject({ ms: amount(), offset: Count }))
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
    sandbox: Name.describe('Id of the saved sandbox.'),
    test: Text.optional().describe('The test that failed.'),
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
      .describe('Differences from the seed, by collection.'),
    rules: RulesFile,
    clock: z.strictObject({
      steps: Count,
      advanced: z.number().min(0).max(maxAdvancedMs),
      elapsed: z.number().min(0).max(Number.MAX_SAFE_INTEGER),
    }),
    occurrences: z.record(Name, Count).describe('Number of identical requests, by content hash.'),
    calls: z.array(SavedCall).optional().describe('The journal, with secrets hidden.'),
  }),
)
/** A saved sandbox as plain data. */
export type SandboxFile = z.output<typeof SandboxFile>

/**
 * Returns a violation for each call whose operation this gateway does not have, unless the operation's id is a plain
 * identifier, which is safe to use in exported code.
 */
export function unknownOperations(
  { calls = [] }: SandboxFile,
  operationIds: ReadonlySet<string>,
): Violation[] {
  return calls.flatMap(({ operation }, index) =>
    operation === null || operationIds.has(operation) || /^[a-z_][\w.-]*$/i.test(operation)
      ? []
      : [
          {
            path: `body.calls[${index}].operation`,
            message: 'Must be an operation of this gateway or a plain identifier',
            rule: 'pattern',
          },
        ],
  )
}

/** The parts of a sandbox that are saved and restored. */
interface Saved {
  readonly id: string
  readonly options: GatewayOptions
  readonly state: SandboxState
}

/**
 * Converts a sandbox, even a disposed one, to a sandbox file.
 *
 * @param withCalls If true, includes the journal.
 */
export function toSandboxFile(sandbox: Saved, withCalls: boolean): SandboxFile {
  const { id, options, state } = sandbox
  const differences = state.database
    .differences()
    .map(({ collection, difference }) => [collection, difference])
  const { clock, rules, occurrences } = state.snapshot()
  // Converts shared rows and counters to plain data.
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

/** Adds a sandbox file's calls to the journal. The entries equal the saved ones, but pending ones become complete. */
export function restoreCalls(sandbox: Saved, calls: readonly SavedCall[]): void {
  // Restored calls neither notify listeners nor change the state.
  const owner = {
    id: sandbox.id,
    seed: sandbox.options.seed,
    clock: new Clock(),
    occurrences: new Occurrences(),
    journal: sandbox.state.journal,
    isCurrent: true,
    ledger: new Ledger(),
    listeners: [],
    hold: () => () => {},
    enter() {},
    leave() {},
  }
  for (const call of calls) {
    const { method, path, operation, params, query, headers, requestText, delivery } = call
    const pairs = Object.entries(query).flatMap(([name, values]) =>
      [values].flat().map((value) => [name, value]),
    )
    const search = pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : ''
    const at = path.indexOf('/api/v1/')
    const route = at < 0 ? undefined : path.slice(at + '/api/v1'.length)
    const record = new CallRecord(owner, { method, path, search, headers }, route)
    if (operation !== null) record.routed({ id: operation }, params)
    record.received(requestText.text)
    for (const name of call.assumptions) if (isAssumption(name)) record.assume(name)
    const reply: Reply = { status: call.status, headers: call.responseHeaders, body: { kind: 'none' } }
    record.replied(reply, call.error ?? undefined)
    if (call.responseBody.text !== '') record.sent(call.responseBody.text)
    record.settled(delivery === 'pending' ? 'complete' : delivery)
    record.restored(call)
  }
}

/** Returns false for an assumption from another version of Understudy. */
function isAssumption(name: string): name is AssumptionName {
  return Object.hasOwn(assumptions, name)
}
