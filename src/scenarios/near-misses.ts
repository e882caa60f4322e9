/** Explains near misses: rules for a call's operation that did not apply. Reasons are formatted only when read. */
import * as z from 'zod'
import type { CompiledRule } from './compiled.ts'
import { type Conditioned, show } from './condition.ts'
import { ruleTitle } from './names.ts'
import type { RateLimit } from './rate-limit.ts'

/** Reason for skipping a rule, if it cannot be derived from the request later. */
export type SkipReason =
  | { kind: 'times' | 'sequence' | 'script' }
  | { kind: 'call' | 'after' | 'rateLimit' | 'step'; call: number }
  | { kind: 'stream' | 'json'; step: number }
  | { kind: 'state'; state: string }
  | { kind: 'conversation'; turns: readonly (string | number)[] }
  | { kind: 'probability'; drawn: number; probability: number }
  | { kind: 'during'; elapsedMs: number }
  | { kind: 'answer' | 'modifier'; why: string }

export interface SkippedRules {
  /** Rules for the call's operation, newest activation first. */
  readonly rules: readonly CompiledRule[]
  /** Reasons by index in `rules`. For a skipped rule without a reason, a condition in `when` did not match. */
  readonly reasons: ReadonlyMap<number, SkipReason>
  /** Indexes of rules that applied, and of those after them in their scenario, as ranges in ascending order. */
  readonly unlisted: readonly (readonly [from: number, to: number])[]
}

/** A rule that was tried but did not apply. */
export const NearMiss = z.lazy(() =>
  z.strictObject({
    scenario: z.string().describe('Scenario name.'),
    rule: z.int().describe("The rule's position in the scenario, from 1."),
    kind: z
      .enum([
        ...['condition', 'times', 'sequence', 'script', 'call', 'after', 'rateLimit', 'step'],
        ...['stream', 'json', 'state', 'probability', 'during', 'conversation', 'answer'],
        ...['modifier', 'more'],
      ] as const)
      .describe(
        'What kept the rule from applying: `condition` for `when`, `conversation` for `when.turn`, `answer` or `modifier` for another rule, otherwise the field or fault; `more` for rules that are not listed.',
      ),
    reason: z.string().describe('Reason, as a sentence without a full stop.'),
  }),
)
export type NearMiss = z.output<typeof NearMiss>

/** Returns true if a rule let the call pass because its rate limit was not reached, which is not a near miss. */
export function isBelowLimit({ kind }: Pick<NearMiss, 'kind'>): boolean {
  return kind === 'rateLimit'
}

/** Counts the skipped rules, except those whose rate limit was not reached. */
export function countNearMisses(skipped: SkippedRules): number {
  return countSkipped(skipped) - [...skipped.reasons.values()].filter(isBelowLimit).length
}

export function countSkipped({ rules, unlisted }: SkippedRules): number {
  return unlisted.reduce((count, [from, to]) => count - (to - from), rules.length)
}

/**
 * Returns the skipped rules with reasons, newest activation first.
 *
 * @param limit Maximum number of rules. A final entry counts the rest. Default: no limit.
 */
export function explainNearMisses(
  skipped: SkippedRules,
  request: Conditioned,
  limit = Number.POSITIVE_INFINITY,
): NearMiss[] {
  const { rules, reasons, unlisted } = skipped
  const explained: NearMiss[] = []
  let range = 0
  for (const [index, rule] of rules.entries()) {
    while (index >= (unlisted[range]?.[1] ?? Number.POSITIVE_INFINITY)) range++
    if (index >= (unlisted[range]?.[0] ?? Number.POSITIVE_INFINITY)) continue
    if (explained.length === limit) {
      const more = countSkipped(skipped) - limit
      const others = more > 1 ? `, nor did ${more - 1} more` : ''
      return [...explained, nearMiss(rule, 'more', `did not apply either${others}`)]
    }
    const reason = reasons.get(index)
    const text = reason ? describeReason(rule, reason) : failedCondition(rule, request)
    explained.push(nearMiss(rule, reason?.kind ?? 'condition', text))
  }
  return explained
}

function nearMiss({ scenario, number, name }: CompiledRule, kind: NearMiss['kind'], text: string): NearMiss {
  return { scenario, rule: number, kind, reason: `${ruleTitle(scenario, number, name)} ${text}` }
}

function failedCondition(rule: CompiledRule, request: Conditioned): string {
  const failed = rule.tests.find((test) => !test.passes(request))
  return failed ? failed.explain(request) : 'cannot be explained: the body was too long to store'
}

function describeReason(rule: CompiledRule, reason: SkipReason): string {
  switch (reason.kind) {
    case 'times':
      return `is used up: it applies ${rule.times === 1 ? 'once' : `${rule.times} times`}`
    case 'sequence':
      return `is used up: its sequence has ${rule.steps.length} ${rule.steps.length === 1 ? 'step' : 'steps'}`
    case 'state':
      return `expected the state ${rule.states?.map((state) => `'${state}'`).join(' or ')}, but it is '${reason.state}'`
    case 'conversation':
      return `expected turn ${show(rule.when?.turn)}, but the request is ${reason.turns.map((turn) => show(turn)).join(' and ')}`
    case 'script':
      return 'has no turn left for this call'
    case 'call':
      return `expected call ${[...(rule.calls as ReadonlySet<number>)].join(' or ')}, but this is call ${reason.call}`
    case 'after':
      return `skips the first ${rule.after === 1 ? 'call' : `${rule.after} calls`}, but this is call ${reason.call}`
    case 'rateLimit':
      return `has not reached its limit of ${allowance(rule)}: this is call ${reason.call} in this window`
    case 'stream':
      return `is at step ${reason.step} of its sequence, a fault for streams, but the request is for JSON`
    case 'json':
      return `is at step ${reason.step} of its sequence, a fault for JSON, but the request is for a stream`
    case 'step':
      return rule.setState !== undefined && rule.steps.length === 1
        ? `set the state '${rule.setState}' and let the call pass`
        : `is at step ${reason.call} of its sequence, which lets the call pass`
    case 'probability':
      return `has probability ${round(reason.probability)}, but this call drew ${round(reason.drawn)}`
    case 'answer':
    case 'modifier':
      return reason.why
    case 'during':
      return `applies ${period(rule)} of elapsed time, but this call arrived at ${round(reason.elapsedMs)} ms`
  }
}

function period({ during: { from, to } = { from: 0 } }: CompiledRule): string {
  return to === undefined ? `after ${from} ms` : `from ${from} to ${to} ms`
}

/** Describes a rule's rate limit, as in `60 calls and 30000 tokens in 10 s`. */
function allowance({ rateLimit }: CompiledRule): string {
  const { requests, tokens, per } = rateLimit as RateLimit
  const limits = Object.entries({ call: requests, token: tokens }).filter(([, limit]) => limit !== undefined)
  const parts = limits.map(([unit, limit]) => `${limit} ${unit}${limit === 1 ? '' : 's'}`)
  return `${parts.join(' and ')} in ${per < 1000 ? `${per} ms` : `${round(per / 1000)} s`}`
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
