/** Reports a failed test: as text for terminals, and as a file that the console can open. */
import { hideInString } from '../http/secrets.ts'
import { hiddenEntry, type JournalEntry } from '../journal/entry.ts'
import { explainUnused } from '../journal/expectations.ts'
import { journalText, strayCallsText, unansweredText, withoutReply } from '../journal/journal-text.ts'
import type { ScenarioProgress, ScriptProgress, UnusedRule } from '../scenarios/activation.ts'
import { findingsOf } from './extra.ts'
import type { GatewayCore } from './gateway.ts'

interface FailedTest {
  readonly test: string
  readonly sandbox: string
  readonly entries: readonly JournalEntry[]
  readonly unanswered: readonly JournalEntry[]
  /** Calls that arrived during the test without a sandbox's key or path. */
  readonly stray: readonly JournalEntry[]
  readonly unused: readonly UnusedRule[]
  readonly scenarios: readonly ScenarioProgress[]
  readonly scripts: readonly ScriptProgress[]
}

export async function reportFailedTest(
  { extras, operations }: Pick<GatewayCore, 'extras' | 'operations'>,
  { entries, unanswered, stray, unused, ...facts }: FailedTest,
): Promise<{ text: string; file: string }> {
  const pending = withoutReply(unanswered, entries)
  const all = [...entries, ...pending]
  const reasons = unused.flatMap((each) => explainUnused(each, entries) ?? [])
  const found = await findingsOf(extras, { entries: all, operations })
  for (const { name, message } of found) reasons.push(`${name}: ${message}`)
  const listed = journalText(`Sandbox ${facts.sandbox}`, entries)
  const list = [listed, ...reasons.filter((reason) => !listed.includes(reason))].join('\n  ')
  const shown = all.map((entry) => hiddenEntry(entry))
  const file = { format: 'understudy-failed-test', version: 1, ...facts, entries: shown }
  const text = list + unansweredText(pending) + strayCallsText(stray)
  return { text, file: hideInString(JSON.stringify(file, null, 2)) }
}
