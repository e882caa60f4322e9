/**
 * The active rules of a sandbox: the one that matches a call, and the progress of each.
 */

import type { QuotaReading } from '../faults/fault.ts'
import { GatewayError } from '../http/errors.ts'
import type { Clock } from '../lib/clock.ts'
import type { Conversation } from '../resources/conversation.ts'
import { compileScenario, type Effect } from './compiled.ts'
import type { RuleRequest } from './condition.ts'
import { textOperations } from './names.ts'
import type { SkippedRules, SkipReason } from './near-misses.ts'
import { type ChargeRateLimits, chargeRateLimits, type PassedRateLimit } from './rate-limit.ts'
import type { Scenario } from './scenario.ts'
import {
  type PlayedTurn,
  type Playing,
  playEnd,
  playTurn,
  type ScriptUse,
  type TurnReading,
} from './script-runs.ts'
import type { ReplyFunction } from './scripted-reply.ts'
import {
  advance,
  begin,
  type Candidate,
  type Candidates,
  candidatesAmong,
  copyNamed,
  copyUse,
  noneNamed,
  type Progress,
  progressOf,
  putBack,
  type ScenarioProgress,
  type ScriptProgress,
  scenarioProgress,
  scriptsOf,
  type Use,
} from './use.ts'

/** What a rule does to one call. */
export interface Match {
  scenario: string
  /** Its place in the scenario, from 1. */
  rule: number
  name: string | undefined
  effect: Effect
  rateLimit: QuotaReading | undefined
  /** What it does has found nothing to act on: it counts as if the rule had not met the call. */
  nothingHappened(): void
  /** The turn of a script that the call takes; undefined for other rules. */
  turn: TurnReading | undefined
  /** The number of the call among those that met the rule's conditions, from 1; of a script, the turn. */
  call: number
  /** Gives the reply in place of the rule's own. */
  answer: ReplyFunction | undefined
}

export interface Outcome {
  match: Match | undefined
  /** Headers for the reply whether a rule matched or not: the state of its rate limit. */
  headers: Record<string, string> | undefined
  /** For a call that passed a rate limit: counts the tokens of its reply, and returns the headers anew. */
  charge: ChargeRateLimits | undefined
  /** The rules that the call skipped, for `explainNearMisses`. */
  skipped: SkippedRules | undefined
}

/** A rule that has not happened yet. */
export interface UnusedRule {
  /** The name of its scenario. */
  scenario: string
  /** Its place in the scenario, from 1. */
  rule: number
  /** The name that it has for people. */
  name: string | undefined
  /** The operations that it is about, `*`, or `POST /path`. */
  on: readonly string[]
}

/** A scenario that is active until it is disposed of. */
export interface ActiveScenario extends Disposable {
  /** Id of this use of the scenario. */
  readonly id: string
  /** The name of the scenario. */
  readonly name: string
}

/** Scenarios and their progress at one point in time. */
export interface RulesSnapshot {
  readonly uses: readonly Use[]
  readonly named: ReadonlyMap<string, Use>
  readonly conversations: number
  readonly state: string
}

/** Maximum number of active rules in a sandbox: those of two scenarios of the largest size. */
export const maxRules = 20_000

/** The state of a sandbox until a rule sets another. */
const firstState = 'started'

const nothing: Outcome = { match: undefined, headers: undefined, charge: undefined, skipped: undefined }

export class Rules {
  readonly #seed: string | number
  readonly #clock: Clock
  readonly #spent: () => number
  /** Newest first. */
  #uses: Use[] = []
  /** Number of active rules. */
  #count = 0
  /** Scenarios that requests name in their header, by name. */
  #named: ReadonlyMap<string, Use> = noneNamed
  #state = firstState
  /** How many conversations have followed a script. */
  #conversations = 0
  /** Cache by names of requests, dropped when the active scenarios change. */
  #candidates: Map<string, Candidates> | undefined
  /** All that the active rules name in `on`, dropped when the active scenarios change. */
  #names: ReadonlySet<string> | undefined

  /** @param spent Dollars that the calls of the sandbox have cost, for budgets. Default: none are counted. */
  constructor({
    seed,
    clock,
    spent = () => 0,
  }: { seed: string | number; clock: Clock; spent?: () => number }) {
    this.#spent = spent
    this.#seed = seed
    this.#clock = clock
  }

  /**
   * Activates a scenario. Its finite rules are tried after those of older scenarios, its other rules before theirs.
   *
   * @param options.answer Gives the replies of the scenario, in place of those that it has.
   * @param options.among The rules that it is among when somebody ends it: a restore brings others. Default: these.
   */
  use(
    scenario: Scenario,
    {
      answer,
      among = () => this,
    }: {
      answer?: ReplyFunction | undefined
      among?: () => Rules
    } = {},
  ): ActiveScenario {
    const use: Use = { ...begin(scenario), answer }
    this.#change([use].concat(this.#uses), this.#count + use.compiled.rules.length)
    return { id: use.id, name: scenario.name, [Symbol.dispose]: () => among().end(use.id) }
  }

  /** Names of the active scenarios, newest first. */
  names(): string[] {
    return this.#uses.map(({ compiled }) => compiled.name)
  }

  /** The active scenarios and the progress of their rules, newest first. */
  active(): ScenarioProgress[] {
    return this.#uses.map(scenarioProgress)
  }

  /** Ends the scenarios of this name, or the one use with this id, and says how many there were. */
  end(name: string): number {
    const others = this.#uses.filter(({ id, compiled }) => compiled.name !== name && id !== name)
    const ended = this.#uses.length - others.length
    this.#change(others)
    return ended
  }

  /** Replaces a scenario by a newer version wherever it is active; its progress starts at zero. */
  replace(old: Scenario, next: Scenario): void {
    const compiled = compileScenario(old)
    this.#change(this.#uses.map((use) => (use.compiled === compiled ? begin(next) : use)))
  }

  /** Ends every scenario. */
  clear(): void {
    this.#state = firstState
    this.#conversations = 0
    this.#named = noneNamed
    this.#change([])
  }

  /** Sets the progress of every scenario to zero. */
  reset(): void {
    this.#state = firstState
    this.#named = noneNamed
    this.#change(this.#uses.map((use) => ({ ...use, progress: [] })))
  }

  /** The active rules that have not happened once, newest first. */
  unused(): UnusedRule[] {
    return this.#uses.flatMap(({ compiled, progress }) =>
      compiled.rules
        .filter(({ number }) => !progress[number]?.happened)
        .map(({ scenario, number, name, on }) => ({ scenario, rule: number, name, on })),
    )
  }

  /** Whether a rule names a path that no operation describes. */
  has(method: string, path: string): boolean {
    return this.#isNamed(`${method} ${path}`)
  }

  /**
   * Finds the rule that happens to a call, and advances its counters and those of the rules tried before it whose
   * conditions the call meets. Rules behind it do not count the call.
   *
   * @param named Scenarios that the request names in its header: their rules are tried first.
   * @param readConversation Reads the request as a conversation, for scripts.
   */
  match(
    request: RuleRequest,
    named: readonly Scenario[] = [],
    readConversation: () => Conversation | undefined = () => undefined,
  ): Outcome {
    if (this.#uses.length === 0 && named.length === 0) return nothing
    const names = namesOf(request)
    const candidates = named.length === 0 ? this.#candidatesFor(names) : this.#withNamed(named, names)
    const { rules, uses } = candidates
    if (rules.length === 0) return nothing

    const passed: PassedRateLimit[] = []
    const outcome = (match: Match | undefined, looked: number): Outcome => {
      const charge = passed.length > 0 ? chargeRateLimits(passed, request, this.#clock) : undefined
      return { match, headers: charge?.(0), charge, skipped: { rules, looked, reasons } }
    }
    const play = (next: typeof playTurn | typeof playEnd, script?: Progress) => {
      const conversation = readConversation()
      return conversation && this.#play(candidates.scripts, request, conversation, next, script)
    }
    let reasons: Map<number, SkipReason> | undefined
    for (const [index, rule] of rules.entries()) {
      const turn = index === candidates.scriptsAt ? play(playTurn) : undefined
      if (turn) return outcome(turn, index)
      if (!rule.tests.every((test) => test.passes(request))) continue
      if (rule.script) {
        const match = play(playEnd, progressOf(uses[index] as Use, rule))
        if (match) return outcome(match, index)
        reasons ??= new Map()
        reasons.set(index, { kind: 'script' })
        continue
      }
      const progress = progressOf(uses[index] as Use, rule)
      const here = { seed: this.#seed, clock: this.#clock, state: this.#state, spent: this.#spent }
      const next = advance(rule, progress, request, here)
      const hasHappened = 'effect' in next || next.kind === 'step'
      if (hasHappened && rule.setState !== undefined) this.#state = rule.setState
      if (hasHappened && progress.taken === rule.finite && rule.onEnd !== 'pass') this.#candidates = undefined
      if ('effect' in next) {
        const match: Match = {
          scenario: rule.scenario,
          rule: rule.number,
          name: rule.name,
          effect: next.effect,
          rateLimit: rule.rateLimit && progress.rateLimit.read(rule.rateLimit, request, this.#clock),
          nothingHappened: () => {
            putBack(rule, progress)
            this.#candidates = undefined
          },
          turn: undefined,
          call: progress.seen,
          answer: uses[index]?.answer,
        }
        return outcome(match, index)
      }
      if (rule.rateLimit && next.kind === 'rateLimit')
        passed.push({ limit: rule.rateLimit, use: progress.rateLimit, isAnnounced: rule.announcesRateLimit })
      reasons ??= new Map()
      reasons.set(index, next)
    }
    return outcome(undefined, rules.length)
  }

  /** The scripts in use and the conversations that follow them, oldest script first. */
  scripts(): ScriptProgress[] {
    return this.#uses.toReversed().flatMap(scriptsOf)
  }

  /** A copy of the active scenarios and their progress. */
  snapshot(): RulesSnapshot {
    return {
      uses: this.#uses.map(copyUse),
      named: copyNamed(this.#named),
      conversations: this.#conversations,
      state: this.#state,
    }
  }

  restore(snapshot: RulesSnapshot): void {
    this.#named = copyNamed(snapshot.named)
    this.#conversations = snapshot.conversations
    this.#state = snapshot.state
    this.#change(snapshot.uses.map(copyUse))
  }

  /** The same rules with the same progress, for a sandbox with another clock. */
  fork(clock: Clock): Rules {
    const fork = new Rules({ seed: this.#seed, clock })
    fork.restore(this.snapshot())
    return fork
  }

  #change(uses: Use[], count = uses.reduce((sum, { compiled }) => sum + compiled.rules.length, 0)): void {
    if (count > maxRules)
      throw new GatewayError(
        429,
        `A sandbox holds at most ${maxRules} active rules: end some scenarios, or reset it`,
      )
    this.#uses = uses
    this.#count = count
    this.#names = undefined
    this.#candidates = undefined
  }

  #isNamed(name: string): boolean {
    this.#names ??= new Set(this.#uses.flatMap(({ compiled }) => [...compiled.names]))
    return this.#names.has(name)
  }

  #candidatesFor(names: readonly string[]): Candidates {
    this.#candidates ??= new Map()
    // Callers can invent any number of paths: those that no rule names share one cache entry.
    const known = names.filter((name) => this.#isNamed(name))
    const key = known.join()
    const found = this.#candidates.get(key) ?? candidatesAmong(this.#uses, [...known, '*'])
    // mutation: equivalent: a cache
    this.#candidates.set(key, found)
    return found
  }

  /** Plays the turn that a request takes, if a script has one for it. */
  #play(
    scripts: readonly Candidate[],
    request: RuleRequest,
    conversation: Conversation,
    next: (uses: readonly ScriptUse[], at: Playing) => PlayedTurn | undefined,
    script?: Progress,
  ): Match | undefined {
    const uses = scripts.flatMap(({ rule, use }) => {
      const { script, states, tests, onEnd } = rule
      if (!script || (states && !states.includes(this.#state))) return []
      if (!tests.every((test) => test.passes(request))) return []
      return [{ rule, script, onEnd, progress: progressOf(use, rule) }]
    })
    const index = uses.findIndex(({ progress }) => progress === script)
    const played = next(uses, {
      index,
      request,
      conversation,
      seed: this.#seed,
      nextConversation: () => ++this.#conversations,
    })
    const taken = played && uses[played.index]?.rule
    if (!taken) return undefined
    const { scenario, number, name } = taken
    return {
      scenario,
      rule: number,
      name,
      effect: played.effect,
      rateLimit: undefined,
      nothingHappened() {},
      turn: played.reading,
      call: played.reading.turn,
      answer: undefined,
    }
  }

  #withNamed(named: readonly Scenario[], names: readonly string[]): Candidates {
    const uses = named.map((scenario) => {
      const known = this.#named.get(scenario.name)
      if (known) return known
      const use = begin(scenario)
      this.#named = new Map(this.#named).set(scenario.name, use)
      return use
    })
    return candidatesAmong(this.#uses, [...names, '*'], uses)
  }
}

/** How `on` may name a request, in addition to `*`. */
function namesOf({ isRefused, operation, answersWithText, method, route }: RuleRequest): string[] {
  if (isRefused) return []
  if (operation === undefined) return [`${method} ${route}`]
  return answersWithText ? [operation, textOperations] : [operation]
}
