/**
 * Near misses: the rules that were about a call and did not happen, and the reason for each. The reason is stored as
 * data when the call is matched and put into words only when somebody reads it.
 */
import type { CompiledRule } from './compiled.ts'
import type { Conditioned } from './condition.ts'

/** Why a rule was skipped, where the request alone does not tell it later. */
export type SkipReason =
  | { kind: 'times' | 'sequence' | 'script' }
  | { kind: 'call' | 'after' | 'every' | 'rateLimit' | 'step'; call: number }
  | { kind: 'stream' | 'json'; step: number }
  | { kind: 'state'; state: string }
  | { kind: 'budget'; spent: number }
  | { kind: 'probability'; drawn: number; probability: number }
  | { kind: 'during'; elapsedMs: number }

/** The rules that one call skipped. */
export interface SkippedRules {
  /** The rules about the call's operation, in the order in which they were tried. */
  readonly rules: readonly CompiledRule[]
  /** How many of them were tried and skipped before one happened. */
  readonly looked: number
  /** By index in `rules`. A skipped rule without an entry failed a condition of its `when`. */
  readonly reasons: ReadonlyMap<number, SkipReason> | undefined
}

export interface NearMiss {
  /** The name of its scenario. */
  scenario: string
  /** Its place in the scenario, from 1. */
  rule: number
  /** A whole sentence without its full stop. */
  reason: string
}

/**
 * The skipped rules with their reasons in words, in the order in which they were tried.
 *
 * @param limit How many of them; the others are counted in one reason more. Default: all.
 */
export function explainNearMisses(
  skipped: SkippedRules,
  request: Conditioned,
  limit = Number.POSITIVE_INFINITY,
): NearMiss[] {
  const explained = skipped.rules.slice(0, Math.min(skipped.looked, limit)).map((rule, index) => {
    const reason = skipped.reasons?.get(index)
    return {
      scenario: rule.scenario,
      rule: rule.number,
      reason: `${titleOf(rule)} ${reason ? inWords(rule, reason) : failedCondition(rule, request)}`,
    }
  })
  const next = skipped.rules[limit]
  const more = skipped.looked - explained.length
  if (!next || more === 0) return explained
  const reason = `${titleOf(next)} did not happen either, nor did ${more - 1} more`
  return [...explained, { scenario: next.scenario, rule: next.number, reason }]
}

/** `rule 2 of 'flaky'`, with the rule's own name where it has one. */
export function titleOf({
  scenario,
  number,
  name,
}: Pick<CompiledRule, 'scenario' | 'number' | 'name'>): string {
  return `rule ${number}${name === undefined ? '' : ` (${name})`} of '${scenario}'`
}

function failedCondition(rule: CompiledRule, request: Conditioned): string {
  const failed = rule.tests.find((test) => !test.passes(request))
  return failed
    ? failed.explain(request)
    : 'did not look at the request as it is kept: its body was too long to keep'
}

function inWords(rule: CompiledRule, reason: SkipReason): string {
  switch (reason.kind) {
    case 'times':
      return rule.times === 1
        ? 'is spent: it was to happen once'
        : `is spent: its ${rule.times} times are over`
    case 'sequence':
      return `is spent: its sequence of ${rule.steps.length} has run out`
    case 'state':
      return `wants the state ${rule.states?.map((state) => `'${state}'`).join(' or ')}, it is '${reason.state}'`
    case 'script':
      return 'has no turn left for the call'
    case 'call':
      return `wants call ${[...(rule.calls ?? [])].join(' or ')}, this is call ${reason.call}`
    case 'after':
      return `lets ${rule.after} calls pass first, this is call ${reason.call}`
    case 'every':
      return `happens at every ${ordinal(rule.every)} call, this is call ${reason.call}`
    case 'rateLimit':
      return `lets ${passing(rule)} pass in ${rule.rateLimit?.windowMs} ms, this is call ${reason.call}`
    case 'stream':
      return `is at step ${reason.step} of its sequence, a fault of streams: the request asks for none`
    case 'json':
      return `is at step ${reason.step} of its sequence, a fault of JSON: the request asks for a stream`
    case 'step':
      return rule.setState !== undefined && rule.steps.length === 1
        ? `has set the state '${rule.setState}', and lets the call pass`
        : `is at step ${reason.call} of its sequence, which lets the call pass`
    case 'probability':
      return `has probability ${round(reason.probability)}, this call drew ${round(reason.drawn)}`
    case 'budget':
      return `waits until ${rule.budgetUsd} dollars are spent, so far it is ${reason.spent}`
    case 'during':
      return `runs ${spanOf(rule)} of the elapsed time, this call came at ${round(reason.elapsedMs)} ms`
  }
}

/** `60 calls and 30000 tokens` */
function passing({ rateLimit }: CompiledRule): string {
  const limits = [
    [rateLimit?.requests, 'calls'],
    [rateLimit?.tokens, 'tokens'],
  ] as const
  const finite = limits.filter(([limit]) => Number.isFinite(limit))
  return finite.map(([limit, unit]) => `${limit} ${unit}`).join(' and ')
}

function spanOf({ during }: CompiledRule): string {
  const { fromMs = 0, toMs = Number.POSITIVE_INFINITY } = during ?? {}
  return Number.isFinite(toMs) ? `from ${fromMs} to ${toMs} ms` : `from ${fromMs} ms on`
}

function ordinal(count: number): string {
  const ending = new Intl.PluralRules('en', { type: 'ordinal' }).select(count)
  return `${count}${{ one: 'st', two: 'nd', few: 'rd', other: 'th', many: 'th', zero: 'th' }[ending]}`
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000
}
