/**
 * The scenarios of a sandbox and their progress as data, to be saved and read again elsewhere.
 */
import * as z from 'zod'
import { count } from '../lib/numbers.ts'
import { RateLimitUse } from './rate-limit.ts'
import type { RulesSnapshot } from './rules.ts'
import type { Scenario } from './scenario.ts'
import { begin, type Use } from './use.ts'

/** Maximum length in UTF-16 units. Prompts and answers of live calls stay below it. */
const Text = z.lazy(() => z.string().max(64 * 1024 * 1024))
const Count = z.lazy(() => count())
/** Milliseconds of a clock. */
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
          rule: count(1).describe('Its place in the scenario, from 1.'),
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
      { path: ['progress'], error: 'Must be of rules that the scenario has' },
    ),
)
type UseFile = z.infer<typeof UseFile>

export const RulesFile = z.lazy(() =>
  z.strictObject({
    uses: z.array(UseFile).describe('In force, newest first. Replies by functions stay in their process.'),
    named: z.array(UseFile).describe('Named by requests in their header.'),
    conversations: Count,
    state: Text,
  }),
)
export type RulesFile = z.infer<typeof RulesFile>

export function toRulesFile({ uses, named, conversations, state }: RulesSnapshot): RulesFile {
  return {
    uses: uses.filter(({ answer }) => !answer).map(toUseFile),
    named: [...named.values()].map(toUseFile),
    conversations,
    state,
  }
}

/** @param toScenario Checks a scenario. Throws for one that is wrong. */
export function fromRulesFile(
  { uses, named, conversations, state }: RulesFile,
  toScenario: (given: object) => Scenario,
): RulesSnapshot {
  const read = (file: UseFile) => fromUseFile(file, toScenario(file.scenario))
  const byName = named.map(read).map((use) => [use.compiled.name, use] as const)
  return { uses: uses.map(read), named: new Map(byName), conversations, state }
}

function toUseFile({ compiled, progress }: Use): UseFile {
  return {
    scenario: compiled.source,
    progress: compiled.rules.flatMap(({ number }) => {
      const made = progress[number]
      if (!made) return []
      const { seen, taken, happened, rateLimit, runs, problem } = made
      const told = runs.map(({ calls, said, pending, ...run }) => ({
        ...run,
        said: [...said],
        pending: [...pending],
        calls: Object.fromEntries(calls),
      }))
      return { rule: number, seen, taken, happened, quota: rateLimit.toJSON(), runs: told, problem }
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
