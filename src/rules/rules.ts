/**
 * The rules in force in a sandbox: which one a call meets, and how far each of them has got.
 */
import type { QuotaReading } from '../faults/fault.ts'
import { quotaHeaders } from '../faults/instead.ts'
import type { Clock } from '../lib/clock.ts'
import { type CompiledRule, type CompiledScenario, compileScenario, type Effect } from './compiled.ts'
import type { Misses, Why } from './near-misses.ts'
import { advance, type Progress, readQuota, toProgress } from './progress.ts'
import { RequestView, type RuleRequest } from './request-view.ts'
import type { Scenario } from './scenario.ts'

/** What a rule does to one call. */
export interface Match {
  scenario: string
  /** Its place in the scenario, from 1. */
  rule: number
  name: string | undefined
  effect: Effect
  quota: QuotaReading | undefined
}

export interface Outcome {
  match: Match | undefined
  /** Headers for the reply whether a rule matched or not: where a quota stands. */
  headers: Record<string, string> | undefined
  /** For `explainMisses`. */
  misses: Misses | undefined
}

/** A rule that has not happened yet. */
export interface UnusedRule {
  scenario: string
  /** Its place in the scenario, from 1. */
  rule: number
  name: string | undefined
  on: readonly string[]
}

/** A scenario in force, until it is disposed of. */
export interface InForce extends Disposable {
  readonly name: string
}

/** One `use()` of a scenario. */
interface Use {
  /** The same in every copy, so that what a snapshot brings back can still be ended. */
  readonly identity: symbol
  readonly compiled: CompiledScenario
  /** By the rule's place, from 1; a rule that met no call has none. */
  readonly progress: Progress[]
}

/** The rules that are meant for a call, newest first. */
interface Candidates {
  readonly rules: readonly CompiledRule[]
  /** Where each of them keeps its progress. */
  readonly uses: readonly Use[]
  /** The places of those that a model, in lower case, does not rule out; for the models that came by. */
  readonly byModel: Map<string | undefined, readonly number[]>
}

/** Scenarios and their progress at some moment. */
export interface RulesSnapshot {
  readonly uses: readonly Use[]
  readonly named: ReadonlyMap<string, Use>
}

/** How many models are remembered before they are all forgotten. */
const modelsRemembered = 100

const noneNamed: ReadonlyMap<string, Use> = new Map()
const nothing: Outcome = { match: undefined, headers: undefined, misses: undefined }

export class Rules {
  readonly #seed: string | number
  readonly #clock: Clock
  /** Newest first. */
  #uses: Use[] = []
  /** Scenarios that requests named themselves, by name. */
  #named: ReadonlyMap<string, Use> = noneNamed
  /** By operation or `METHOD /path`, since the scenarios in force last changed. */
  #candidates: Map<string, Candidates> | undefined

  constructor({ seed, clock }: { seed: string | number; clock: Clock }) {
    this.#seed = seed
    this.#clock = clock
  }

  /** Puts a scenario before all others. */
  use(scenario: Scenario): InForce {
    const use = begin(scenario)
    this.#change([use, ...this.#uses])
    const end = () => this.#change(this.#uses.filter(({ identity }) => identity !== use.identity))
    return { name: scenario.name, [Symbol.dispose]: end }
  }

  /** The scenarios in force by name, newest first. */
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

  /** Puts another version of a scenario in its place, wherever it is in force; nothing of it has happened yet. */
  replace(old: Scenario, next: Scenario): void {
    const compiled = compileScenario(old)
    this.#change(this.#uses.map((use) => (use.compiled === compiled ? begin(next) : use)))
  }

  /** Ends every scenario. */
  clear(): void {
    this.#named = noneNamed
    this.#change([])
  }

  /** Begins every scenario again: nothing has happened yet. */
  reset(): void {
    this.#named = noneNamed
    this.#change(this.#uses.map((use) => ({ ...use, progress: [] })))
  }

  /** The rules in force that have not happened, newest first. */
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
   * Finds the rule that a call meets, and moves on every rule that the call comes by.
   *
   * @param named Scenarios that the request itself names: they come before all others.
   */
  match(request: RuleRequest, named: readonly Scenario[] = []): Outcome {
    const key = request.operation ?? `${request.method} ${request.path}`
    const candidates = named.length === 0 ? this.#candidatesFor(key) : this.#withNamed(named, key)
    const { rules, uses } = candidates
    if (rules.length === 0) return nothing

    const view = new RequestView(request)
    let headers: Record<string, string> | undefined
    let whys: Map<number, Why> | undefined
    for (const index of placesFor(candidates, view)) {
      const rule = rules[index] as CompiledRule
      if (!meets(rule, view)) continue
      const progress = progressOf(uses[index] as Use, rule)
      const next = advance(rule, progress, request, { seed: this.#seed, clock: this.#clock })
      const quota = rule.quota && readQuota(rule.quota, progress, this.#clock.elapsed())
      if ('effect' in next) {
        const match = {
          scenario: rule.scenario,
          rule: rule.number,
          name: rule.name,
          effect: next.effect,
          quota,
        }
        return { match, headers, misses: { rules, looked: index, whys } }
      }
      if (quota && rule.announcesQuota) headers ??= quotaHeaders(quota)
      whys ??= new Map()
      whys.set(index, next)
    }
    return { match: undefined, headers, misses: { rules, looked: rules.length, whys } }
  }

  /** A copy of what is in force, unmoved by what happens next. */
  snapshot(): RulesSnapshot {
    return { uses: this.#uses.map(copy), named: copyNamed(this.#named) }
  }

  restore(snapshot: RulesSnapshot): void {
    this.#named = copyNamed(snapshot.named)
    this.#change(snapshot.uses.map(copy))
  }

  /** The same rules, as far as they have got, for a sandbox with another clock. */
  fork(clock: Clock): Rules {
    const fork = new Rules({ seed: this.#seed, clock })
    fork.restore(this.snapshot())
    return fork
  }

  #change(uses: Use[]): void {
    this.#uses = uses
    this.#candidates = undefined
  }

  #candidatesFor(key: string): Candidates {
    this.#candidates ??= new Map()
    let found = this.#candidates.get(key)
    if (!found) {
      // Unknown paths are as many as callers like: they share what is left for them, the rules for every call.
      const known = this.#uses.some(({ compiled }) => compiled.names(key)) ? key : '*'
      found = this.#candidates.get(known) ?? candidatesAmong(this.#uses, known)
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
    return candidatesAmong([...uses, ...this.#uses], key)
  }
}

function begin(scenario: Scenario): Use {
  return { identity: Symbol(scenario.name), compiled: compileScenario(scenario), progress: [] }
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
  return { rules, uses, byModel: new Map() }
}

/** Where to look: many rules are about some model, and callers name the same few again and again. */
function placesFor({ rules, byModel }: Candidates, view: RequestView): readonly number[] {
  const known = byModel.get(view.lowerCaseModel)
  if (known) return known
  const places = [...rules.keys()].filter((place) => rules[place]?.modelTest?.passes(view) ?? true)
  if (byModel.size >= modelsRemembered) byModel.clear()
  byModel.set(view.lowerCaseModel, places)
  return places
}

function meets(rule: CompiledRule, view: RequestView): boolean {
  for (const test of rule.tests) if (!test.passes(view)) return false
  return true
}

function progressOf(use: Use, rule: CompiledRule): Progress {
  const progress = use.progress[rule.number] ?? toProgress()
  use.progress[rule.number] = progress
  return progress
}
