/**
 * What the active rules have to say about one call.
 */
import type { QuotaReading } from '../faults/fault.ts'
import type { Effect } from './compiled.ts'
import type { SkippedRules } from './near-misses.ts'
import type { ChargeRateLimits } from './rate-limit.ts'
import type { ReplyFunction } from './reply-function.ts'
import type { TurnReading } from './script-runs.ts'

/** What a rule does to one call. */
export interface Match {
  scenario: string
  /** Its place in the scenario, from 1. */
  rule: number
  name: string | undefined
  effect: Effect
  rateLimit: QuotaReading | undefined
  /** What it does has found nothing to act on: it counts as if the rule had not met the call. */
  nothingHappened(): void
  /** The turn of a script that the call takes; undefined for other rules. */
  turn: TurnReading | undefined
  /** The number of the call among those that met the rule's conditions, from 1; of a script, the turn. */
  call: number
  /** Gives the reply in place of the rule's own. */
  answer: ReplyFunction | undefined
}

export interface Outcome {
  match: Match | undefined
  /** Headers for the reply whether a rule matched or not: the state of its rate limit. */
  headers: Record<string, string> | undefined
  /** For a call that passed a rate limit: counts the tokens of its reply, and returns the headers anew. */
  charge: ChargeRateLimits | undefined
  /** The rules that the call skipped, for `explainNearMisses`. */
  skipped: SkippedRules | undefined
}
