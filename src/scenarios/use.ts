/**
 * One use of a scenario: the progress of its rules, the order in which the rules of several are tried, and how far they
 * are.
 */
import type { Clock } from '../lib/clock.ts'
import { draw } from '../lib/seed.ts'
import {
  type CompiledRule,
  type CompiledScenario,
  type CompiledStep,
  compileScenario,
  type Effect,
} from './compiled.ts'
import { asksForStream, type RuleRequest } from './condition.ts'
import type { SkipReason } from './near-misses.ts'
import { RateLimitUse } from './rate-limit.ts'
import type { RuleInput, Scenario } from './scenario.ts'
import type { ScriptRun } from './script-runs.ts'
import type { ReplyFunction } from './scripted-reply.ts'

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

/** One `use()` of a scenario. */
export interface Use {
  /** `flaky~3`; the same in every copy: a use that a snapshot brought back can still be ended. */
  readonly id: string
  readonly compiled: CompiledScenario
  /** By the rule's number, from 1; undefined for a rule whose conditions no call has met. */
  readonly progress: Progress[]
  /** A single rule with `times`: those are tried first, in the order in which they were given. */
  readonly isCounted: boolean
  /** Gives its replies, in place of those that it has. */
  readonly answer?: ReplyFunction | undefined
}

/** The rules about an operation, in the order in which they are tried: see `tryOrder`. */
export interface Candidates {
  readonly rules: readonly CompiledRule[]
  /** By index in `rules`: the use that holds its progress. */
  readonly uses: readonly Use[]
}

export const noneNamed: ReadonlyMap<string, Use> = new Map()

/** A scenario whose rules have not happened yet. */
export function begin(scenario: Scenario, isCounted = false): Use {
  const compiled = compileScenario(scenario)
  // No name has a `~`, so no id is a name.
  const id = `${scenario.name}~${++begun}`
  return { id, compiled, progress: [], isCounted }
}

let begun = 0

export function copyUse(use: Use): Use {
  return { ...use, progress: use.progress.map((each) => ({ ...each, rateLimit: each.rateLimit.copy() })) }
}

export function copyNamed(named: ReadonlyMap<string, Use>): ReadonlyMap<string, Use> {
  return named.size === 0 ? noneNamed : new Map([...named].map(([name, use]) => [name, copyUse(use)]))
}

/** @param names Of a request, as `on` may name it. */
export function candidatesAmong(all: readonly Use[], names: readonly string[]): Candidates {
  const rules: CompiledRule[] = []
  const uses: Use[] = []
  for (const use of all) {
    for (const rule of use.compiled.rules) {
      if (!rule.on.some((on) => names.includes(on))) continue
      rules.push(rule)
      uses.push(use)
    }
  }
  return { rules, uses }
}

/** Counted rules in the order given, then the other scenarios, newest first. */
export function tryOrder(newestFirst: readonly Use[]): Use[] {
  return [
    ...newestFirst.filter(({ isCounted }) => isCounted).reverse(),
    ...newestFirst.filter(({ isCounted }) => !isCounted),
  ]
}

export function progressOf(use: Use, rule: CompiledRule): Progress {
  const progress = use.progress[rule.number] ?? toProgress()
  use.progress[rule.number] = progress
  return progress
}

/** One use of a scenario. */
export interface ScenarioProgress {
  /** `flaky~3`: ends this use, and no other. */
  id: string
  name: string
  description: string | null
  rules: RuleProgress[]
}

export interface RuleProgress {
  /** Its place in the scenario, from 1. */
  rule: number
  name: string | null
  on: string[]
  /** Calls that met its conditions. */
  seen: number
  /** Calls to which it has happened. */
  happened: number
  /** How often it can still happen; null for any number of times. */
  left: number | null
  /** As it was given, with defaults filled in. */
  source: RuleInput
}

export function scenarioProgress({ id, compiled, progress }: Use): ScenarioProgress {
  const { name, source, rules } = compiled
  return {
    id,
    name,
    description: source.description ?? null,
    rules: rules.map((rule, index) => {
      const { seen = 0, happened = 0, taken = 0 } = progress[rule.number] ?? {}
      const steps = rule.afterwards === 'pass' && !rule.script ? rule.steps.length : Number.POSITIVE_INFINITY
      const most = Math.min(rule.times, steps)
      return {
        rule: rule.number,
        name: rule.name ?? null,
        on: [...rule.on],
        seen,
        happened,
        left: Number.isFinite(most) ? Math.max(0, most - taken) : null,
        // Every rule with its defaults is one that a person may write.
        source: source.rules[index] as RuleInput,
      }
    }),
  }
}

/** A script in use. */
export interface ScriptProgress {
  scenario: string
  /** Its rule's position in the scenario, from 1. */
  rule: number
  /** How many turns it has. */
  turns: number
  /** The conversations that follow it, oldest first. */
  conversations: ScriptedConversation[]
  /** How the last new conversation differed from its first turn, where that kept it from beginning; or null. */
  problem: string | null
}

/** A conversation that follows a script. */
export interface ScriptedConversation {
  /** Its number among the scripted conversations of the sandbox, from 1. */
  conversation: number
  /** How many turns it has taken. */
  turns: number
  /** How its last request differed from what the turn expects, or null. */
  problem: string | null
}

/** The scripts of one use of a scenario. */
export function scriptsOf({ compiled, progress }: Use): ScriptProgress[] {
  return compiled.rules.flatMap(({ scenario, number, script }) => {
    if (!script) return []
    const { runs = [], problem = null } = progress[number] ?? {}
    return { scenario, rule: number, turns: script.turns.length, conversations: runs.map(toReading), problem }
  })
}

function toReading({ conversation, turns, problem }: ScriptRun): ScriptedConversation {
  return { conversation, turns, problem }
}
