/**
 * What a scenario would have done to calls that have been: which of them its rules would have met. Nothing changes.
 */
import { Clock } from '../lib/clock.ts'
import type { Protocol } from '../resources/protocol.ts'
import { Rules } from '../scenarios/rules.ts'
import type { Scenario } from '../scenarios/scenario.ts'
import type { CallRecord } from './call-record.ts'

export interface DryRun {
  /** How many calls were looked at. */
  looked: number
  /** How many of them a rule would have met. */
  met: number
  /** How many calls each rule would have met. */
  rules: { rule: number; met: number }[]
  /** The calls that a rule would have met, oldest first. */
  calls: { id: string; rule: number }[]
}

export interface DryRunSetup {
  readonly seed: string | number
  readonly timeScale: number
  /** Finds the protocol of an operation that answers with text. */
  protocolOf(operation: string | undefined): Pick<Protocol<never, unknown>, 'conversation'> | undefined
}

/**
 * @param records Oldest first. Counters and states of the rules begin anew; windows of time begin with the first call.
 */
export function dryRun(
  scenario: Scenario,
  records: readonly CallRecord[],
  { seed, timeScale, protocolOf }: DryRunSetup,
): DryRun {
  const clock = new PastClock()
  const rules = new Rules({ seed, clock })
  rules.use(scenario)
  const counts = scenario.rules.map((_, index) => ({ rule: index + 1, met: 0 }))
  const calls: DryRun['calls'] = []
  for (const record of records) {
    clock.at = (record.startedAt - (records[0] as CallRecord).startedAt) * timeScale
    const { operation, method, route, params, query, headers, body, contentKey, occurrence, isRefused } =
      record
    const protocol = protocolOf(operation)
    // A kept body is parsed for each who asks.
    const request = {
      operation,
      answersWithText: protocol !== undefined,
      method,
      route,
      params,
      query,
      headers,
      body,
      contentKey,
      occurrence,
      isRefused,
    }
    const { match } = rules.match(request, [], () => protocol?.conversation(body))
    if (!match) continue
    calls.push({ id: record.id, rule: match.rule })
    const count = counts[match.rule - 1]
    if (count) count.met++
  }
  return { looked: records.length, met: calls.length, rules: counts, calls }
}

/** Stands at the time of the call that is looked at. */
class PastClock extends Clock {
  // mutation: equivalent: for the types; the time is set before each call
  at = 0

  override elapsed(): number {
    return this.at
  }
}
