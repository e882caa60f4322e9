/** Checks a failed test's file, and converts its calls to the form used for live calls. */
import * as z from 'zod'
import type { GatewayCore } from '../../gateway/gateway.ts'
import { invalidRequest } from '../../http/errors.ts'
import { hiddenEntry, JournalEntry } from '../../journal/entry.ts'
import { ScenarioProgress, ScriptProgress } from '../../scenarios/activation.ts'
import { Rule } from '../../scenarios/scenario.ts'
import { type CallRow, rowOfEntry } from './rows.ts'
import { type Why, whyInFile } from './why.ts'

const text = z.string().max(10_000)

/** The file as `reportFailedTest` writes it. */
export const FailedTestFile = z.lazy(() =>
  z.object({
    format: z.literal('understudy-failed-test', { error: "Is not a failed test's file" }),
    version: z.literal(1, { error: 'Is from another version of Understudy' }),
    test: text,
    sandbox: text,
    entries: z.array(JournalEntry).max(5000),
    scenarios: z.array(ScenarioProgress).max(1000),
    scripts: z.array(ScriptProgress),
  }),
)
type FailedTestFile = z.output<typeof FailedTestFile>

export interface FailedTest extends Pick<FailedTestFile, 'test' | 'sandbox' | 'scenarios' | 'scripts'> {
  /** Oldest first. */
  calls: { row: CallRow; entry: JournalEntry; why: Why }[]
}

/** Throws 400 for an invalid rule, because the page shows the fields of rules. */
export function readFailedTest(
  file: FailedTestFile,
  { operations }: Pick<GatewayCore, 'operations'>,
): FailedTest {
  const { test, sandbox, scenarios, scripts } = file
  for (const [index, { rules }] of scenarios.entries())
    if (!rules.every(({ source }) => Rule.safeParse(source).success))
      throw invalidRequest([
        { path: `body.file.scenarios.${index}`, message: 'Has an invalid rule', rule: 'scenario' },
      ])
  const calls = file.entries.map((each) => {
    // Secrets are hidden again, because anyone can have written the file. JSON omits an undefined body.
    const entry = hiddenEntry(each as JournalEntry)
    const row = rowOfEntry(entry, { sandbox, sandboxName: test }, operations)
    return { row, entry, why: whyInFile(entry) }
  })
  return { test, sandbox, scenarios, scripts, calls }
}
