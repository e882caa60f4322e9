/** The matcher `toHaveRecovered`. */
import type { SandboxFacts } from '../../gateway/extra.ts'
import type { Verdict } from '../../journal/expectations.ts'
import { allCallsText } from '../../journal/journal-text.ts'
import { assertInspectable } from '../../journal/matchers.ts'
import { printable } from '../../lib/print.ts'
import { assertNames } from '../../sandbox/sandbox-options.ts'
import { type Evidence, type Judged, judge, withFacts } from './findings.ts'

export function judgeRecovery(
  received: unknown,
  evidence: Evidence = {},
  operations?: SandboxFacts['operations'],
): Verdict | Promise<Verdict> {
  assertInspectable(received)
  assertNames(evidence, ['result', 'userAborted'], 'toHaveRecovered')
  return withFacts(received as unknown as Judged, operations, (facts) => {
    const lines = judge(facts, evidence).map(({ name, message, isJudged }) => {
      return `\n  ${name}${isJudged ? '' : ' (not judged)'}: ${message}`
    })
    const pass = lines.length === 0
    const message = pass
      ? 'Expected the application not to have recovered, but it made no mistake.'
      : `Expected the application to have recovered:${lines.join('')}\n${allCallsText(facts.entries, [])}`
    return { pass, message: printable(message) }
  })
}
