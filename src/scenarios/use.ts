/**
 * One use of a scenario: the progress of its rules, and the order in which the rules of several are tried.
 */
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
  if (isOver(rule, progress)) return { kind: progress.taken >= rule.times ? 'times' : 'sequence' }
  if (rule.states && !rule.states.includes(state)) return { kind: 'state', state }
  if (rule.budgetUsd !== undefined && spent() < rule.budgetUsd) return { kind: 'budget', spent: spent() }
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
export function putBack({ isSequence }: CompiledRule, progress: Progress): void {
  progress.happened--
  if (!isSequence) progress.taken--
}

function stepAt({ steps, onEnd, ends }: CompiledRule, turn: number): CompiledStep {
  if (turn >= ends) {
    const calls = `${ends} call${ends === 1 ? '' : 's'}`
    return { effect: refusal(`Scenario: the rule is over after ${calls}`, {}), form: undefined }
  }
  const place = onEnd === 'repeat' ? turn % steps.length : Math.min(turn, steps.length - 1)
  return steps[place] as CompiledStep
}

/** Returns true for a rule that has ended, and lets all calls pass. */
function isOver({ ends, onEnd }: CompiledRule, { taken }: Pick<Progress, 'taken'>): boolean {
  return onEnd !== 'fail' && taken >= ends
}

/** One `use()` of a scenario. */
export interface Use {
  /** `flaky~3`; the same in every copy: a use that a snapshot brought back can still be ended. */
  readonly id: string
  readonly compiled: CompiledScenario
  /** By the rule's number, from 1; undefined for a rule whose conditions no call has met. */
  readonly progress: Progress[]
  /** Gives its replies, in place of those that it has. */
  readonly answer?: ReplyFunction | undefined
}

/** A rule, and the use that holds its progress. */
export interface Candidate {
  readonly rule: CompiledRule
  readonly use: Use
}

/** The rules about a request, in the order in which they are tried: see `candidatesAmong`. */
export interface Candidates {
  readonly rules: readonly CompiledRule[]
  /** By index in `rules`: the use that holds its progress. */
  readonly uses: readonly Use[]
  /** All scripts, oldest first. In `rules`, a script is among the endless rules. */
  readonly scripts: readonly Candidate[]
  /** Index in `rules` of the rule before which the scripts that have turns left are tried. */
  readonly scriptsAt: number
}

export const noneNamed: ReadonlyMap<string, Use> = new Map()

/** A scenario whose rules have not happened yet. */
export function begin(scenario: Scenario): Use {
  const compiled = compileScenario(scenario)
  // No name has a `~`, so no id is a name.
  const id = `${scenario.name}~${++begun}`
  return { id, compiled, progress: [] }
}

let begun = 0

export function copyUse(use: Use): Use {
  return { ...use, progress: use.progress.map((each) => ({ ...each, rateLimit: each.rateLimit.copy() })) }
}

export function copyNamed(named: ReadonlyMap<string, Use>): ReadonlyMap<string, Use> {
  return named.size === 0 ? noneNamed : new Map([...named].map(([name, use]) => [name, copyUse(use)]))
}

/**
 * Orders rules: finite ones as they were added, then endless ones, newest first. A rule is finite while it has times or
 * steps left; a script comes at its place among the finite rules while it has turns left. The first matching rule of a
 * scenario wins, so a finite rule behind an endless one of its scenario stays behind it.
 *
 * @param newestFirst All uses.
 * @param names Of a request, as `on` may name it.
 * @param named Uses that the request names in its header; they come first.
 */
export function candidatesAmong(
  newestFirst: readonly Use[],
  names: readonly string[],
  named: readonly Use[] = [],
): Candidates {
  const about = (use: Use): Candidate[] =>
    use.compiled.rules.flatMap((rule) => (rule.on.some((on) => names.includes(on)) ? [{ rule, use }] : []))
  const first = named.flatMap(about)
  const others = newestFirst.map(about)
  const scripts: Candidate[] = []
  let scriptsAt = -1
  const finite = new Set<Candidate>()
  for (const candidates of others.toReversed()) {
    let isBehindEndless = false
    for (const candidate of candidates) {
      const { rule, use } = candidate
      if (rule.script) {
        if (scripts.push(candidate) === 1) scriptsAt = first.length
        isBehindEndless ||= rule.onEnd !== 'pass'
        continue
      }
      const progress = use.progress[rule.number] ?? { taken: 0 }
      if (progress.taken >= rule.finite) isBehindEndless ||= !isOver(rule, progress)
      else if (!isBehindEndless) {
        finite.add(candidate)
        first.push(candidate)
      }
    }
  }
  const all = [...first, ...others.flat().filter((candidate) => !finite.has(candidate))]
  return { rules: all.map(({ rule }) => rule), uses: all.map(({ use }) => use), scripts, scriptsAt }
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
      return {
        rule: rule.number,
        name: rule.name ?? null,
        on: [...rule.on],
        seen,
        happened,
        left: Number.isFinite(rule.ends) ? Math.max(0, rule.ends - taken) : null,
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
    return { scenario, rule: number, turns: script.length, conversations: runs.map(toReading), problem }
  })
}

function toReading({ conversation, turns, problem }: ScriptRun): ScriptedConversation {
  return { conversation, turns, problem }
}
