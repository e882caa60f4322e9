/**
 * Why a rule that was meant for a call did not happen: noted in passing, put into words when somebody asks.
 */
import type { CompiledRule } from './compiled.ts'
import { type Asked, RequestView } from './request-view.ts'

/** What depends on the moment, and so must be noted then. */
export type Why =
  | { kind: 'times' | 'sequence' }
  | { kind: 'call' | 'after' | 'every' | 'quota' | 'step'; call: number }
  | { kind: 'probability'; drawn: number; probability: number }
  | { kind: 'during'; elapsedMs: number }

/** What a call leaves behind for those who ask later. */
export interface Misses {
  /** The rules that were meant for the call and did not happen, newest first. */
  readonly rules: readonly CompiledRule[]
  /** How many of them were looked at, until one happened. */
  readonly looked: number
  /** By place in `rules`; for a rule without, a condition of its `when` failed. */
  readonly whys: ReadonlyMap<number, Why> | undefined
}

export interface NearMiss {
  scenario: string
  /** Its place in the scenario, from 1. */
  rule: number
  /** A whole sentence without its full stop. */
  reason: string
}

/** Explains each miss, newest rule first. */
export function explainMisses(misses: Misses, request: Asked): NearMiss[] {
  const view = new RequestView(request)
  return misses.rules.slice(0, misses.looked).map((rule, index) => {
    const why = misses.whys?.get(index)
    return {
      scenario: rule.scenario,
      rule: rule.number,
      reason: `${titleOf(rule)} ${why ? inWords(rule, why) : failedCondition(rule, view)}`,
    }
  })
}

/** `rule 2 of 'flaky'`, with the rule's own name where it has one. */
export function titleOf({
  scenario,
  number,
  name,
}: Pick<CompiledRule, 'scenario' | 'number' | 'name'>): string {
  return `rule ${number}${name === undefined ? '' : ` (${name})`} of '${scenario}'`
}

function failedCondition(rule: CompiledRule, view: RequestView): string {
  const failed = rule.tests.find((test) => !test.passes(view))
  return failed
    ? failed.explain(view)
    : 'did not look at the request as it is kept: its body was too long to keep'
}

function inWords(rule: CompiledRule, why: Why): string {
  switch (why.kind) {
    case 'times':
      return rule.times === 1
        ? 'is spent: it was to happen once'
        : `is spent: its ${rule.times} times are over`
    case 'sequence':
      return `is spent: its sequence of ${rule.steps.length} has run out`
    case 'call':
      return `wants call ${[...(rule.calls ?? [])].join(' or ')}, this is call ${why.call}`
    case 'after':
      return `lets ${rule.after} calls pass first, this is call ${why.call}`
    case 'every':
      return `happens at every ${ordinal(rule.every)} call, this is call ${why.call}`
    case 'quota':
      return `lets ${rule.quota?.limit} calls pass in ${rule.quota?.windowMs} ms, this is call ${why.call}`
    case 'step':
      return `is at step ${why.call} of its sequence, which lets the call pass`
    case 'probability':
      return `has probability ${round(why.probability)}, this call drew ${round(why.drawn)}`
    case 'during':
      return `runs ${spanOf(rule)} of the elapsed time, this call came at ${round(why.elapsedMs)} ms`
  }
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
