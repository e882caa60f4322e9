/**
 * The journal over HTTP: all calls, one call, calls as they happen.
 */
import * as z from 'zod'
import { type AssumptionName, assumptions } from '../assumptions.ts'
import { deliver } from '../delivery/deliver.ts'
import { type Call, discard } from '../gateway/call.ts'
import type { Extra } from '../gateway/extra.ts'
import type { GatewayCore } from '../gateway/gateway.ts'
import { handle } from '../gateway/handle.ts'
import { GatewayError } from '../http/errors.ts'
import { hidden } from '../http/secrets.ts'
import type { CallRecord } from '../journal/call-record.ts'
import { assertEntryFields, hiddenEntry, type JournalEntry, toEntry } from '../journal/entry.ts'
import { matches } from '../journal/expectations.ts'
import { Duration } from '../lib/numbers.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { sandboxBaseUrl } from '../sandbox/sandbox-id.ts'
import { toCurl, toTest } from './entry-code.ts'
import { type ControlOperation, gatewayOperation, sandboxOperation } from './operation.ts'
import { infoOf } from './sandbox-operations.ts'

const KeptText = z.strictObject({
  text: z.string(),
  cut: z.int().describe('How many bytes of it were not kept.'),
})
/** JSON has no undefined. */
type Travelled = Omit<JournalEntry, 'body'> & { body?: unknown }

const Headers = z.record(z.string(), z.string())
const Milliseconds = z.number().nullable()

const Entry = z
  .strictObject({
    id: z.string().describe('The x-request-id of the reply.'),
    operation: z.string().nullable().describe('Null where no operation answered.'),
    method: z.string(),
    path: z.string(),
    params: Headers,
    query: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
    headers: Headers.describe('Names in lower case; the values of keys and cookies are hidden.'),
    body: z
      .unknown()
      .optional()
      .describe('As parsed; absent where it is none, not JSON, or too long to keep.'),
    rawBody: KeptText.describe('As sent, secrets hidden.'),
    status: z.int().describe('0 where the connection ended without an answer.'),
    reason: z
      .string()
      .nullable()
      .describe('Why it was refused: the message of the error in its reply; null where that is none.'),
    replyHeaders: Headers,
    replyBody: KeptText,
    timeline: z
      .array(z.strictObject({ ms: z.number(), offset: z.int() }))
      .describe(
        'When the parts of the reply’s body left, in real milliseconds from the arrival of the request, and how many bytes stood before each; empty for a reply of one part.',
      ),
    rule: z
      .strictObject({ scenario: z.string(), rule: z.int(), faults: z.array(z.string()) })
      .nullable()
      .describe('The rule that made or changed the reply.'),
    turn: z
      .strictObject({
        conversation: z.int().describe('0 where no script takes the request.'),
        turn: z.int(),
        of: z.int().describe('How many turns the script has.'),
        problem: z.string().nullable().describe('How the request differs from what the turn expects.'),
      })
      .nullable()
      .describe('Which turn of which scripted conversation the call was.'),
    nearMisses: z.array(z.strictObject({ scenario: z.string(), rule: z.int(), reason: z.string() })),
    usage: z
      .strictObject({
        model: z.string(),
        inputTokens: z.int(),
        cachedTokens: z.int(),
        outputTokens: z.int(),
        reasoningTokens: z.int(),
        cost: z.number().nullable().describe('Dollars; null where the model has no price.'),
      })
      .nullable()
      .describe('What the reply has used.'),
    traceId: z.string().nullable().describe('The trace of its traceparent.'),
    assumptions: z.array(z.enum(Object.keys(assumptions) as [AssumptionName, ...AssumptionName[]])),
    warnings: z.array(z.string()),
    schemaViolation: z.boolean(),
    delivery: z.enum(['pending', 'complete', 'aborted-by-fault', 'aborted-by-client']),
    timestamp: z.string().describe('Sandbox time, ISO 8601.'),
    durationMs: Milliseconds.describe('Real milliseconds until the last byte.'),
    firstByteMs: Milliseconds.describe('Real milliseconds until the first byte of the body.'),
  })
  .meta({
    id: 'JournalEntry',
    description: 'A call, and how it was answered.',
  }) satisfies z.ZodType<Travelled>
const Entries = z.object({ data: z.array(Entry) })

const operation = z.string().min(1)

const shown = (entries: readonly JournalEntry[]) => entries.map(hiddenEntry)

const entry = z.string().min(1).describe('The x-request-id of its reply.')

const Summary = z
  .strictObject({
    id: z.string().describe('The x-request-id of the reply.'),
    sandbox: z.string().describe('The id of its sandbox.'),
    operation: z.string().nullable().describe('Null where no operation answered.'),
    method: z.string(),
    path: z.string(),
    status: z.int().describe('0 where the connection ended without an answer.'),
    model: z.string().nullable().describe('What its body names; null where it names none.'),
    stream: z.boolean().describe('Whether it asked for an event stream.'),
    rule: z
      .strictObject({ scenario: z.string(), rule: z.int(), faults: z.array(z.string()) })
      .nullable()
      .describe('The rule that made or changed the reply.'),
    unmatched: z.boolean().describe('Whether neither an operation nor a rule answered.'),
    missed: z.int().describe('How many rules were meant for it and did not happen.'),
    warnings: z.int(),
    delivery: z.enum(['pending', 'complete', 'aborted-by-fault', 'aborted-by-client']),
    tokens: z.int().describe('Tokens that its reply has used.'),
    startedAt: z.string().describe('Real time of day at its arrival, ISO 8601.'),
    durationMs: Milliseconds.describe('Real milliseconds until the last byte; null while under way.'),
    firstByteMs: Milliseconds.describe('Real milliseconds until the first byte of the body.'),
  })
  .meta({ id: 'CallSummary', description: 'A call in short.' })

export const journalOperations = [
  sandboxOperation({
    id: 'listJournal',
    route: 'GET /sandboxes/{sandbox}/journal',
    remote: 'journal.entries',
    doc: { summary: 'List every call, oldest first', tag: 'Journal' },
    output: Entries.extend({
      meta: z.object({
        evictedCount: z.int().describe('How many entries went to make room for newer ones.'),
      }),
    }),
    resolve: ({ journal }) => ({
      data: shown(journal.entries()),
      meta: { evictedCount: journal.evictedCount },
    }),
  }),
  sandboxOperation({
    id: 'listTrace',
    route: 'GET /sandboxes/{sandbox}/journal/traces/{trace}',
    doc: { summary: 'List the calls of a trace, oldest first', tag: 'Journal' },
    input: { params: { trace: z.string().min(1).describe('Its id, or a whole traceparent.') } },
    output: Entries,
    resolve: ({ journal }, { params }) => ({ data: shown(journal.trace(params.trace)) }),
  }),
  sandboxOperation({
    id: 'queryJournal',
    route: 'POST /sandboxes/{sandbox}/journal/query',
    doc: { summary: 'List the calls of an operation that have some fields, oldest first', tag: 'Journal' },
    input: {
      body: z.strictObject({
        operation: operation.optional().describe('Default: every operation, and none.'),
        match: z.looseObject({}).optional().describe('Fields that an entry must have, deep inside objects.'),
        last: z.int().min(1).optional().describe('Only so many of the newest.'),
      }),
    },
    output: Entries,
    resolve({ journal }, { body: { operation, match = {}, last } }) {
      assertEntryFields(match)
      const calls = operation === undefined ? journal.entries() : journal.calls(operation)
      const found = calls.filter((entry) => matches(entry, match))
      return { data: shown(last === undefined ? found : found.slice(-last)) }
    },
  }),
  sandboxOperation({
    id: 'waitForCalls',
    route: 'POST /sandboxes/{sandbox}/journal/wait',
    doc: {
      summary: 'Wait until an operation was called so many times; 408 when that takes too long',
      tag: 'Journal',
    },
    input: {
      body: z.strictObject({
        operation,
        count: z.int().min(1).optional().describe('Default: 1.'),
        timeoutMs: Duration.refine((ms) => ms <= 600_000, 'at most 10 minutes')
          .optional()
          .describe("Real milliseconds, or a duration such as '5s'. Default: 1,000."),
      }),
    },
    output: Entries,
    resolve: async ({ journal }, { body: { operation, ...options }, call }) => ({
      data: shown(await journal.waitFor(operation, { ...options, signal: call.sink.left })),
    }),
  }),
  sandboxOperation({
    id: 'listUnmatched',
    route: 'GET /sandboxes/{sandbox}/journal/unmatched',
    remote: 'journal.unmatched',
    doc: { summary: 'List the calls that neither an operation nor a rule answered', tag: 'Journal' },
    output: Entries,
    resolve: ({ journal }) => ({ data: shown(journal.unmatched()) }),
  }),
  sandboxOperation({
    id: 'listNearMisses',
    route: 'GET /sandboxes/{sandbox}/journal/near-misses',
    remote: 'journal.nearMisses',
    doc: { summary: 'List the calls that rules were meant for and no rule met', tag: 'Journal' },
    output: Entries,
    resolve: ({ journal }) => ({ data: shown(journal.nearMisses()) }),
  }),
  sandboxOperation({
    id: 'explainCall',
    route: 'GET /sandboxes/{sandbox}/journal/entries/{entry}/explanation',
    doc: { summary: 'Say in words what a call met and what it missed', tag: 'Journal' },
    input: { params: { entry } },
    output: z.object({ data: z.string() }),
    resolve: ({ journal }, { params }) => ({ data: journal.explain(params.entry) }),
  }),
  sandboxOperation({
    id: 'exportJournal',
    route: 'GET /sandboxes/{sandbox}/journal.har',
    doc: { summary: 'Export the journal as HAR 1.2', tag: 'Journal' },
    output: z.looseObject({ log: z.looseObject({ version: z.literal('1.2') }) }),
    resolve: ({ journal }) => journal.har(),
  }),
  sandboxOperation({
    id: 'clearJournal',
    route: 'DELETE /sandboxes/{sandbox}/journal',
    remote: 'journal.clear',
    doc: { summary: 'Forget every call', tag: 'Journal' },
    resolve: ({ journal }) => journal.clear(),
  }),
  gatewayOperation({
    id: 'followEvents',
    route: 'GET /events',
    doc: {
      summary:
        'Follow the calls of all sandboxes as an event stream: `calls` with their summaries, at most ten times a second; `resync` where some were missed',
      tag: 'Journal',
      type: 'text/event-stream',
    },
    input: {
      query: z.strictObject({
        after: z
          .string()
          .optional()
          .describe(
            'The id of the last event seen, as the header Last-Event-ID has it: what came since is sent.',
          ),
      }),
    },
    output: z.string(),
    resolve: ({ events, call: { headers, sink }, query: { after = headers['last-event-id'] } }) =>
      events.follow(after, sink.left),
  }),
  sandboxOperation({
    id: 'listCalls',
    route: 'GET /sandboxes/{sandbox}/calls',
    doc: { summary: 'List the newest calls in short, oldest first', tag: 'Journal' },
    input: {
      query: z.strictObject({
        last: z.coerce.number().int().min(1).max(10_000).optional().describe('How many. Default: all.'),
      }),
    },
    output: z.object({ data: z.array(Summary) }),
    resolve: ({ journal }, { query: { last } }) => ({ data: journal.summaries(last) }),
  }),
  sandboxOperation({
    id: 'getCall',
    route: 'GET /sandboxes/{sandbox}/calls/{entry}',
    doc: { summary: 'Read a call as the journal keeps it', tag: 'Journal' },
    input: { params: { entry } },
    output: z.object({ data: Entry }),
    resolve: ({ journal }, { params }) => ({ data: hiddenEntry(journal.entry(params.entry)) }),
  }),
  sandboxOperation({
    id: 'resendCall',
    route: 'POST /sandboxes/{sandbox}/calls/{entry}/resend',
    doc: {
      summary: 'Ask again what a call asked, in this sandbox, and read what its reply began with',
      tag: 'Journal',
      status: 201,
    },
    input: { params: { entry } },
    output: z.object({ data: Entry }),
    async resolve(sandbox, { gateway, params }) {
      const { id } = await resend(gateway, sandbox, sandbox.journal.record(params.entry))
      return { data: hiddenEntry(sandbox.journal.entry(id)) }
    },
  }),
]

/** Declares the export of a call, in the forms of the core and of the extras. */
export function exportCall(extras: readonly Extra[]): ControlOperation {
  const ofExtras: NonNullable<Extra['exports']> = Object.assign({}, ...extras.map((extra) => extra.exports))
  const form = z.enum(['curl', 'vitest', 'playwright', ...Object.keys(ofExtras)])
  return sandboxOperation({
    id: 'exportCall',
    route: 'GET /sandboxes/{sandbox}/calls/{entry}/export',
    doc: {
      summary:
        'Export a call: as a curl command, a test that makes it again, a scenario that answers like it, a fixture, or a recording',
      tag: 'Journal',
    },
    input: { params: { entry }, query: z.strictObject({ as: form }) },
    output: z.object({ data: z.strictObject({ text: z.string() }) }),
    async resolve(sandbox, { params, query: { as }, ...origins }) {
      const record = sandbox.journal.record(params.entry)
      const make = ofExtras[as]
      if (!make && record.requestBody.cut > 0)
        throw new GatewayError(
          409,
          `The body of '${record.id}' was too long for the journal to keep it whole`,
        )
      if (as === 'vitest' || as === 'playwright') return { data: { text: toTest(record, as) } }
      try {
        const text = make
          ? await make(hiddenEntry(toEntry(record)))
          : toCurl(record, { ...infoOf(sandbox, origins), origin: origins.origin })
        return { data: { text } }
      } catch (error) {
        throw new GatewayError(409, (error as Error).message)
      }
    },
  })
}

/**
 * Asks again what a call asked, in the sandbox of its journal, and returns when the reply begins. Throws 409 for a body
 * that was too long to keep.
 */
export async function resend(
  gateway: GatewayCore,
  sandbox: Sandbox,
  record: CallRecord,
): Promise<CallRecord> {
  const { method, path, route, search, headers, requestBody } = record
  if (requestBody.cut > 0)
    throw new GatewayError(409, `The body of '${record.id}' was too long for the journal to keep it whole`)
  const { text } = requestBody
  const { authorization } = headers
  const isUnknown =
    authorization === undefined ? headers['x-api-key'] === undefined : authorization.includes(hidden)
  const call: Call = {
    method,
    path: route === undefined ? path : `${sandboxBaseUrl('/api/v1', sandbox.id)}${route}`,
    search,
    headers: isUnknown ? { ...headers, authorization: `Bearer ${keyOf(gateway, sandbox)}` } : headers,
    readBody: async () => new TextEncoder().encode(text),
    sink: discard,
  }
  const again = await handle(gateway, call)
  // Delivered like the first, but not awaited.
  void deliver(again.reply, discard, again)
  return again
}

function keyOf({ options }: GatewayCore, { apiKey }: Sandbox): string {
  return options.apiKeys?.[0] ?? apiKey
}
