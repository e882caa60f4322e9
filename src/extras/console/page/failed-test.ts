/** Opens a failed test's file, which replaces the server's calls and scenarios on the page. */
import { signal } from '@preact/signals'
import type { JournalEntry } from '../../../journal/entry.ts'
import { parseJson } from '../../../lib/json.ts'
import { type BodySearch, compileSearch } from '../body-search.ts'
import type { FailedTest } from '../failed-test.ts'
import type { Why } from '../why.ts'
import { ask, askConsole, messageOf } from './api.ts'

/** The open file; undefined while the page shows the server's calls. */
export const failedTest = signal<FailedTest | undefined>(undefined)

/** Maximum size of a file in bytes, equal to the server's default limit. */
const maxBytes = 10 * 1024 * 1024

/** Throws a one-line error for anything but a failed test's file. */
export async function readFailedTest(file: File): Promise<FailedTest> {
  try {
    if (file.size > maxBytes) throw new Error('It is larger than 10 MiB')
    const value = parseJson(await file.text())
    if (value === undefined) throw new Error('It is not JSON, or is nested too deeply')
    return await askConsole<FailedTest>('POST /failed-tests', { file: value })
  } catch (error) {
    throw new Error(`Cannot open '${file.name}': ${messageOf(error).slice(0, 300)}`)
  }
}

function callOf(id: string): FailedTest['calls'][number] | undefined {
  return failedTest.value?.calls.find(({ entry }) => entry.id === id)
}

/** Loads a call from the open file or, if it is not there, from the server. */
export async function loadCall(sandbox: string, id: string): Promise<JournalEntry> {
  return callOf(id)?.entry ?? ask('getCall', { sandbox, entry: id })
}

export async function loadWhy(sandbox: string, id: string): Promise<Why> {
  const path = `/sandboxes/${encodeURIComponent(sandbox)}/calls/${encodeURIComponent(id)}/why` as const
  return callOf(id)?.why ?? askConsole<Why>(`GET ${path}`)
}

/** Returns the sandbox and id of each call that matches the search in the open file. */
export function searchFile({ calls }: FailedTest, search: BodySearch): [sandbox: string, id: string][] {
  const isFound = compileSearch(search)
  return calls.flatMap(({ row, entry: { requestText, responseBody, error, warnings } }) => {
    const searched = { bodies: [requestText.text, responseBody.text], notes: [error ?? '', ...warnings] }
    return isFound(searched) ? [[row.sandbox, row.id]] : []
  })
}
