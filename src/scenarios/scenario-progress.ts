/**
 * How often the rules of an active scenario have happened, and how often they still can.
 */
import type { RuleInput } from './scenario.ts'
import type { Use } from './use.ts'

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
