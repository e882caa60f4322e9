/** The file that a failed test attaches to its report. */
import type { JournalEntry } from '../journal/entry.ts'
import type { ScenarioProgress, ScriptProgress } from '../scenarios/activation.ts'

export interface FailedTest {
  readonly format: 'understudy-failed-test'
  readonly version: 1
  readonly test: string
  readonly sandbox: string
  /** The sandbox's calls, with secrets hidden. */
  readonly entries: readonly JournalEntry[]
  readonly scenarios: readonly ScenarioProgress[]
  readonly scripts: readonly ScriptProgress[]
}

export function toFailedTest(facts: Omit<FailedTest, 'format' | 'version'>): string {
  return JSON.stringify(
    { format: 'understudy-failed-test', version: 1, ...facts } satisfies FailedTest,
    null,
    2,
  )
}
