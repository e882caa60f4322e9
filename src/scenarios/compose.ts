/**
 * Decides which active rules act on a request, and counts them. Between activations, rules compose: one answers, and
 * others change its reply. Within an activation, the first rule that matches applies.
 */
import { conflict } from '../faults/compatibility.ts'
import { type FaultSetting, faultOf } from '../faults/index.ts'
import {
  type Activation,
  type Decision,
  decide,
  initialProgress,
  isSeen,
  type MatchContext,
  type Progress,
  progressIn,
  stepAt,
} from './activation.ts'
import { type CompiledRule, type CompiledStep, recordings } from './compiled.ts'
import type { RuleRequest } from './condition.ts'
import { ruleTitle } from './names.ts'
import type { SkippedRules, SkipReason } from './near-misses.ts'
import { type ActiveScript, findRun, type PlannedTurn, planEnd, planTurn } from './script-runs.ts'

/** An activation's rules that may match a request. */
export interface Group {
  readonly activation: Activation
  readonly rules: readonly CompiledRule[]
  /** If true, the request names the scenario. */
  readonly isOwn: boolean
}

/** Rules for the same operations, newest activation first. Those that the request names come before all others. */
export interface Candidates {
  readonly groups: readonly Group[]
  /** The rules of all groups. */
  readonly rules: readonly CompiledRule[]
}

/** A group, and where it is among all groups. */
interface Place extends Group {
  /** Position of the group, from 0. */
  readonly age: number
  /** Index of its first rule in `Candidates.rules`. */
  readonly start: number
}

/** A rule whose conditions match a request. */
export interface TriedRule {
  readonly rule: CompiledRule
  readonly place: Place
  /** Index in `Candidates.rules`. */
  readonly index: number
  readonly kind: CompiledStep['kind']
  /** Rules with a lower rank come first. */
  readonly rank: number
  readonly decision: Decision | { readonly kind: 'turn'; readonly turn: PlannedTurn }
}

export interface Composition {
  readonly answer: TriedRule | undefined
  /** Rules that change the reply, in their order. */
  readonly modifiers: readonly TriedRule[]
  /** Rules whose rate limit the request passed, in their order. Empty if a limit is exceeded. */
  readonly limits: readonly TriedRule[]
  /** All rules whose conditions match, in the order in which they were tried. */
  readonly tried: readonly TriedRule[]
  readonly skipped: SkippedRules
}

/** Returns the rules that act on a request. Changes nothing; see `countRules`. */
export function compose(candidates: Candidates, request: RuleRequest, context: MatchContext): Composition {
  const { groups, rules } = candidates
  const reasons = new Map<number, SkipReason>()
  let start = 0
  const places = groups.map((group, age): Place => {
    const place = { ...group, age, start }
    start += group.rules.length
    return place
  })
  const byGroup = playScripts(
    places.map((place) => tryRules(place, 0, request, context)),
    context,
  )
  const choices = byGroup.flatMap((tried) => tried.filter(isChosen)).sort(byRank)
  const answer = choices.find(({ kind }) => kind === 'answer')
  const acting = new Acting(answer)
  /** Returns a modifier that can act. One that the answer excludes does not match, so the scenario's next is tried. */
  const admit = (choice: TriedRule): TriedRule | undefined => {
    let next: TriedRule | undefined = choice
    while (next) {
      const why = next.kind === 'answer' ? hidden : acting.excludes(next)
      if (!why) return next
      const { place, index, kind }: TriedRule = next
      reasons.set(index, why)
      if (kind === 'answer' || why.kind === 'modifier') return undefined
      const more = tryRules(place, index - place.start + 1, request, context)
      byGroup[place.age]?.push(...more)
      next = more.find(isChosen)
    }
    return undefined
  }
  const hidden: SkipReason = { kind: 'answer', why: `is hidden by ${answer ? titleOf(answer) : ''}` }
  const modifiers = choices.flatMap((choice) => {
    const modifier = choice === answer ? undefined : admit(choice)
    if (modifier) acting.add(modifier)
    return modifier ?? []
  })
  const tried = byGroup.flat()
  for (const { index, decision } of tried)
    if (decision.kind !== 'applies' && decision.kind !== 'turn') reasons.set(index, decision)
  const unlisted = places.flatMap(({ age, start, rules }): [from: number, to: number][] => {
    const last = byGroup[age]?.findLast(isChosen)
    const from = last ? last.index + Number(reasons.has(last.index)) : start + rules.length
    return from < start + rules.length ? [[from, start + rules.length]] : []
  })
  const isLimited = answer !== undefined && isOverLimit(answer)
  const limits = isLimited ? [] : tried.filter(({ decision }) => decision.kind === 'rateLimit').sort(byRank)
  return { answer, modifiers, limits, tried, skipped: { rules, reasons, unlisted } }
}

/**
 * Counts the rules that act on a request, and those that let it pass. Rules behind the answer do not count it. Returns
 * the sandbox's new state.
 */
export function countRules(
  { answer, modifiers, limits, tried }: Composition,
  request: RuleRequest,
  { clock, state }: MatchContext,
): string {
  const acting = new Set([answer, ...modifiers])
  const besideAnswer = new Acting(answer)
  const isBehind = ({ rank, kind, rule, place, decision }: TriedRule) => {
    if (!answer || rank <= answer.rank || place === answer.place || decision.kind === 'rateLimit')
      return false
    // A step that passes in a sequence waits for its turn as an answer would.
    return kind === 'answer' || (kind === 'pass' && rule.sequence !== undefined)
  }
  const stepping: TriedRule[] = []
  for (const each of tried) {
    const { rule, place, kind, decision } = each
    if (decision.kind === 'turn') continue
    const isActing = acting.has(each)
    if (isChosen(each) && !isActing && kind === 'answer' && answer)
      progressIn(place.activation, rule).hiddenBy = titleOf(answer)
    if (isChosen(each) ? !isActing : isBehind(each) || (kind === 'modifier' && besideAnswer.excludes(each)))
      continue
    if (isSeen(decision)) progressIn(place.activation, rule).matched++
    if (isActing || decision.kind === 'step') stepping.push(each)
  }
  for (const { rule, place } of limits) {
    const { rateLimit } = progressIn(place.activation, rule)
    if (!rule.rateLimit || request.countedLimits?.has(rateLimit)) continue
    rateLimit.count(rule.rateLimit, request, clock, { requests: 1 })
    request.countedLimits?.add(rateLimit)
  }
  let next = state
  for (const { rule, place } of stepping.sort(byRank)) {
    const progress = progressIn(place.activation, rule)
    progress.taken++
    progress.applied++
    next = rule.setState ?? next
  }
  return next
}

function isChosen({ decision }: TriedRule): boolean {
  return decision.kind === 'applies' || decision.kind === 'turn'
}

function byRank(left: TriedRule, right: TriedRule): number {
  return left.rank - right.rank
}

function titleOf({ rule }: Pick<TriedRule, 'rule'>): string {
  return ruleTitle(rule.scenario, rule.number, rule.name)
}

function isOverLimit({ rule, decision, kind }: Pick<TriedRule, 'rule' | 'decision' | 'kind'>): boolean {
  return rule.rateLimit !== undefined && decision.kind === 'applies' && kind === 'answer'
}

/** Tries a group's rules up to the first one that applies. Scripts are left to `playScripts`. */
function tryRules(place: Place, from: number, request: RuleRequest, context: MatchContext): TriedRule[] {
  const { activation, rules, start } = place
  const tried: TriedRule[] = []
  for (let position = from; position < rules.length; position++) {
    const rule = rules[position] as CompiledRule
    if (!rule.tests.every((test) => test.passes(request))) continue
    const progress = activation.progress[rule.number] ?? initialProgress
    const decision = decide(rule, progress, request, context)
    const kind = rule.script ? 'answer' : stepAt(rule, progress.taken).kind
    const rank = rankOf({ rule, decision, kind }, progress, place)
    tried.push({ rule, place, index: start + position, kind, rank, decision })
    if (decision.kind === 'applies') break
  }
  return tried
}

/** Positions of rules in the order, before their age. */
const tiers = { own: 0, finite: 1, conditional: 2, script: 3, other: 4, recording: 5 } as const
/** Larger than any number of activations. */
const perTier = 1_000_000

/**
 * Ranks a rule: an exceeded limit first, then scenarios that the request names, rules with `times` or steps left
 * (oldest first), replies with `when`, scripts with turns left, all others (newest first), and
 * recordings.
 */
function rankOf(
  tried: Pick<TriedRule, 'rule' | 'decision' | 'kind'>,
  { taken }: Readonly<Progress>,
  place: Place,
): number {
  const { age } = place
  const tier = tierOf(tried.rule, taken, place)
  const rank = tiers[tier] * perTier + (tier === 'finite' ? perTier - age - 1 : age)
  return isOverLimit(tried) ? rank - Object.keys(tiers).length * perTier : rank
}

function tierOf(rule: CompiledRule, taken: number, { isOwn, activation }: Place): keyof typeof tiers {
  if (isOwn) return 'own'
  if (taken < rule.finite) return 'finite'
  if (recordings.has(activation.compiled.source)) return 'recording'
  return rule.reply && rule.when ? 'conditional' : 'other'
}

/**
 * Lets all scripts that rules leave the request to decide together which of them plays a turn. Returns each group's
 * rules up to the one that applies.
 */
function playScripts(found: readonly TriedRule[][], { readConversation }: MatchContext): TriedRule[][] {
  const isScript = ({ decision }: TriedRule) => decision.kind === 'script'
  const waiting = found.toReversed().flatMap((tried) => tried.filter(isScript))
  const conversation = waiting.length > 0 ? readConversation() : undefined
  if (!conversation) return [...found]
  const scripts = new Map(
    waiting.map((each): [TriedRule, ActiveScript] => {
      const { rule, place } = each
      const progress = place.activation.progress[rule.number] ?? initialProgress
      return [each, { rule, script: rule.script ?? [], progress }]
    }),
  )
  const active = [...scripts.values()]
  const current = findRun(active, conversation)
  const next = planTurn(active, conversation, current)
  return found.map((tried) => {
    for (const [place, each] of tried.entries()) {
      const script = scripts.get(each)
      if (!script) continue
      const isNext = next?.active === script
      const turn = isNext ? next : planEnd(active, script, conversation, current)
      if (!turn) continue
      const rank = isNext && each.rank >= perTier ? tiers.script * perTier + (each.rank % perTier) : each.rank
      return [...tried.slice(0, place), { ...each, rank, decision: { kind: 'turn', turn } }]
    }
    return tried
  })
}

/** The faults of the rules that act on a request. Other rules that set the same faults cannot act too. */
class Acting {
  readonly #answer: TriedRule | undefined
  readonly #byName = new Map<string, TriedRule>()
  /** Faults of different fields can act together, so the path of a field is part of the key. */
  readonly #bySetting = new Map<string, TriedRule>()

  constructor(answer: TriedRule | undefined) {
    this.#answer = answer
    if (answer) this.add(answer)
  }

  add(rule: TriedRule): void {
    for (const setting of faultsIn(rule)) {
      this.#byName.set(setting.name, this.#byName.get(setting.name) ?? rule)
      this.#bySetting.set(keyOf(setting), rule)
    }
  }

  /** Returns why a rule's faults cannot act. */
  excludes(rule: TriedRule): SkipReason | undefined {
    for (const setting of faultsIn(rule)) {
      const same = this.#bySetting.get(keyOf(setting))
      if (same) return this.#excluded(same, `both set '${setting.name}'`)
      for (const [name, other] of this.#byName) {
        const why = name === setting.name ? undefined : conflict(faultOf(name), faultOf(setting.name))
        if (why !== undefined) return this.#excluded(other, why)
      }
    }
    return undefined
  }

  #excluded(other: TriedRule, why: string): SkipReason {
    const kind = other === this.#answer ? 'answer' : 'modifier'
    return { kind, why: `does not act next to ${titleOf(other)}: ${why}` }
  }
}

function keyOf(setting: FaultSetting): string {
  return 'path' in setting ? `${setting.name} ${setting.path}` : setting.name
}

/** Returns true if a rule changes more than the time of a reply. */
export function changesReply(rule: TriedRule): boolean {
  return faultsIn(rule).some(({ name }) => faultOf(name).layer !== 'delay')
}

function faultsIn({ rule, place, decision }: TriedRule): readonly FaultSetting[] {
  if (decision.kind === 'turn') return decision.turn.faults
  const { taken } = place.activation.progress[rule.number] ?? initialProgress
  return stepAt(rule, taken).effect?.faults ?? []
}
