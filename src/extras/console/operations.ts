/**
 * Control operations used only by the console: call rows, explanations as data, a search in bodies, opened files,
 * and checks of drafts.
 */
import { setImmediate } from 'node:timers/promises'
import * as z from 'zod'
import {
  type ControlContext,
  type ControlOperation,
  gatewayOperation,
  sandboxOperation,
} from '../../control/operation.ts'
import { infoOf } from '../../control/sandbox-operations.ts'
import type { ExtraHost } from '../../gateway/extra.ts'
import type { CallRecord } from '../../journal/call-record.ts'
import { monotonic } from '../../lib/clock.ts'
import { draftOperations } from './drafts.ts'
import { toRow } from './rows.ts'
import { whyOf } from './why.ts'

/** A sandbox that was opened from a file. */
export interface OpenedFile {
  /** Sandbox id. */
  sandbox: string
  /** File name. */
  name: string
  /** Id that the sandbox had when it was saved. */
  saved: string
  /** The test that failed, if the file names one. */
  test: string | null
}

/** Tag of operations that are neither part of the public API nor in the remote client. */
const tag = 'Internal'
/** Time after which conversion pauses for other requests, in milliseconds. */
const sliceMs = 10

/** Maximum number of rows in one reply. */
const maxRows = 10_000

const Row = z.looseObject({ id: z.string(), sandbox: z.string() })

export function consoleOperations({ sandboxes }: ExtraHost): ControlOperation[] {
  const files = new Map<string, OpenedFile>()
  return [
    gatewayOperation({
      id: 'listRows',
      route: 'POST /console/rows',
      doc: {
        summary: 'List rows for the newest calls in all sandboxes, oldest first, or for specific calls',
        tag,
      },
      input: {
        body: z.strictObject({
          last: z.int().min(1).max(maxRows).default(maxRows).describe('Maximum number of calls.'),
          calls: z
            .array(z.tuple([z.string(), z.string()]))
            .max(maxRows)
            .optional()
            .describe('Sandbox and id of each call. Unknown calls are omitted.'),
        }),
      },
      output: z.object({ data: z.array(Row) }),
      async resolve({ gateway, body: { calls, last } }) {
        const records = calls ? calls.flatMap(findIn) : [...sandboxes.store.records()].slice(-last)
        return { data: await inSlices(records, (record) => toRow(record, gateway.operations)) }
      },
    }),
    gatewayOperation({
      id: 'searchBodies',
      route: 'POST /console/body-searches',
      doc: { summary: 'Find calls whose request or reply body contains the text', tag },
      input: { body: z.strictObject({ text: z.string().min(1).max(1000) }) },
      output: z.object({ data: z.array(z.tuple([z.string(), z.string()])) }),
      async resolve({ body: { text } }) {
        const wanted = text.toLowerCase()
        const found = await inSlices([...sandboxes.store.records()], (record) =>
          [record.requestText, record.responseBody.text].some((each) => each.toLowerCase().includes(wanted))
            ? [record.state.id, record.id]
            : undefined,
        )
        return { data: found.filter((each) => each !== undefined) }
      },
    }),
    sandboxOperation({
      id: 'explainRules',
      route: 'GET /console/sandboxes/{sandbox}/calls/{entry}/why',
      doc: { summary: "Explain a call's reply as structured data", tag },
      input: { params: { entry: z.string() } },
      output: z.object({ data: z.looseObject({}) }),
      resolve: async (sandbox, { params }) => ({
        data: await whyOf(sandbox.journal.record(params.entry), sandbox),
      }),
    }),
    gatewayOperation({
      id: 'openFile',
      route: 'POST /console/files',
      doc: { summary: 'Create a sandbox from a saved file, and add it to the list of opened files', tag },
      input: {
        body: z.strictObject({ name: z.string().max(1000), file: z.looseObject({ format: z.string() }) }),
      },
      output: z.object({ data: z.looseObject({ id: z.string() }) }),
      async resolve({ gateway, body: { name, file }, ...origins }) {
        const sandbox = await gateway.sandboxes.open(file)
        const { sandbox: saved, test } = file as { sandbox?: unknown; test?: unknown }
        const opened = {
          sandbox: sandbox.id,
          name,
          saved: String(saved),
          test: typeof test === 'string' ? test : null,
        }
        files.set(sandbox.id, opened)
        return { data: infoOf(sandbox, origins as ControlContext) }
      },
    }),
    gatewayOperation({
      id: 'listFiles',
      route: 'GET /console/files',
      doc: { summary: 'List the sandboxes that were opened from a file', tag },
      output: z.object({ data: z.array(z.looseObject({ sandbox: z.string() })) }),
      resolve() {
        for (const id of files.keys()) if (!sandboxes.get(id)) files.delete(id)
        return { data: [...files.values()] }
      },
    }),
    ...draftOperations,
  ]

  function findIn([id, call]: readonly [string, string]): CallRecord[] {
    const record = sandboxes.get(id)?.journal.find((each) => each.id === call)
    return record ? [record] : []
  }
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
