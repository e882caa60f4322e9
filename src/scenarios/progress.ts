/**
 * The progress of one rule: to which of the calls that meet its conditions it happens, and which step is next.
 */
import type { Clock } from '../lib/clock.ts'
import { draw } from '../lib/seed.ts'
import type { CompiledRule, CompiledStep, Effect } from './compiled.ts'
import type { SkipReason } from './near-misses.ts'
import { RateLimitUse } from './rate-limit.ts'
import { asksForStream, type RuleRequest } from './rule-request.ts'
import type { ScriptRun } from './script-runs.ts'

/** Counters of one active rule. */
export interface Progress {
  /** Calls that met its conditions. */
  seen: number
  /** Steps that calls have taken. */
  taken: number
  /** Of these, the calls on which the step had an effect, as far as is known. */
  happened: number
  /** What has been used of its rate limit. */
  readonly rateLimit: RateLimitUse
  /** The conversations that follow its script, oldest first. */
  runs: readonly ScriptRun[]
  /** How the last new conversation differed from the first turn of its script, where it did. */
  problem: string | null
}

export function toProgress(): Progress {
  return {
    seen: 0,
    taken: 0,
    happened: 0,
    rateLimit: new RateLimitUse(),
    runs: [],
    problem: null,
  }
}

/** Counts one call that meets the conditions of a rule. Returns what happens to it, or why the rule is skipped. */
export function advance(
  rule: CompiledRule,
  progress: Progress,
  request: RuleRequest,
  { seed, clock, state, spent }: { seed: string | number; clock: Clock; state: string; spent: () => number },
): { effect: Effect } | SkipReason {
  if (progress.taken >= rule.times) return { kind: 'times' }
  if (rule.afterwards === 'pass' && progress.taken >= rule.steps.length) return { kind: 'sequence' }
  if (rule.states && !rule.states.includes(state)) return { kind: 'state', state }
  if (rule.budget !== undefined && spent() < rule.budget) return { kind: 'budget', spent: spent() }
  if (rule.during) {
    const elapsedMs = clock.elapsed()
    if (elapsedMs < rule.during.fromMs || elapsedMs >= rule.during.toMs) return { kind: 'during', elapsedMs }
  }
  const { form } = stepAt(rule, progress.taken)
  if (form && (form === 'stream') !== asksForStream(request.body))
    return { kind: form, step: progress.taken + 1 }
  const call = ++progress.seen
  if (rule.calls && !rule.calls.has(call)) return { kind: 'call', call }
  if (call <= rule.after) return { kind: 'after', call }
  if ((call - rule.after) % rule.every !== 0) return { kind: 'every', call }
  if (rule.rateLimit && progress.rateLimit.passes(rule.rateLimit, request, clock))
    return { kind: 'rateLimit', call: progress.rateLimit.used(rule.rateLimit, request, clock).requests }
  if (rule.probability !== undefined) {
    const { probability } = rule
    const drawn = draw(seed, 'rule', rule.scenario, rule.number, request.contentKey, request.occurrence)
    if (drawn >= probability) return { kind: 'probability', drawn, probability }
  }
  const { effect } = stepAt(rule, progress.taken++)
  progress.happened++
  return effect ? { effect } : { kind: 'step', call: progress.taken }
}

/** A step that a call has taken found nothing to act on: it has not happened, and is left for another call. */
export function putBack({ steps, afterwards }: CompiledRule, progress: Progress): void {
  progress.happened--
  if (steps.length === 1 && afterwards === 'last') progress.taken--
}

function stepAt({ steps, afterwards }: CompiledRule, turn: number): CompiledStep {
  const place = afterwards === 'repeat' ? turn % steps.length : Math.min(turn, steps.length - 1)
  return steps[place] as CompiledStep
}
