/** Downloads calls as HAR 1.2, which browser developer tools can open. */
import type { CallRow } from '../rows.ts'
import { askWhole } from './api.ts'

export async function exportCalls(calls: readonly CallRow[]): Promise<string> {
  const groups = Map.groupBy(calls, ({ sandbox }) => sandbox)
  const logs = await Promise.all(
    [...groups].map(async ([sandbox, group]) => {
      const { log } = await askWhole('exportJournal', { sandbox })
      const ids = new Set(group.map(({ id }) => id))
      return { ...log, entries: log.entries.filter(({ _id }) => ids.has(_id)) }
    }),
  )
  const entries = logs.flatMap((log) => log.entries)
  entries.sort((left, right) => (left.startedDateTime < right.startedDateTime ? -1 : 1))
  const text = JSON.stringify({ log: { ...logs[0], entries } }, null, 2)
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  Object.assign(document.createElement('a'), { href: url, download: 'calls.har' }).click()
  URL.revokeObjectURL(url)
  if (entries.length === calls.length) return 'Saved calls.har'
  return `Saved ${entries.length} of ${calls.length} calls in calls.har. The server no longer has the others`
}
