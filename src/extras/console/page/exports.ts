/**
 * Exports several calls as files: HAR or JSON.
 */
import type { CallRow } from '../rows.ts'
import { open } from './api.ts'

interface Har {
  log: { entries: { _id: string; startedDateTime: string }[] }
}

/** Downloads the calls as HAR 1.2, which browser developer tools can open. */
export async function exportHar(calls: readonly CallRow[]): Promise<string> {
  const logs = await Promise.all(
    [...bySandbox(calls)].map(async ([sandbox, members]) => {
      const ids = new Set(members.map(({ id }) => id))
      const har: Har = await (await open('exportJournal', { sandbox })).json()
      return { ...har.log, entries: har.log.entries.filter(({ _id }) => ids.has(_id)) }
    }),
  )
  const entries = logs.flatMap((log) => log.entries)
  entries.sort((left, right) => (left.startedDateTime < right.startedDateTime ? -1 : 1))
  return download('calls.har', { log: { ...logs[0], entries } })
}

/** Downloads the calls' journal entries. */
export async function exportEntries(calls: readonly CallRow[]): Promise<string> {
  return download('calls.json', await entriesOf(calls))
}

function bySandbox(calls: readonly CallRow[]): Map<string, CallRow[]> {
  return Map.groupBy(calls, ({ sandbox }) => sandbox)
}

async function entriesOf(calls: readonly CallRow[]): Promise<object[]> {
  const lists = await Promise.all(
    [...bySandbox(calls)].map(async ([sandbox, members]) => {
      const ids = new Set(members.map(({ id }) => id))
      const { data }: { data: { id: string }[] } = await (await open('listJournal', { sandbox })).json()
      return data.filter(({ id }) => ids.has(id))
    }),
  )
  return lists.flat()
}

/** Downloads JSON as a file. Returns a message for the user. */
function download(name: string, value: object): string {
  const url = URL.createObjectURL(new Blob([JSON.stringify(value, null, 2)], { type: 'application/json' }))
  Object.assign(document.createElement('a'), { href: url, download: name }).click()
  URL.revokeObjectURL(url)
  return `Saved ${name}`
}
