/**
 * Decides which active rules act on a request, and counts their uses. Rules from different activations combine: one
 * answers, others change its reply. Within an activation, the first matching rule applies. A
 * rule that only sets the state, or whose faults cannot be combined with the answer, does not end the search.
 */
import { conflict } from '../faults/compatibility.ts'
import type { RateLimitState } from '../faults/fault.ts'
import { type FaultSetting, faultOf } from '../faults/index.ts'
import {
  type Activation,
  type CompiledRule,
  type CompiledStep,
  createActivation,
  type Decision,
  decide,
  type Effect,
  type MatchContext,
  type Progress,
  progressIn,
  recordings,
  stepAt,
} from './activation.ts'
import type { RuleRequest } from './condition.ts'
import { ruleTitle, textOperations } from './names.ts'
import type { SkippedRules, SkipReason } from './near-misses.ts'
import { type ChargeRateLimits, chargeRateLimits } from './rate-limit.ts'
import { type PlannedTurn, planTurns, playTurn, type TurnReading } from './script-runs.ts'
import type { FillTemplates } from './template.ts'

export interface MatchedRule {
  scenario: string
  rule: number
  name: string | undefined
  kind: 'answer' | 'modifier'
  source: CompiledRule
  effect: Effect
  rateLimit?: RateLimitState | undefined
  turn?: TurnReading | undefined
  /** 1-based position among the calls that match the rule's conditions; in a script, the turn. */
  call: number
  activation: Activation
}

export interface Match extends MatchedRule {
  /** Records that the rule's faults had no effect, so that the call does not count as a use of the rule. */
  noEffect(): void
  /** Undoes the use of a rule that answers a rejected request. Returns the rule, which now counts as skipped. */
  release(): SkippedRules
}

export interface Outcome {
  /** The rules that act on the call: the one that answers, then those that change the reply. */
  matches: readonly Match[]
  /** Counts the reply's tokens and returns rate limit headers. Set if the call stayed within a rate limit. */
  charge: ChargeRateLimits | undefined
  skipped: readonly SkippedRules[]
}

/** An activation's rules for the request's operation, and which of them have been tried. */
interface Trial {
  readonly activation: Activation
  readonly rules: readonly CompiledRule[]
  readonly isOwn: boolean
  /** Zero-based position among all activations. */
  readonly age: number
  readonly reasons: Map<number, SkipReason>
  readonly tried: TriedRule[]
  next: number
}

interface TriedRule {
  readonly rule: CompiledRule
  readonly progress: Progress
  readonly trial: Trial
  readonly index: number
  step: CompiledStep
  /** Rules with a lower rank come first. */
  rank: number
  decision: Decision | { readonly kind: 'turn'; readonly turn: PlannedTurn }
}

export interface RecordedAnswer {
  readonly file: string
  /** The fault that reproduces the failure, if the recording has no reply. */
  readonly faults: readonly FaultSetting[]
}

interface ComposeContext extends MatchContext {
  readonly live: { state: string; conversations: number }
  readonly fillTemplates: FillTemplates
  findRecorded(): RecordedAnswer | undefined
}

/** Also counts the request. @param named Number of activations named by the request; these come first. */
export function compose(
  activations: readonly Activation[],
  named: number,
  request: RuleRequest,
  context: ComposeContext,
): Outcome {
  const { clock, live, findRecorded } = context
  const { asksForStream } = request
  const names = namesOf(request)
  const trials = activations.flatMap((activation, age): Trial | [] => {
    const rules = activation.rules.filter((rule) => rule.on.some((on) => names.includes(on)))
    const progress = { reasons: new Map(), tried: [], next: 0 }
    return rules.length > 0 ? { activation, rules, isOwn: age < named, age, ...progress } : []
  })
  for (const trial of trials) tryRules(trial, request, context)
  playScripts(trials, context)
  const choices = trials.flatMap(({ tried }) => tried.filter(isChosen)).sort(byRank)
  const answer = choices.find(({ step }) => step.kind === 'answer') ?? toTried(findRecorded())
  // Faults for streams also act on a recorded stream, whatever the request asks for.
  if (request.asksForStream !== asksForStream) return compose(activations, named, request, context)
  const modifiers: TriedRule[] = []
  for (const choice of choices) {
    let modifier = choice === answer ? undefined : choice
    while (modifier) {
      const why = reasonAgainst(modifier, answer, modifiers)
      if (!why) break
      modifier.trial.reasons.set(modifier.index, why)
      // If the answer excludes a modifier, the scenario's next rule is tried.
      const isOpen: boolean = modifier.step.kind !== 'answer' && why.kind === 'answer'
      modifier = isOpen ? tryRules(modifier.trial, request, context) : undefined
    }
    if (modifier) modifiers.push(modifier)
  }
  const tried = trials.flatMap((trial) => trial.tried)
  const acting = new Set([answer, ...modifiers])
  const stepping: TriedRule[] = []
  for (const each of tried) {
    const { trial, index, progress, step, decision } = each
    if (decision.kind === 'turn') continue
    if (decision.kind !== 'applies') trial.reasons.set(index, decision)
    const isActing = acting.has(each)
    if (isChosen(each) && !isActing && step.kind === 'answer' && answer) progress.hiddenBy = titleOf(answer)
    const isExcluded = step.kind === 'modifier' && reasonAgainst(each, answer, []) !== undefined
    if (isChosen(each) ? !isActing : isBehind(each, answer) || isExcluded) continue
    if (countsAsMatch.includes(decision.kind)) progress.matched++
    if (isActing || decision.kind === 'step') stepping.push(each)
  }
  const skipped = trials.map(({ activation, rules, reasons, tried, next }): SkippedRules => {
    const applied = tried.find((each) => isChosen(each) && !reasons.has(each.index))
    return { activation, rules, reasons, count: applied ? applied.index : next }
  })
  const isLimited = answer !== undefined && isOverLimit(answer)
  const limits = isLimited ? [] : tried.filter(({ decision }) => decision.kind === 'rateLimit').sort(byRank)
  for (const { rateLimit } of limits.map(({ progress }) => progress)) {
    if (!rateLimit || request.countedLimits?.has(rateLimit)) continue
    rateLimit.count(request, clock, { requests: 1 })
    request.countedLimits?.add(rateLimit)
  }
  for (const { rule, progress } of stepping.sort(byRank)) {
    progress.taken++
    progress.applied++
    live.state = rule.setState ?? live.state
  }
  const changesReply = modifiers.some(({ step }) =>
    step.faults.some(({ name }) => faultOf(name).layer !== 'delay'),
  )
  const matches = (answer ? [answer, ...modifiers] : modifiers).map((tried) =>
    toMatch(tried, tried === answer, changesReply, request, context),
  )
  const charge = limits.length > 0 ? chargeRateLimits(limits, request, clock) : undefined
  return { matches, charge, skipped }
}

const countsAsMatch: readonly string[] = ['applies', 'call', 'after', 'rateLimit', 'probability', 'step']

/** @param isChanged If true, another rule changes the reply. */
function toMatch(
  { rule, progress, trial: { activation }, step, decision }: TriedRule,
  isAnswer: boolean,
  isChanged: boolean,
  request: RuleRequest,
  context: ComposeContext,
): Match {
  const { clock, live, state } = context
  const { scenario, number, name } = rule
  const kind = isAnswer ? 'answer' : 'modifier'
  const match = { scenario, rule: number, name, kind, source: rule, activation } as const
  const reasons = new Map([[0, { kind: 'rejected' }]] as const)
  const released: SkippedRules = { activation, rules: [rule], count: 1, reasons }
  if (decision.kind === 'turn') {
    const { effect, reading: turn, undo } = playTurn(decision.turn, request, isChanged, context)
    const release = () => {
      undo()
      return released
    }
    return { ...match, effect, turn, call: turn.number, noEffect() {}, release }
  }
  return {
    ...match,
    effect: step,
    call: progress.matched,
    rateLimit: progress.rateLimit?.read(request, clock),
    noEffect() {
      progress.applied--
      // Outside a sequence, the rule can then apply to a later call instead.
      if (!rule.sequence) progress.taken--
    },
    release() {
      progress.matched--
      progress.taken--
      progress.applied--
      if (live.state === rule.setState) live.state = state
      return released
    },
  }
}

function toTried(recorded: RecordedAnswer | undefined): TriedRule | undefined {
  if (!recorded) return undefined
  const { file: name, faults } = recorded
  const activation = createActivation({ name, rules: [{ on: '*' }] })
  const [rule] = activation.rules as [CompiledRule]
  const trial = { activation, rules: [rule], isOwn: false, age: 0, reasons: new Map(), tried: [], next: 1 }
  const step = { faults, reply: undefined, kind: 'answer', form: undefined } as const
  const progress = progressIn(activation, rule)
  return { rule, progress, trial, index: 0, step, rank: Infinity, decision: { kind: 'applies' } }
}

function isBehind(
  { rank, step: { kind }, rule, trial, decision }: TriedRule,
  answer: TriedRule | undefined,
): boolean {
  if (!answer || rank <= answer.rank || trial === answer.trial || decision.kind === 'rateLimit') return false
  // A step that passes in a sequence waits for its turn as an answer would.
  return kind === 'answer' || (kind === 'pass' && rule.sequence !== undefined)
}

function isChosen({ decision }: TriedRule): boolean {
  return decision.kind === 'applies' || decision.kind === 'turn'
}

function byRank(left: TriedRule, right: TriedRule): number {
  return left.rank - right.rank
}

function titleOf({ rule }: TriedRule): string {
  const limit = Number.isFinite(rule.times) ? ` (times: ${rule.times})` : ''
  return ruleTitle(rule.scenario, rule.number, rule.name) + limit
}

function isOverLimit({ rule, decision, step }: TriedRule): boolean {
  return rule.rateLimit !== undefined && decision.kind === 'applies' && step.kind === 'answer'
}

function namesOf({ isRejected, operation, generatesText, method, route }: RuleRequest): string[] {
  if (isRejected) return ['*']
  if (operation === undefined) return ['*', `${method} ${route}`]
  return generatesText ? ['*', operation, textOperations] : ['*', operation]
}

/** Tries a trial's next rules, and returns the first one that applies. Scripts are left to `playScripts`. */
function tryRules(trial: Trial, request: RuleRequest, context: MatchContext): TriedRule | undefined {
  while (trial.next < trial.rules.length) {
    const index = trial.next++
    const rule = trial.rules[index] as CompiledRule
    if (!rule.tests.every((test) => test.passes(request))) continue
    const progress = progressIn(trial.activation, rule)
    const decision = decide(rule, progress, request, context)
    const step = stepAt(rule, progress.taken)
    const tried = { rule, progress, trial, index, step, rank: rankOf(rule, progress, trial), decision }
    if (isOverLimit(tried)) tried.rank += ranks.limited
    trial.tried.push(tried)
    if (decision.kind === 'applies') return tried
  }
  return undefined
}

/**
 * Rules by rank, with ties broken by age: rules with an exceeded limit, scenarios that the request names,
 * rules with `times` or steps left (oldest first), replies with `when`, scripts with turns left, all others (newest
 * first), and recordings. The gaps between ranks are larger than any number of activations.
 */
const ranks = { limited: -1e7, own: 0, conditional: 2e6, script: 3e6, other: 4e6, recording: 5e6 } as const

function rankOf(rule: CompiledRule, { taken }: Progress, { isOwn, age, activation }: Trial): number {
  if (isOwn) return ranks.own + age
  if (taken < rule.finite) return ranks.conditional - age - 1
  if (recordings.has(activation.source)) return ranks.recording + age
  return (rule.reply && rule.when ? ranks.conditional : ranks.other) + age
}

/** Decides which script plays a turn, among all scripts that the request reaches. */
function playScripts(trials: readonly Trial[], { readConversation }: MatchContext): void {
  const scripts = trials
    .toReversed()
    .flatMap(({ tried }) => tried.filter(({ decision }) => decision.kind === 'script'))
  const conversation = scripts.length > 0 ? readConversation() : undefined
  if (!conversation) return
  const { next, endOf } = planTurns(scripts, conversation)
  for (const trial of trials) {
    for (const [place, script] of trial.tried.entries()) {
      if (script.decision.kind !== 'script') continue
      const isNext = next?.active === script
      const turn = isNext ? next : endOf(script)
      if (!turn) continue
      script.decision = { kind: 'turn', turn }
      script.step = { ...script.step, faults: turn.faults }
      if (isNext && !trial.isOwn) script.rank = ranks.script + trial.age
      trial.tried.length = place + 1
      trial.next = script.index + 1
      break
    }
  }
}

/** Returns the reason why a rule cannot be combined with the answer and earlier modifiers, or undefined if it can. */
function reasonAgainst(
  rule: TriedRule,
  answer: TriedRule | undefined,
  modifiers: readonly TriedRule[],
): SkipReason | undefined {
  if (answer && rule.step.kind === 'answer') return { kind: 'answer', why: `is hidden by ${titleOf(answer)}` }
  const acting = (answer ? [answer, ...modifiers] : modifiers).flatMap((each) =>
    each.step.faults.map((setting) => ({ setting, rule: each })),
  )
  for (const setting of rule.step.faults) {
    const same = acting.find((each) => keyOf(each.setting) === keyOf(setting))
    const other = same ?? acting.find((each) => conflictOf(each.setting, setting) !== undefined)
    if (!other) continue
    const why = same ? `both set '${setting.name}'` : conflictOf(other.setting, setting)
    const kind = other.rule === answer ? 'answer' : 'modifier'
    return { kind, why: `does not act next to ${titleOf(other.rule)}: ${why}` }
  }
  return undefined
}

/** Faults on different fields can act together, so a field's path is part of the key. */
function keyOf(setting: FaultSetting): string {
  return 'path' in setting ? `${setting.name} ${setting.path} ${setting.event}` : setting.name
}

function conflictOf(left: FaultSetting, right: FaultSetting): string | undefined {
  return left.name === right.name ? undefined : conflict(faultOf(left.name), faultOf(right.name))
}
