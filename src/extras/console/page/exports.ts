/**
 * Exports several calls as files: HAR, JSON, sandbox files, or a scenario that reproduces the replies.
 */
import type { CallRow } from '../rows.ts'
import { ask, open } from './api.ts'

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

/** Downloads the calls' journal entries, which `gateway-understudy import` and `export` read. */
export async function exportEntries(calls: readonly CallRow[]): Promise<string> {
  return download('calls.json', await entriesOf(calls))
}

/** Downloads a file for each of the calls' sandboxes. */
export async function exportSandboxes(calls: readonly CallRow[]): Promise<string> {
  const sandboxes = [...bySandbox(calls).keys()]
  for (const sandbox of sandboxes) await saveSandbox(sandbox)
  return sandboxes.length === 1 ? `Saved sandbox-${sandboxes[0]}.json` : `Saved ${sandboxes.length} files`
}

export async function saveSandbox(sandbox: string): Promise<string> {
  return download(`sandbox-${sandbox}.json`, await (await open('saveSandbox', { sandbox })).json())
}

/** Downloads a scenario whose rules reply to the calls' requests in the same way. */
export async function exportScenario(calls: readonly CallRow[]): Promise<string> {
  const rules = new Map<string, object>()
  let omitted = 0
  for (const { sandbox, id } of calls) {
    try {
      const { text } = await ask('exportCall', { sandbox, entry: id }, { query: { as: 'rule' } })
      const { scenario } = await ask('checkScenario', {}, { body: { text } })
      for (const rule of scenario?.rules ?? []) rules.set(JSON.stringify(rule), rule)
    } catch {
      omitted++
    }
  }
  if (rules.size === 0) throw new Error('None of these calls can be reproduced by a rule')
  download('scenario.json', { name: 'reproduced', rules: [...rules.values()] })
  return `Saved scenario.json with ${rules.size} ${rules.size === 1 ? 'rule' : 'rules'}${omitted > 0 ? `; skipped ${omitted} incomplete ${omitted === 1 ? 'call' : 'calls'}` : ''}`
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
