/**
 * Serialises the scenarios of a sandbox and their progress, for sandbox files.
 */
import * as z from 'zod'
import { count } from '../lib/numbers.ts'
import { begin, type Use } from './activation.ts'
import { RateLimitUse } from './rate-limit.ts'
import type { RulesSnapshot } from './rules.ts'
import type { Scenario } from './scenario.ts'

/** Text of at most 64 Mi UTF-16 units, more than live calls can produce. */
const Text = z.lazy(() => z.string().max(64 * 1024 * 1024))
const Count = z.lazy(() => count())
/** Milliseconds of the sandbox clock. */
const Moment = z.lazy(() => z.number().min(0).max(Number.MAX_SAFE_INTEGER))

const Uses = z.lazy(() =>
  z.array(z.strictObject({ at: Moment, now: Moment, requests: Count, tokens: Count })),
)

const Run = z.lazy(() =>
  z.strictObject({
    conversation: Count,
    firstUserText: Text,
    turns: Count,
    said: z.array(z.strictObject({ text: Text, isSure: z.boolean() })),
    calls: z.record(Text, Text),
    pending: z.array(Text),
    problem: Text.nullable(),
  }),
)

const UseFile = z.lazy(() =>
  z
    .strictObject({
      scenario: z.looseObject({}),
      progress: z.array(
        z.strictObject({
          rule: count(1).describe('Position of the rule in the scenario, from 1.'),
          seen: Count,
          taken: Count,
          happened: Count,
          quota: z.array(z.tuple([Text, Uses])),
          runs: z.array(Run),
          problem: Text.nullable(),
        }),
      ),
    })
    .refine(
      ({ scenario, progress }) => progress.every(({ rule }) => rule <= [scenario['rules']].flat().length),
      { path: ['progress'], error: 'Must refer to rules of the scenario' },
    ),
)
type UseFile = z.infer<typeof UseFile>

export const RulesFile = z.lazy(() =>
  z.strictObject({
    uses: z
      .array(UseFile)
      .describe('Active scenarios, newest first, except those that reply with a function.'),
    named: z.array(UseFile).describe('Scenarios that requests named in a header.'),
    conversations: Count,
    state: Text,
  }),
)
export type RulesFile = z.infer<typeof RulesFile>

export function toRulesFile({ uses, named, conversations, state }: RulesSnapshot): RulesFile {
  return {
    uses: uses.filter(({ replyFunction }) => !replyFunction).map(toUseFile),
    named: [...named.values()].map(toUseFile),
    conversations,
    state,
  }
}

/** @param toScenario Checks a scenario. Throws if it is invalid. */
export function fromRulesFile(
  { uses, named, conversations, state }: RulesFile,
  toScenario: (input: object) => Scenario,
): RulesSnapshot {
  const read = (file: UseFile) => fromUseFile(file, toScenario(file.scenario))
  const byName = named.map(read).map((use) => [use.compiled.name, use] as const)
  return { uses: uses.map(read), named: new Map(byName), conversations, state }
}

function toUseFile({ compiled, progress }: Use): UseFile {
  return {
    scenario: compiled.source,
    progress: compiled.rules.flatMap(({ number }) => {
      const ruleProgress = progress[number]
      if (!ruleProgress) return []
      const { seen, taken, happened, rateLimit, runs, problem } = ruleProgress
      const savedRuns = runs.map(({ calls, said, pending, ...run }) => ({
        ...run,
        said: [...said],
        pending: [...pending],
        calls: Object.fromEntries(calls),
      }))
      return { rule: number, seen, taken, happened, quota: rateLimit.toJSON(), runs: savedRuns, problem }
    }),
  }
}

function fromUseFile({ progress }: UseFile, scenario: Scenario): Use {
  const use = begin(scenario)
  for (const { rule, quota, runs, ...counts } of progress) {
    use.progress[rule] = {
      ...counts,
      rateLimit: RateLimitUse.from(quota),
      runs: runs.map(({ calls, ...run }) => ({ ...run, calls: new Map(Object.entries(calls)) })),
    }
  }
  return use
}
