/** Serialises a sandbox's scenarios and their progress for sandbox files. */
import * as z from 'zod'
import { count } from '../lib/numbers.ts'
import { type Activation, createActivation } from './activation.ts'
import { RateLimitUsage } from './rate-limit.ts'
import type { RulesSnapshot } from './rules.ts'
import type { Scenario } from './scenario.ts'

/** Text of at most 64 Mi UTF-16 code units, more than live calls can produce. */
const Text = z.lazy(() => z.string().max(64 * 1024 * 1024))
const Count = z.lazy(() => count())
/** Start of a rate limit window in milliseconds: elapsed time in `at`, a timestamp in `now`. */
const Moment = z.lazy(() => z.number().min(0).max(Number.MAX_SAFE_INTEGER))

const Uses = z.lazy(() =>
  z.array(z.strictObject({ at: Moment, now: Moment, requests: Count, tokens: Count })),
)

const Run = z.lazy(() =>
  z.strictObject({
    conversation: Count,
    firstUserMessage: Text,
    turns: Count,
    said: z.array(z.strictObject({ text: Text, isSure: z.boolean() })),
    calls: z.record(Text, Text),
    pending: z.array(Text),
    problem: Text.nullable(),
  }),
)

const ActivationFile = z.lazy(() =>
  z
    .strictObject({
      scenario: z.looseObject({}),
      progress: z.array(
        z.strictObject({
          rule: count(1).describe("The rule's position in the scenario, from 1."),
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
type ActivationFile = z.infer<typeof ActivationFile>

export const RulesFile = z.lazy(() =>
  z.strictObject({
    uses: z
      .array(ActivationFile)
      .describe('Active scenarios, newest first. Scenarios that reply with a function are omitted.'),
    named: z.array(ActivationFile).describe('Scenarios activated by the `x-understudy-scenario` header.'),
    conversations: Count,
    state: Text,
  }),
)
export type RulesFile = z.infer<typeof RulesFile>

export function toRulesFile({ activations, named, conversations, state }: RulesSnapshot): RulesFile {
  return {
    uses: activations.filter(({ replyFunction }) => !replyFunction).map(toActivationFile),
    named: [...named.values()].map(toActivationFile),
    conversations,
    state,
  }
}

/** @param toScenario Validates a scenario. Throws if it is invalid. */
export function fromRulesFile(
  { uses, named, conversations, state }: RulesFile,
  toScenario: (input: object) => Scenario,
): RulesSnapshot {
  const read = (file: ActivationFile) => fromActivationFile(file, toScenario(file.scenario))
  const byName = named.map(read).map((activation) => [activation.compiled.name, activation] as const)
  return { activations: uses.map(read), named: new Map(byName), conversations, state }
}

function toActivationFile({ compiled, progress }: Activation): ActivationFile {
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

function fromActivationFile({ progress }: ActivationFile, scenario: Scenario): Activation {
  const activation = createActivation(scenario)
  for (const { rule, quota, runs, ...counts } of progress) {
    activation.progress[rule] = {
      ...counts,
      rateLimit: RateLimitUsage.from(quota),
      runs: runs.map(({ calls, ...run }) => ({ ...run, calls: new Map(Object.entries(calls)) })),
    }
  }
  return activation
}
