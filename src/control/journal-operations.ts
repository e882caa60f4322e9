/** Control operations for the journal. */
import * as z from 'zod'
import { hiddenEntry, JournalEntry, readMatch } from '../journal/entry.ts'
import { withFields } from '../journal/expectations.ts'
import type { Har } from '../journal/har.ts'
import { Duration } from '../lib/numbers.ts'
import { objectOf, sandboxOperation } from './operation.ts'

export const Wait = z.strictObject({
  count: z.int().min(1).optional().describe('Default: 1.'),
  timeout: Duration.refine((ms) => ms <= 600_000, 'at most 10 minutes')
    .optional()
    .describe("Real time in milliseconds, or a duration such as '5s'. Default: 1,000."),
})

// JSON omits an undefined body.
const Entry = JournalEntry as z.ZodType<unknown> as z.ZodType<JournalEntry>
const Entries = z.object({ data: z.array(Entry) })

const operation = z.string().min(1)

const shown = (entries: readonly JournalEntry[]) => entries.map((entry) => hiddenEntry(entry))

function listOperation<const Id extends string>(
  id: Id,
  path: string,
  method: 'unmatched' | 'unanswered' | 'nearMisses',
  summary: string,
) {
  return sandboxOperation(id, `GET /sandboxes/{sandbox}/journal/${path}`, {
    remote: `journal.${method}`,
    doc: { summary },
    output: Entries,
    resolve: ({ journal }) => ({ data: shown(journal[method]()) }),
  })
}

const entry = z.string().min(1).describe("The reply's x-request-id.")

export const journalOperations = [
  sandboxOperation('listJournal', 'GET /sandboxes/{sandbox}/journal', {
    remote: 'journal.entries',
    doc: { summary: 'List all calls, oldest first' },
    output: Entries.extend({
      meta: z.object({
        evictedCount: z.int().describe('Number of entries evicted to make room for newer ones.'),
      }),
    }),
    resolve: ({ journal }) => ({
      data: shown(journal.entries()),
      meta: { evictedCount: journal.evictedCount },
    }),
  }),
  sandboxOperation('queryJournal', 'POST /sandboxes/{sandbox}/journal/query', {
    doc: { summary: 'List calls that match an operation and fields, oldest first' },
    input: {
      body: z.strictObject({
        operation: operation.optional().describe('Default: all calls.'),
        match: z.looseObject({}).optional().describe('Fields that entries must have, compared deeply.'),
        last: z.int().min(1).optional().describe('Maximum number of entries. The newest are returned.'),
      }),
    },
    output: Entries,
    resolve({ journal }, { body: { operation, match: fields = {}, last } }) {
      const match = readMatch(fields)
      const calls = operation === undefined ? journal.entries() : journal.calls(operation)
      const matching = withFields(calls, match)
      return { data: shown(last === undefined ? matching : matching.slice(-last)) }
    },
  }),
  sandboxOperation('waitForCalls', 'POST /sandboxes/{sandbox}/journal/wait', {
    doc: { summary: 'Wait until an operation has been called `count` times; respond with a 408 on timeout' },
    input: { body: Wait.extend({ operation }) },
    output: Entries,
    resolve: async ({ journal }, { body: { operation, ...options }, call }) => ({
      data: shown(await journal.waitFor(operation, { ...options, signal: call.sink.disconnected })),
    }),
  }),
  listOperation('listUnmatched', 'unmatched', 'unmatched', 'List unmatched calls'),
  listOperation('listUnanswered', 'unanswered', 'unanswered', 'List calls in progress'),
  listOperation('listNearMisses', 'near-misses', 'nearMisses', 'List calls that nearly matched a rule'),
  sandboxOperation('explainCall', 'GET /sandboxes/{sandbox}/journal/entries/{entry}/explanation', {
    remote: 'journal.explain',
    doc: { summary: 'Explain which rules matched a call, which did not, and why' },
    input: { params: { entry } },
    output: z.object({ data: z.string() }),
    resolve: ({ journal }, { params }) => ({ data: journal.explain(params.entry) }),
  }),
  sandboxOperation('exportJournal', 'GET /sandboxes/{sandbox}/journal.har', {
    doc: { summary: 'Export the journal as HAR 1.2' },
    output: objectOf<Har>(),
    resolve: ({ journal }) => journal.har(),
  }),
  sandboxOperation('clearJournal', 'DELETE /sandboxes/{sandbox}/journal', {
    remote: 'journal.clear',
    doc: { summary: 'Clear the journal' },
    resolve: ({ journal }) => journal.clear(),
  }),
  sandboxOperation('getCall', 'GET /sandboxes/{sandbox}/calls/{entry}', {
    remote: 'journal.entry',
    doc: { summary: 'Read a call' },
    input: { params: { entry } },
    output: z.object({ data: Entry }),
    resolve: ({ journal }, { params }) => ({ data: hiddenEntry(journal.entry(params.entry)) }),
  }),
]
