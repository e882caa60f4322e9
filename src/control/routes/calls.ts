/**
 * Single calls over HTTP: followed while they happen, listed in short, read, exported as code, asked again.
 */
import * as z from 'zod'
import { exportEntry } from '../../extras/recordings/index.ts'
import { GatewayError } from '../../http/errors.ts'
import { toEntry } from '../../journal/entry.ts'
import { hiddenEntry } from '../../journal/hidden-entry.ts'
import { operations } from '../../operations/index.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { toCurl, toTest } from '../entry-code.ts'
import { gatewayOperation, sandboxOperation } from '../operation.ts'
import { resend } from '../resend.ts'
import { Entry } from './journal.ts'
import { infoOf } from './sandboxes.ts'

const entry = z.string().min(1).describe('The x-request-id of its reply.')
const Milliseconds = z.number().nullable()

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
    delivery: z.enum(['pending', 'complete', 'cut', 'client-left']),
    tokens: z.int().describe('Tokens that its reply has used.'),
    startedAt: z.string().describe('Real time of day at its arrival, ISO 8601.'),
    durationMs: Milliseconds.describe('Real milliseconds until the last byte; null while under way.'),
    firstByteMs: Milliseconds.describe('Real milliseconds until the first byte of the body.'),
  })
  .meta({ id: 'CallSummary', description: 'A call in short.' })

const formats = ['curl', 'vitest', 'playwright', 'rule', 'fixture', 'tape'] as const

export const callOperations = [
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
    id: 'exportCall',
    route: 'GET /sandboxes/{sandbox}/calls/{entry}/export',
    doc: {
      summary:
        'Export a call: as a curl command, a test that makes it again, a scenario that answers like it, a fixture, or a tape',
      tag: 'Journal',
    },
    input: { params: { entry }, query: z.strictObject({ as: z.enum(formats) }) },
    output: z.object({ data: z.strictObject({ text: z.string() }) }),
    resolve: async (sandbox, { params, query, ...origins }) => ({
      data: { text: await exported(sandbox, params.entry, query.as, origins) },
    }),
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

async function exported(
  sandbox: Sandbox,
  id: string,
  as: (typeof formats)[number],
  origins: Parameters<typeof infoOf>[1],
): Promise<string> {
  const record = sandbox.journal.record(id)
  if (as === 'rule' || as === 'fixture' || as === 'tape')
    return orConflict(() => exportEntry(hiddenEntry(toEntry(record)), as, operations))
  if (record.requestBody.cut > 0)
    throw new GatewayError(409, `The body of '${id}' was too long for the journal to keep it whole`)
  if (as !== 'curl') return toTest(record, as)
  return orConflict(() => toCurl(record, { ...infoOf(sandbox, origins), origin: origins.origin }))
}

/** Throws 409 for a call that cannot have this form. */
async function orConflict(make: () => string | Promise<string>): Promise<string> {
  try {
    return await make()
  } catch (error) {
    throw new GatewayError(409, (error as Error).message)
  }
}
