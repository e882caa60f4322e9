/** The file that a failed test attaches to its report. */
import type { JournalEntry } from '../journal/entry.ts'
import type { ScenarioProgress, ScriptProgress } from '../scenarios/activation.ts'

interface FailedTest {
  readonly test: string
  readonly sandbox: string
  /** The sandbox's calls, with secrets hidden. */
  readonly entries: readonly JournalEntry[]
  readonly scenarios: readonly ScenarioProgress[]
  readonly scripts: readonly ScriptProgress[]
}

export function toFailedTest(facts: FailedTest): string {
  return JSON.stringify({ format: 'understudy-failed-test', version: 1, ...facts }, null, 2)
}
