/** The matcher `toHaveRecovered`. */
import type { SandboxFacts } from '../../gateway/extra.ts'
import type { Verdict } from '../../journal/expectations.ts'
import { allCallsText } from '../../journal/journal-text.ts'
import { assertInspectable } from '../../journal/matchers.ts'
import { printable } from '../../lib/print.ts'
import { assertNames } from '../../sandbox/sandbox-options.ts'
import { type Evidence, factsOf, type Judged, judge } from './findings.ts'

export function judgeRecovery(
  received: unknown,
  evidence: Evidence = {},
  operations?: SandboxFacts['operations'],
): Verdict | Promise<Verdict> {
  assertInspectable(received)
  assertNames(evidence, ['result', 'userAborted'], 'toHaveRecovered')
  const facts = factsOf(received as unknown as Judged, operations)
  return facts instanceof Promise
    ? facts.then((known) => toVerdict(known, evidence))
    : toVerdict(facts, evidence)
}

function toVerdict(facts: SandboxFacts, evidence: Evidence): Verdict {
  const judgements = judge(facts, evidence)
  const lines = judgements.map(({ name, message, isJudged }) => {
    return `\n  ${name}${isJudged ? '' : ' (not judged)'}: ${message}`
  })
  const pass = judgements.length === 0
  const message = pass
    ? 'Expected the application not to have recovered, but it made no mistake.'
    : `Expected the application to have recovered:${lines.join('')}\n${allCallsText(facts.entries, [])}`
  return { pass, message: printable(message) }
}
