/** Control operations used only by the console: changed calls, search in bodies, explanations and scenario drafts. */
import { setImmediate } from 'node:timers/promises'
import * as z from 'zod'
import { type ControlOperation, gatewayOperation, sandboxOperation } from '../../control/operation.ts'
import type { ExtraHost } from '../../gateway/extra.ts'
import type { CallRecord } from '../../journal/call-record.ts'
import { monotonic } from '../../lib/clock.ts'
import { bundledScenarios } from '../../scenarios/bundled.ts'
import { compileSearch } from './body-search.ts'
import { changedRows } from './changed-rows.ts'
import { Changes } from './changes.ts'
import { completionsAt } from './completions.ts'
import { checkDraft } from './drafts.ts'
import { FailedTestFile, readFailedTest } from './failed-test.ts'
import { type CallRow, toRow } from './rows.ts'
import { whyOf } from './why.ts'

export interface ChangedCalls {
  /** Position to pass when asking for the next changes. */
  position: string
  /** If true, `rows` contains all calls, because the page has missed changes. */
  isComplete: boolean
  rows: CallRow[]
  /** Oldest call in the journal: earlier ones were evicted. Null if there are no calls. */
  oldest: CallRow | null
}

/** Tag of operations that are neither part of the public API nor in the remote client. */
const tag = 'Internal'
/** Time after which conversion pauses for other requests, in milliseconds. */
const sliceMs = 10

/** Maximum number of rows in one reply. */
const maxRows = 5000

export function consoleOperations({ sandboxes }: ExtraHost): ControlOperation[] {
  const changes = new Changes(sandboxes.listeners)
  return [
    gatewayOperation('listChangedCalls', 'GET /console/changes', {
      doc: { summary: 'Wait for changed calls, and list them', tag },
      input: {
        query: z.object({ after: z.string().optional().describe('Position from the previous reply.') }),
      },
      output: z.object({ data: z.looseObject({ position: z.string() }) }),
      async resolve({ gateway, query: { after } }) {
        const { position, records } = await changes.after(after)
        const stored = [...sandboxes.store.calls]
        const shown = records ?? stored.slice(-maxRows)
        const convert = (record: CallRecord) => toRow(record, gateway.operations)
        const oldest = stored.slice(0, 1).map(convert)[0] ?? null
        const rows = await inSlices(shown, convert)
        return { data: { position, isComplete: !records, rows, oldest } satisfies ChangedCalls }
      },
    }),
    gatewayOperation('searchBodies', 'POST /console/body-searches', {
      doc: { summary: 'Find calls by a word, or by text in a body or body field', tag },
      input: {
        body: z.strictObject({ text: z.string().min(1).max(1000), field: z.string().max(200).optional() }),
      },
      output: z.object({ data: z.array(z.tuple([z.string(), z.string()])) }),
      async resolve({ body }) {
        const isFound = compileSearch(body)
        const found = await inSlices([...sandboxes.store.calls], (record) => {
          const { state, id, requestText, responseBody, error, warnings } = record
          const searched = { bodies: [requestText, responseBody.text], notes: [error ?? '', ...warnings] }
          return isFound(searched) ? [state.id, id] : undefined
        })
        return { data: found.filter((each) => each !== undefined) }
      },
    }),
    sandboxOperation('explainRules', 'GET /console/sandboxes/{sandbox}/calls/{entry}/why', {
      doc: { summary: "Explain a call's reply as structured data", tag },
      input: { params: { entry: z.string() } },
      output: z.object({ data: z.looseObject({}) }),
      resolve: async (sandbox, { params }) => ({
        data: await whyOf(sandbox.journal.record(params.entry), sandbox),
      }),
    }),
    sandboxOperation('listChangedRows', 'GET /console/sandboxes/{sandbox}/collections/{collection}', {
      doc: { summary: "List a collection's records with their keys and differences from the seed", tag },
      input: { params: { collection: z.string() } },
      output: z.object({ data: z.looseObject({}) }),
      resolve: async ({ state }, { params }) => ({
        data: await changedRows(state.database, params.collection),
      }),
    }),
    sandboxOperation('listCollections', 'GET /console/sandboxes/{sandbox}/collections', {
      doc: { summary: 'List collections and their record counts', tag },
      output: z.object({ data: z.array(z.strictObject({ name: z.string(), count: z.int() })) }),
      resolve: async ({ state }) => ({
        data: await Promise.all(
          // The rows themselves, because `db` would copy each of them.
          Object.entries(state.tables).map(async ([name, table]) => ({
            name,
            count: (await table.rows()).length,
          })),
        ),
      }),
    }),
    gatewayOperation('listBundledScenarios', 'GET /console/scenarios', {
      doc: { summary: 'List bundled scenarios', tag },
      output: z.object({ data: z.array(z.looseObject({ name: z.string() })) }),
      resolve: () => ({ data: [...bundledScenarios.values()] }),
    }),
    gatewayOperation('readFailedTest', 'POST /console/failed-tests', {
      doc: { summary: "Check a failed test's file, and convert its calls for the page", tag },
      input: { body: z.strictObject({ file: FailedTestFile }) },
      output: z.object({ data: z.looseObject({}) }),
      resolve: ({ gateway, body: { file } }) => ({ data: readFailedTest(file, gateway) }),
    }),
    sandboxOperation('checkDraft', 'POST /console/sandboxes/{sandbox}/drafts', {
      doc: { summary: "Check a scenario's text, and try it on past calls", tag },
      input: { body: z.strictObject({ text: z.string(), position: z.int().min(0).default(0) }) },
      output: z.object({ data: z.looseObject({ problems: z.array(z.looseObject({})) }) }),
      resolve: (sandbox, { gateway, body: { text, position } }) => ({
        data: {
          ...checkDraft(text, gateway, sandbox),
          completions: completionsAt(text, position, gateway.operations),
        },
      }),
    }),
  ]
}

/** Converts records in slices, between which other requests are handled. */
export async function inSlices<Result>(
  records: readonly CallRecord[],
  convert: (record: CallRecord) => Result,
): Promise<Result[]> {
  const results: Result[] = []
  let began = monotonic()
  for (const record of records) {
    results.push(convert(record))
    if (monotonic() - began < sliceMs) continue
    await setImmediate()
    began = monotonic()
  }
  return results
}
