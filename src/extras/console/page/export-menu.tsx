/** Menu that exports the selected calls, or all calls that match the search, as a file. */
import type { CallRow } from '../rows.ts'
import { ask, askWhole } from './api.ts'
import { calls, keyOf, selected, shownCalls } from './calls-store.ts'
import { Menu } from './menu.tsx'
import { ActionButton } from './parts.tsx'

export function ExportMenu() {
  const chosen = calls.value.filter((call) => selected.value.has(keyOf(call)))
  const list = chosen.length > 0 ? chosen : shownCalls.value
  const what = chosen.length > 0 ? 'selected call' : 'call'
  return (
    <Menu title={`Export ${list.length.toLocaleString('en')} ${what}${list.length === 1 ? '' : 's'}`}>
      <ActionButton run={() => exportHar(list)} disabled={list.length === 0}>
        HAR
      </ActionButton>
      <ActionButton run={() => exportEntries(list)} disabled={list.length === 0}>
        Calls as JSON
      </ActionButton>
    </Menu>
  )
}

/** Downloads the calls as HAR 1.2, which browser developer tools can open. */
async function exportHar(calls: readonly CallRow[]): Promise<string> {
  const logs = await bySandbox(calls, async (sandbox, ids) => {
    const { log } = await askWhole('exportJournal', { sandbox })
    return { ...log, entries: log.entries.filter(({ _id }) => ids.has(_id)) }
  })
  const entries = logs.flatMap((log) => log.entries)
  entries.sort((left, right) => (left.startedDateTime < right.startedDateTime ? -1 : 1))
  return download('calls.har', { log: { ...logs[0], entries } })
}

async function exportEntries(calls: readonly CallRow[]): Promise<string> {
  const lists = await bySandbox(calls, async (sandbox, ids) =>
    (await ask('listJournal', { sandbox })).filter(({ id }) => ids.has(id)),
  )
  return download('calls.json', lists.flat())
}

/** Loads a result for each sandbox, given the ids of its calls. */
function bySandbox<Result>(
  calls: readonly CallRow[],
  load: (sandbox: string, ids: ReadonlySet<string>) => Promise<Result>,
): Promise<Result[]> {
  const groups = Map.groupBy(calls, ({ sandbox }) => sandbox)
  return Promise.all([...groups].map(([sandbox, group]) => load(sandbox, new Set(group.map(({ id }) => id)))))
}

function download(name: string, value: object): string {
  const url = URL.createObjectURL(new Blob([JSON.stringify(value, null, 2)], { type: 'application/json' }))
  Object.assign(document.createElement('a'), { href: url, download: name }).click()
  URL.revokeObjectURL(url)
  return `Saved ${name}`
}
