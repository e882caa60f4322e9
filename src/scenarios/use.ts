/**
 * One use of a scenario, with the progress of its rules, and the order in which the rules of several are tried.
 */
import { type CompiledRule, type CompiledScenario, compileScenario } from './compiled.ts'
import { type Progress, toProgress } from './progress.ts'
import type { ReplyFunction } from './reply-function.ts'
import type { Scenario } from './scenario.ts'

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

export function candidatesAmong(all: readonly Use[], key: string): Candidates {
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
