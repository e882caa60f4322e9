/** Tracks active scenarios: their compiled rules, the rules' progress, and the step that each rule would take. */
import * as z from 'zod'
import { formFor } from '../faults/fault.ts'
import { compareFaults, FaultSetting, faultOf } from '../faults/index.ts'
import type { Clock } from '../lib/clock.ts'
import { draw } from '../lib/seed.ts'
import type { Conversation } from '../resources/conversation.ts'
import { compileWhen, type RuleRequest, streamTest, type Test, turnsOf } from './condition.ts'
import { lazyObject } from './field.ts'
import type { Gate } from './gate.ts'
import type { SkipReason } from './near-misses.ts'
import { RateLimitUsage } from './rate-limit.ts'
import {
  type OnEnd,
  type ParsedRule,
  type ParsedScenario,
  type Rule,
  RuleSource,
  type Step,
} from './scenario.ts'
import type { ScriptRun } from './script-runs.ts'
import { faultsOf, type ParsedScriptedReply, type ReplyFunction } from './scripted-reply.ts'

export interface Effect {
  readonly faults: readonly FaultSetting[]
  readonly reply: ParsedScriptedReply | undefined
}

export interface CompiledStep extends Effect {
  /** `answer` if the step replies, `modifier` if its faults only change a reply, `pass` if it does neither. */
  readonly kind: 'answer' | 'modifier' | 'pass'
  /** Format that the faults require. Requests for another format do not consume the step. */
  readonly form: 'stream' | 'json' | undefined
}

/** A rule with defaults filled in. A rule with a script has a single step, whose reply depends on the conversation. */
export interface CompiledRule extends Readonly<Omit<ParsedRule, 'on' | 'times' | 'onEnd'>> {
  readonly scenario: string
  /** The rule's 1-based position in the scenario. */
  readonly number: number
  readonly on: readonly string[]
  readonly tests: readonly Test[]
  readonly times: number
  /** Number of calls after which the rule ends: `times`, the number of steps, or Infinity. */
  readonly ends: number
  /** Number of calls for which a rule precedes unlimited rules. 0 for scripts, and if it has no `times` or sequence. */
  readonly finite: number
  readonly onEnd: OnEnd
  /** A rule without a sequence has a single step, which repeats. */
  readonly steps: readonly CompiledStep[]
}

const compiled = new WeakMap<ParsedScenario, readonly CompiledRule[]>()

/** Scenarios converted from recordings, whose rules come after all others. */
export const recordings = new WeakSet<ParsedScenario>()

function compileRule(rule: ParsedRule, scenario: string, number: number): CompiledRule {
  const steps = stepsOf(rule).map(compileStep)
  const forms = new Set(steps.map(({ form }) => form))
  const form = forms.size === 1 ? steps[0]?.form : undefined
  const tests = compileWhen(rule.when ?? {})
  const { times = Number.POSITIVE_INFINITY, sequence, onEnd = rule.script ? 'fail' : 'pass' } = rule
  const repeats = onEnd === 'repeat' || onEnd === 'repeat-last'
  const ends = sequence && !repeats ? Math.min(times, sequence.length) : times
  return {
    ...rule,
    scenario,
    number,
    on: [rule.on].flat(),
    // If all steps of a rule need a stream, the rule matches only requests for a stream; likewise for JSON.
    tests: form && rule.when?.stream === undefined ? [streamTest(form === 'stream', true), ...tests] : tests,
    times,
    ends,
    finite: Number.isFinite(ends) ? ends : (sequence?.length ?? 0),
    onEnd,
    steps,
  }
}

function stepsOf({ fault, reply, sequence, rateLimit, setState, script }: ParsedRule): readonly Step[] {
  if (script) return [{ reply: {} }]
  if (sequence) return sequence
  if (reply || fault) return [{ reply, fault }]
  if (rateLimit) return [{ fault: FaultSetting.parse('rate-limit') }]
  return [setState === undefined ? {} : 'pass']
}

function compileStep(step: Step): CompiledStep {
  if (step === 'pass') return { faults: [], reply: undefined, kind: 'pass', form: undefined }
  const { reply } = step
  const faults = faultsOf(step).toSorted(compareFaults)
  return {
    reply,
    faults,
    kind: reply || faults.some(({ name }) => faultOf(name).layer === 'replacement') ? 'answer' : 'modifier',
    form: reply ? undefined : formFor(faults.map(({ name }) => faultOf(name))),
  }
}

/** Returns an effect that replies with a 400, which clients do not retry. */
export function refusal(message: string, metadata: Record<string, number>): Effect {
  const headers = { 'x-should-retry': 'false' }
  return { faults: [{ name: 'status', status: 400, message, metadata, headers }], reply: undefined }
}

export interface Progress {
  matched: number
  /** Number of steps taken. In a sequence, steps whose faults had no effect also count. */
  taken: number
  /** Steps taken, not counting those whose faults had no effect. */
  applied: number
  readonly rateLimit: RateLimitUsage | undefined
  runs: readonly ScriptRun[]
  problem: string | null
  hiddenBy: string | undefined
}

export interface MatchContext {
  readonly seed: string | number
  readonly clock: Clock
  readonly state: string
  readConversation(): Conversation | undefined
}

export type Decision = { kind: 'applies' } | SkipReason

export function decide(
  rule: CompiledRule,
  { matched, taken, rateLimit }: Progress,
  request: RuleRequest,
  { seed, clock, state, readConversation }: MatchContext,
): Decision {
  const { when = {}, after = 0 } = rule
  const { turn } = when
  if (when.state !== undefined && ![when.state].flat().includes(state)) return { kind: 'state', state }
  if (turn !== undefined) {
    const turns = turnsOf(readConversation() ?? { items: [], tools: [] })
    if (!turns.includes(turn)) return { kind: 'conversation', turns }
  }
  if (rule.script) return { kind: 'script' }
  if (rule.onEnd !== 'fail' && taken >= rule.ends) return { kind: taken >= rule.times ? 'times' : 'sequence' }
  if (rule.during) {
    const { from, to = Number.POSITIVE_INFINITY } = rule.during
    const elapsedMs = clock.elapsed()
    if (elapsedMs < from || elapsedMs >= to) return { kind: 'during', elapsedMs }
  }
  const { form, kind } = stepAt(rule, taken)
  if (form && (form === 'stream') !== request.asksForStream) return { kind: form, step: taken + 1 }
  const call = matched + 1
  if (when.call !== undefined && ![when.call].flat().includes(call)) return { kind: 'call', call }
  if (call <= after) return { kind: 'after', call }
  if (rateLimit && (request.countedLimits?.has(rateLimit) || rateLimit.allows(request, clock)))
    return { kind: 'rateLimit', call: rateLimit.window(request, clock).requests + 1 }
  const { probability = 1 } = rule
  const drawn = probability < 1 ? luckOf(rule, request, seed) : 0
  if (drawn >= probability) return { kind: 'probability', drawn, probability }
  return kind === 'pass' ? { kind: 'step', call: taken + 1 } : { kind: 'applies' }
}

/** Returns the number that a call draws for a rule's `probability`. Each fallback model draws again. */
export function luckOf(rule: CompiledRule, request: RuleRequest, seed: string | number): number {
  const { contentKey, occurrence, triedModels = [] } = request
  return draw(seed, 'rule', rule.scenario, rule.number, contentKey, occurrence, ...triedModels.slice(1))
}

export function stepAt({ steps, onEnd, ends }: CompiledRule, turn: number): CompiledStep {
  if (turn >= ends) {
    const calls = `${ends} call${ends === 1 ? '' : 's'}`
    return { ...refusal(`Scenario: the rule ended after ${calls}`, {}), kind: 'answer', form: undefined }
  }
  const index = onEnd === 'repeat' ? turn % steps.length : Math.min(turn, steps.length - 1)
  return steps[index] as CompiledStep
}

export interface Activation {
  /** Id such as `flaky~3`. Snapshots preserve it, so that a restored activation can still be ended. */
  readonly id: string
  readonly name: string
  readonly source: ParsedScenario
  readonly rules: readonly CompiledRule[]
  /** Progress by 1-based rule number. Undefined for a rule that has matched no call yet. */
  readonly progress: Progress[]
  readonly replyFunction?: ReplyFunction | undefined
  readonly gate?: Gate
}

export function createActivation(source: ParsedScenario, replyFunction?: ReplyFunction): Activation {
  const { name } = source
  const rules = compiled.get(source) ?? source.rules.map((rule, index) => compileRule(rule, name, index + 1))
  compiled.set(source, rules)
  // Names cannot contain `~`, so ids and names are distinct.
  return { id: `${name}~${++begun}`, name, source, rules, progress: [], replyFunction }
}

let begun = 0

export function copyActivation(activation: Activation): Activation {
  return {
    ...activation,
    progress: activation.progress.map((each) => ({ ...each, rateLimit: each.rateLimit?.copy() })),
  }
}

export function progressIn(activation: Activation, rule: CompiledRule): Progress {
  const progress = activation.progress[rule.number] ?? {
    matched: 0,
    taken: 0,
    applied: 0,
    rateLimit: rule.rateLimit && new RateLimitUsage(rule.rateLimit),
    runs: [],
    problem: null,
    hiddenBy: undefined,
  }
  activation.progress[rule.number] = progress
  return progress
}

const rulePosition = z.lazy(() => z.int().describe("The rule's 1-based position in the scenario."))
const differences = (description: string) => z.string().nullable().describe(description)

export const ScenarioProgress = lazyObject(() => ({
  id: z.string().describe('Activation id. Pass it to deactivate only this activation.'),
  name: z.string(),
  description: z.string().nullable(),
  rules: z.array(
    z.strictObject({
      rule: rulePosition,
      name: z.string().nullable(),
      on: z.array(z.string()),
      matched: z.int().describe("Number of requests that matched the rule's conditions."),
      applied: z.int().describe('Number of requests that the rule was applied to.'),
      remaining: z.int().nullable().describe('Number of uses left; null if unlimited.'),
      source: RuleSource.describe('The rule as written, with defaults filled in.'),
    }),
  ),
}))
export type ScenarioProgress = z.output<typeof ScenarioProgress>

export function scenarioProgress(activation: Activation): ScenarioProgress {
  const { id, name, source, rules } = activation
  const reports = rules.map((rule, index) => {
    const { number, name = null, on, ends } = rule
    const { matched, applied, taken } = progressIn(activation, rule)
    const remaining = Number.isFinite(ends) ? Math.max(0, ends - taken) : null
    // A rule with its defaults filled in is valid input.
    const input = source.rules[index] as Rule
    return { rule: number, name, on: [...on], matched, applied, remaining, source: input }
  })
  return { id, name, description: source.description ?? null, rules: reports }
}

export const ScriptProgress = lazyObject(() => ({
  scenario: z.string(),
  rule: rulePosition,
  turns: z.int().describe('Number of turns in the script.'),
  conversations: z.array(
    z.strictObject({
      conversation: z.int().describe("1-based index among the sandbox's scripted conversations."),
      turns: z.int().describe('Number of turns taken.'),
      problem: differences("Differences between the last request and the turn's expectations."),
    }),
  ),
  problem: differences("Differences between the last new conversation and the first turn's expectations."),
}))
export type ScriptProgress = z.output<typeof ScriptProgress>

export function scriptsOf(activation: Activation): ScriptProgress[] {
  return activation.rules.flatMap((rule) => {
    const { scenario, number, script } = rule
    if (!script) return []
    const { runs, problem } = progressIn(activation, rule)
    const conversations = runs.map(({ conversation, turns, problem }) => ({ conversation, turns, problem }))
    return { scenario, rule: number, turns: script.length, conversations, problem }
  })
}

export const UnusedRule = lazyObject(() => ({
  scenario: z.string(),
  rule: rulePosition,
  name: z.string().optional(),
  on: z.array(z.string()),
  hiddenBy: z.string().optional().describe('Title of the rule that last answered instead of this rule.'),
  reason: z
    .string()
    .optional()
    .describe('Why the rule did not apply to the latest call that it was checked against.'),
}))
export type UnusedRule = z.output<typeof UnusedRule>

export function unusedRulesOf(activation: Activation): UnusedRule[] {
  return activation.rules.flatMap((rule) => {
    const { scenario, number, name, on } = rule
    const { applied, rateLimit, hiddenBy } = progressIn(activation, rule)
    if (applied > 0 || rateLimit?.isUsed) return []
    return { scenario, rule: number, name, on: [...on], hiddenBy }
  })
}
