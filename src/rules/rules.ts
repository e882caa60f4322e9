/**
 * The active rules of a sandbox: which one happens to a call, and the progress of each.
 */
import type { QuotaReading } from '../faults/fault.ts'
import { quotaHeaders } from '../faults/instead.ts'
import type { Clock } from '../lib/clock.ts'
import { type CompiledRule, type CompiledScenario, compileScenario, type Effect } from './compiled.ts'
import type { SkippedRules, SkipReason } from './near-misses.ts'
import { advance, type Progress, putBack, readQuota, toProgress } from './progress.ts'
import type { RuleRequest } from './rule-request.ts'
import type { Scenario } from './scenario.ts'

/** What a rule does to one call. */
export interface Match {
  scenario: string
  /** Its place in the scenario, from 1. */
  rule: number
  name: string | undefined
  effect: Effect
  quota: QuotaReading | undefined
  /** What it does has found nothing to act on: it counts as if the rule had not met the call. */
  nothingHappened(): void
}

export interface Outcome {
  match: Match | undefined
  /** Headers for the reply whether a rule matched or not: where a quota stands. */
  headers: Record<string, string> | undefined
  /** The rules that the call skipped, for `explainNearMisses`. */
  skipped: SkippedRules | undefined
}

/** A rule that has not happened yet. */
export interface UnusedRule {
  scenario: string
  /** Its place in the scenario, from 1. */
  rule: number
  name: string | undefined
  on: readonly string[]
}

/** A scenario that is active until it is disposed of. */
export interface ActiveScenario extends Disposable {
  readonly name: string
}

/** One `use()` of a scenario. */
interface Use {
  /** The same in every copy: a use that a snapshot brought back can still be ended. */
  readonly identity: symbol
  readonly compiled: CompiledScenario
  /** By the rule's number, from 1; undefined for a rule whose conditions no call has met. */
  readonly progress: Progress[]
  /** A single rule with `times`: those are tried first, in the order in which they were given. */
  readonly isCounted: boolean
}

/** The rules about an operation, in the order in which they are tried: see `tryOrder`. */
interface Candidates {
  readonly rules: readonly CompiledRule[]
  /** By index in `rules`: the use that holds its progress. */
  readonly uses: readonly Use[]
}

/** Scenarios and their progress at one point in time. */
export interface RulesSnapshot {
  readonly uses: readonly Use[]
  readonly named: ReadonlyMap<string, Use>
}

const noneNamed: ReadonlyMap<string, Use> = new Map()
const nothing: Outcome = { match: undefined, headers: undefined, skipped: undefined }

export class Rules {
  readonly #seed: string | number
  readonly #clock: Clock
  /** Newest first. */
  #uses: Use[] = []
  /** Scenarios that requests name in their header, by name. */
  #named: ReadonlyMap<string, Use> = noneNamed
  /** Cache by operation or `METHOD /path`, dropped when the active scenarios change. */
  #candidates: Map<string, Candidates> | undefined

  constructor({ seed, clock }: { seed: string | number; clock: Clock }) {
    this.#seed = seed
    this.#clock = clock
  }

  /**
   * Activates a scenario; its rules are tried before all others.
   *
   * @param options.isCounted Its one rule has `times`, and waits until those given before it are used up.
   * @param options.among The rules that it is among when somebody ends it: a restore brings others. Default: these.
   */
  use(
    scenario: Scenario,
    { isCounted = false, among = () => this }: { isCounted?: boolean; among?: () => Rules } = {},
  ): ActiveScenario {
    const use = begin(scenario, isCounted)
    this.#change([use, ...this.#uses])
    return { name: scenario.name, [Symbol.dispose]: () => among().#end(use.identity) }
  }

  /** Names of the active scenarios, newest first. */
  names(): string[] {
    return this.#uses.map(({ compiled }) => compiled.name)
  }

  /** Ends the scenarios of this name, and says how many there were. */
  end(name: string): number {
    const others = this.#uses.filter(({ compiled }) => compiled.name !== name)
    const ended = this.#uses.length - others.length
    this.#change(others)
    return ended
  }

  /** Replaces a scenario by a newer version wherever it is active; its progress starts at zero. */
  replace(old: Scenario, next: Scenario): void {
    const compiled = compileScenario(old)
    this.#change(this.#uses.map((use) => (use.compiled === compiled ? begin(next, use.isCounted) : use)))
  }

  /** Ends every scenario. */
  clear(): void {
    this.#named = noneNamed
    this.#change([])
  }

  /** Sets the progress of every scenario to zero. */
  reset(): void {
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
    return this.#uses.some(({ compiled }) => compiled.names(`${method} ${path}`))
  }

  /**
   * Finds the rule that happens to a call, and advances the counters of every rule whose conditions the call meets.
   *
   * @param named Scenarios that the request names in its header: their rules are tried first.
   */
  match(request: RuleRequest, named: readonly Scenario[] = []): Outcome {
    const key = request.isRefused ? '*' : (request.operation ?? `${request.method} ${request.route}`)
    const { rules, uses } = named.length === 0 ? this.#candidatesFor(key) : this.#withNamed(named, key)
    if (rules.length === 0) return nothing

    let headers: Record<string, string> | undefined
    let reasons: Map<number, SkipReason> | undefined
    for (const [index, rule] of rules.entries()) {
      if (!rule.tests.every((test) => test.passes(request))) continue
      const progress = progressOf(uses[index] as Use, rule)
      const next = advance(rule, progress, request, { seed: this.#seed, clock: this.#clock })
      const quota = rule.quota && readQuota(rule.quota, progress, this.#clock.now())
      if ('effect' in next) {
        const match: Match = {
          scenario: rule.scenario,
          rule: rule.number,
          name: rule.name,
          effect: next.effect,
          quota,
          nothingHappened: () => putBack(rule, progress),
        }
        return { match, headers, skipped: { rules, looked: index, reasons } }
      }
      if (quota && rule.announcesQuota) headers ??= quotaHeaders(quota)
      reasons ??= new Map()
      reasons.set(index, next)
    }
    return { match: undefined, headers, skipped: { rules, looked: rules.length, reasons } }
  }

  /** A copy of the active scenarios and their progress. */
  snapshot(): RulesSnapshot {
    return { uses: this.#uses.map(copy), named: copyNamed(this.#named) }
  }

  restore(snapshot: RulesSnapshot): void {
    this.#named = copyNamed(snapshot.named)
    this.#change(snapshot.uses.map(copy))
  }

  /** The same rules with the same progress, for a sandbox with another clock. */
  fork(clock: Clock): Rules {
    const fork = new Rules({ seed: this.#seed, clock })
    fork.restore(this.snapshot())
    return fork
  }

  #end(ended: symbol): void {
    this.#change(this.#uses.filter(({ identity }) => identity !== ended))
  }

  #change(uses: Use[]): void {
    this.#uses = uses
    this.#candidates = undefined
  }

  #candidatesFor(key: string): Candidates {
    this.#candidates ??= new Map()
    let found = this.#candidates.get(key)
    if (!found) {
      // Callers can invent any number of paths: those that no rule names share one cache entry.
      const known = this.#uses.some(({ compiled }) => compiled.names(key)) ? key : '*'
      found = this.#candidates.get(known) ?? candidatesAmong(tryOrder(this.#uses), known)
      this.#candidates.set(known, found)
    }
    return found
  }

  #withNamed(named: readonly Scenario[], key: string): Candidates {
    const uses = named.map((scenario) => {
      const known = this.#named.get(scenario.name)
      if (known) return known
      const use = begin(scenario)
      this.#named = new Map(this.#named).set(scenario.name, use)
      return use
    })
    return candidatesAmong([...uses, ...tryOrder(this.#uses)], key)
  }
}

function begin(scenario: Scenario, isCounted = false): Use {
  return { identity: Symbol(scenario.name), compiled: compileScenario(scenario), progress: [], isCounted }
}

function copy(use: Use): Use {
  return { ...use, progress: use.progress.map((each) => ({ ...each })) }
}

function copyNamed(named: ReadonlyMap<string, Use>): ReadonlyMap<string, Use> {
  return named.size === 0 ? noneNamed : new Map([...named].map(([name, use]) => [name, copy(use)]))
}

function candidatesAmong(all: readonly Use[], key: string): Candidates {
  const rules: CompiledRule[] = []
  const uses: Use[] = []
  for (const use of all) {
    for (const rule of use.compiled.rulesFor(key)) {
      rules.push(rule)
      uses.push(use)
    }
  }
  return { rules, uses }
}

/** Counted rules in the order given, then the other scenarios, newest first. */
function tryOrder(newestFirst: readonly Use[]): Use[] {
  return [
    ...newestFirst.filter(({ isCounted }) => isCounted).reverse(),
    ...newestFirst.filter(({ isCounted }) => !isCounted),
  ]
}

function progressOf(use: Use, rule: CompiledRule): Progress {
  const progress = use.progress[rule.number] ?? toProgress()
  use.progress[rule.number] = progress
  return progress
}
