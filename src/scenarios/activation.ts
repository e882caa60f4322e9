/** Tracks active scenarios: their rules' progress, and the order in which rules are tried. */
import * as z from 'zod'
import type { Clock } from '../lib/clock.ts'
import { draw } from '../lib/seed.ts'
import {
  type CompiledRule,
  type CompiledScenario,
  type CompiledStep,
  compileScenario,
  type Effect,
  refusal,
} from './compiled.ts'
import { asksForStream, type RuleRequest } from './condition.ts'
import type { SkipReason } from './near-misses.ts'
import { RateLimitUsage } from './rate-limit.ts'
import { type RuleInput, RuleSource, type Scenario } from './scenario.ts'
import type { ScriptRun } from './script-runs.ts'
import type { ReplyFunction } from './scripted-reply.ts'

export interface Progress {
  /** Number of calls that matched the rule's conditions. */
  matched: number
  /** Number of steps taken. In a sequence, a step whose faults had no effect counts too. */
  taken: number
  /** Number of steps taken, except those whose faults had no effect. */
  applied: number
  readonly rateLimit: RateLimitUsage
  /** Conversations that follow the rule's script, oldest first. */
  runs: readonly ScriptRun[]
  /** Reason why the last new conversation did not match the script's first turn; null if it did. */
  problem: string | null
}

/** Counters of a rule that has matched no call. */
const unmatched = { matched: 0, taken: 0, applied: 0 }

/** A rule's effect on a call that matches its conditions, or the reason for skipping the rule. */
export type Decision = { kind: 'applies'; effect: Effect } | SkipReason

/** Reasons for which a call does not count as seen by the rule. */
const unseen: readonly Decision['kind'][] = ['times', 'sequence', 'state', 'during', 'stream', 'json']

/** Decides what a rule does with a call that matches its conditions. Changes nothing; see `count`. */
export function decide(
  rule: CompiledRule,
  { matched, taken, rateLimit }: Progress,
  request: RuleRequest,
  { seed, clock, state }: { seed: string | number; clock: Clock; state: string },
): Decision {
  if (isOver(rule, taken)) return { kind: taken >= rule.times ? 'times' : 'sequence' }
  if (rule.states && !rule.states.includes(state)) return { kind: 'state', state }
  if (rule.during) {
    const { from, to = Number.POSITIVE_INFINITY } = rule.during
    const elapsedMs = clock.elapsed()
    if (elapsedMs < from || elapsedMs >= to) return { kind: 'during', elapsedMs }
  }
  const { form, effect } = stepAt(rule, taken)
  if (form && (form === 'stream') !== asksForStream(request.body)) return { kind: form, step: taken + 1 }
  const call = matched + 1
  if (rule.calls && !rule.calls.has(call)) return { kind: 'call', call }
  if (call <= rule.after) return { kind: 'after', call }
  if (rule.rateLimit && rateLimit.allows(rule.rateLimit, request, clock))
    return { kind: 'rateLimit', call: rateLimit.window(rule.rateLimit, request, clock).requests + 1 }
  const { probability = 1 } = rule
  const drawn = probability < 1 ? luckOf(rule, request, seed) : 0
  if (drawn >= probability) return { kind: 'probability', drawn, probability }
  return effect ? { kind: 'applies', effect } : { kind: 'step', call: taken + 1 }
}

/** Returns true if the rule takes a step: it applies, or the step lets the call pass. */
export function takesStep({ kind }: Decision): boolean {
  return kind === 'applies' || kind === 'step'
}

/** Counts a decision. */
export function count(
  { rateLimit: limit }: CompiledRule,
  progress: Progress,
  decision: Decision,
  request: RuleRequest,
  clock: Clock,
): void {
  if (!unseen.includes(decision.kind)) progress.matched++
  if (limit && decision.kind === 'rateLimit') progress.rateLimit.count(limit, request, clock, { requests: 1 })
  if (!takesStep(decision)) return
  progress.taken++
  progress.applied++
}

/** Returns the number that a call draws for a rule's `probability`. Each fallback model draws again. */
export function luckOf(
  { scenario, number }: Pick<CompiledRule, 'scenario' | 'number'>,
  { contentKey, occurrence, triedModels = [] }: RuleRequest,
  seed: string | number,
): number {
  return draw(seed, 'rule', scenario, number, contentKey, occurrence, ...triedModels.slice(1))
}

/** Undoes a step that had no effect. Outside a sequence, the rule can then apply to a later call instead. */
export function undoStep({ sequence }: CompiledRule, progress: Progress): void {
  progress.applied--
  if (!sequence) progress.taken--
}

function stepAt({ steps, onEnd, ends }: CompiledRule, turn: number): CompiledStep {
  if (turn >= ends) {
    const calls = `${ends} call${ends === 1 ? '' : 's'}`
    return { effect: refusal(`Scenario: the rule ended after ${calls}`, {}), form: undefined }
  }
  const index = onEnd === 'repeat' ? turn % steps.length : Math.min(turn, steps.length - 1)
  return steps[index] as CompiledStep
}

/** Returns true if the rule has ended and lets all calls pass. */
function isOver({ ends, onEnd }: CompiledRule, taken: number): boolean {
  return onEnd !== 'fail' && taken >= ends
}

/** A scenario activated by `use()` or named in a request header. */
export interface Activation {
  /** Id such as `flaky~3`. Snapshots preserve it, so that a restored activation can still be ended. */
  readonly id: string
  readonly compiled: CompiledScenario
  /** Progress by rule number, from 1. Undefined for a rule that has matched no call yet. */
  readonly progress: Progress[]
  readonly replyFunction?: ReplyFunction | undefined
}

export interface Candidate {
  readonly rule: CompiledRule
  readonly activation: Activation
}

/** Rules that may match a request, in the order of `orderCandidates`. */
export interface Candidates {
  readonly rules: readonly CompiledRule[]
  /** The activation that each rule belongs to, by index in `rules`. */
  readonly activations: readonly Activation[]
  /** Scripts of scenarios activated by `use()`, oldest first. They are also in `rules`, among the unlimited rules. */
  readonly scripts: readonly Candidate[]
  /** Index in `rules` at which scripts with remaining turns are tried; undefined if there are no scripts. */
  readonly scriptsAt: number | undefined
}

export function createActivation(scenario: Scenario, replyFunction?: ReplyFunction): Activation {
  // Names cannot contain `~`, so ids and names are distinct.
  const id = `${scenario.name}~${++begun}`
  return { id, compiled: compileScenario(scenario), progress: [], replyFunction }
}

let begun = 0

export function copyActivation(activation: Activation): Activation {
  return {
    ...activation,
    progress: activation.progress.map((each) => ({ ...each, rateLimit: each.rateLimit.copy() })),
  }
}

/**
 * Orders rules: finite ones in the order they were added, then all others, newest first. A rule is finite while it
 * has times, steps or turns left. Within a scenario the first matching rule wins, so a finite rule stays after any
 * unlimited rule that precedes it in its scenario. Scenarios named in a request header come first.
 */
export function orderCandidates(
  newestFirst: readonly Activation[],
  names: readonly string[],
  named: readonly Activation[] = [],
): Candidates {
  const candidatesOf = (activation: Activation): Candidate[] =>
    activation.compiled.rules.flatMap((rule) =>
      rule.on.some((on) => names.includes(on)) ? [{ rule, activation }] : [],
    )
  const first = named.flatMap(candidatesOf)
  const others = newestFirst.map(candidatesOf)
  const scripts: Candidate[] = []
  let scriptsAt: number | undefined
  const finite = new Set<Candidate>()
  for (const candidates of others.toReversed()) {
    let isAfterUnlimited = false
    for (const candidate of candidates) {
      const { rule, activation } = candidate
      if (rule.script) {
        scriptsAt ??= first.length
        scripts.push(candidate)
        isAfterUnlimited ||= rule.onEnd !== 'pass'
        continue
      }
      const { taken } = { ...unmatched, ...activation.progress[rule.number] }
      if (taken >= rule.finite) isAfterUnlimited ||= !isOver(rule, taken)
      else if (!isAfterUnlimited) {
        finite.add(candidate)
        first.push(candidate)
      }
    }
  }
  const all = [...first, ...others.flat().filter((candidate) => !finite.has(candidate))]
  return {
    rules: all.map(({ rule }) => rule),
    activations: all.map(({ activation }) => activation),
    scripts,
    scriptsAt,
  }
}

export function progressIn(activation: Activation, rule: CompiledRule): Progress {
  const rateLimit = new RateLimitUsage()
  activation.progress[rule.number] ??= { ...unmatched, rateLimit, runs: [], problem: null }
  return activation.progress[rule.number] as Progress
}

const rulePosition = z.lazy(() => z.int().describe("The rule's position in the scenario, from 1."))
const differences = (description: string) => z.string().nullable().describe(description)

/** An active scenario with its rules' progress. */
export const ScenarioProgress = z.lazy(() =>
  z.strictObject({
    id: z.string().describe('Id of this activation. Pass it to deactivate only this one.'),
    name: z.string(),
    description: z.string().nullable(),
    rules: z.array(
      z.strictObject({
        rule: rulePosition,
        name: z.string().nullable(),
        on: z.array(z.string()),
        matched: z.int().describe("Number of requests that matched the rule's conditions."),
        applied: z.int().describe('Number of requests that the rule was applied to.'),
        remaining: z
          .int()
          .nullable()
          .describe('Number of times that the rule can still apply; null if unlimited.'),
        source: RuleSource.describe('The rule as written, with defaults filled in.'),
      }),
    ),
  }),
)
export type ScenarioProgress = z.output<typeof ScenarioProgress>

export function scenarioProgress({ id, compiled, progress }: Activation): ScenarioProgress {
  const { name, source, rules } = compiled
  const reports = rules.map(({ number, name = null, on, ends }, index) => {
    const { matched, applied, taken } = { ...unmatched, ...progress[number] }
    const remaining = Number.isFinite(ends) ? Math.max(0, ends - taken) : null
    // A rule with its defaults filled in is valid input.
    const input = source.rules[index] as RuleInput
    return { rule: number, name, on: [...on], matched, applied, remaining, source: input }
  })
  return { id, name, description: source.description ?? null, rules: reports }
}

/** An active script's progress. */
export const ScriptProgress = z.lazy(() =>
  z.strictObject({
    scenario: z.string(),
    rule: rulePosition,
    turns: z.int().describe('Number of turns in the script.'),
    conversations: z.array(
      z.strictObject({
        conversation: z.int().describe("Index among the sandbox's scripted conversations, from 1."),
        turns: z.int().describe('Number of turns taken.'),
        problem: differences("Differences between the last request and the turn's expectations."),
      }),
    ),
    problem: differences("Differences between the last new conversation and the first turn's expectations."),
  }),
)
export type ScriptProgress = z.output<typeof ScriptProgress>

export function scriptsOf({ compiled, progress }: Activation): ScriptProgress[] {
  return compiled.rules.flatMap(({ scenario, number, script }) => {
    if (!script) return []
    const { runs = [], problem = null }: Partial<Progress> = { ...progress[number] }
    const conversations = runs.map(({ conversation, turns, problem }) => ({ conversation, turns, problem }))
    return { scenario, rule: number, turns: script.length, conversations, problem }
  })
}

/** A rule that has not been applied yet. */
export const UnusedRule = z.lazy(() =>
  z.strictObject({
    scenario: z.string(),
    rule: rulePosition,
    name: z.string().optional(),
    on: z.array(z.string()),
  }),
)
export type UnusedRule = z.output<typeof UnusedRule>

export function unusedRulesOf({ compiled, progress }: Activation): UnusedRule[] {
  return compiled.rules
    .filter(({ number }) => !progress[number]?.applied)
    .map(({ scenario, number, name, on }) => ({ scenario, rule: number, name, on: [...on] }))
}
