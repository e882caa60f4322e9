/** Performs dry runs: finds past calls that a scenario's rules would have matched. Changes nothing. */

import type { CallRecord } from '../../journal/call-record.ts'
import { Clock } from '../../lib/clock.ts'
import type { Protocol } from '../../resources/protocol.ts'
import { Rules } from '../../scenarios/rules.ts'
import type { Scenario } from '../../scenarios/scenario.ts'

export interface DryRun {
  /** Number of calls tested. */
  tested: number
  /** Number of calls that a rule would have matched. */
  matched: number
  /** Number of calls that would have matched, by rule. */
  rules: { rule: number; matched: number }[]
  /** Calls that a rule would have matched, oldest first. */
  calls: { id: string; rule: number }[]
}

export interface DryRunSetup {
  readonly seed: string | number
  readonly timeScale: number
  /** Returns the protocol of an operation that generates text. */
  protocolOf(operation: string | undefined): Pick<Protocol<never, unknown>, 'conversation'> | undefined
}

/**
 * Matches past calls against a scenario. Counters start from zero, and time windows start with the first call.
 *
 * @param records Oldest first.
 */
export function dryRun(
  scenario: Scenario,
  records: readonly CallRecord[],
  { seed, timeScale, protocolOf }: DryRunSetup,
): DryRun {
  const clock = new PastClock()
  const rules = new Rules({ seed, clock })
  rules.use(scenario)
  const counts = scenario.rules.map((_, index) => ({ rule: index + 1, matched: 0 }))
  const calls: DryRun['calls'] = []
  for (const record of records) {
    clock.at = (record.startedAt - (records[0] as CallRecord).startedAt) * timeScale
    const { body, query } = record
    const protocol = protocolOf(record.operation)
    // `body` is read once, because every access parses the text again. A spread omits getters.
    const request = { ...record, body, query, generatesText: protocol !== undefined }
    const { matches } = rules.match(request, [], () => protocol?.conversation(body))
    const [match] = matches
    if (!match) continue
    calls.push({ id: record.id, rule: match.rule })
    const count = counts[match.rule - 1]
    if (count) count.matched++
  }
  return { tested: records.length, matched: calls.length, rules: counts, calls }
}

/** Clock set to the time of the call being tested. */
class PastClock extends Clock {
  at = 0

  override elapsed(): number {
    return this.at
  }
}
