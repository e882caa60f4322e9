/** Counts a sandbox's tokens and cost by model. */
import * as z from 'zod'
import { noTokens, tokenCounts } from '../resources/answer.ts'

const tokens = () => ({
  inputTokens: z.int().describe('All input tokens, including cache reads and writes.'),
  cachedTokens: z.int().describe('Input tokens read from the cache.'),
  cacheWriteTokens: z.int().describe('Input tokens written to the cache.'),
  cacheWriteTokens1h: z.int().describe('Tokens written to the cache for an hour instead of five minutes.'),
  outputTokens: z.int().describe('All output tokens, including reasoning tokens.'),
  reasoningTokens: z.int().describe('Output tokens used for reasoning.'),
})

export const CallUsage = z.lazy(() =>
  z.strictObject({
    model: z.string().describe('Name of the model that replied, without the `:online` suffix.'),
    ...tokens(),
    cost: z.number().nullable().describe('Cost in US dollars; null if the model has no price.'),
  }),
)
export type CallUsage = z.output<typeof CallUsage>

const UsageSum = z.lazy(() =>
  z.strictObject({
    requests: z.int(),
    ...tokens(),
    totalTokens: z.int().describe('Sum of input and output tokens.'),
    cost: z.number().describe('Cost in US dollars.'),
    unpriced: z.int().describe('Number of requests whose cost is unknown. They are not included in `cost`.'),
  }),
)
type UsageSum = z.output<typeof UsageSum>

export const SandboxUsage = z.lazy(() =>
  UsageSum._zod.innerType
    .extend({ models: z.record(z.string(), UsageSum) })
    .meta({ id: 'Usage', description: 'Usage of a sandbox.' }),
)
export type SandboxUsage = z.output<typeof SandboxUsage>

/** Maximum number of models to count separately. All other models share the entry `*`. */
const maxModels = 1000
const otherModels = '*'

const zero: UsageSum = { requests: 0, ...noTokens, totalTokens: 0, cost: 0, unpriced: 0 }

export class Ledger {
  #total: UsageSum = zero
  readonly #models = new Map<string, UsageSum>()

  /** @param counted Usage added earlier for the same call, which `usage` replaces. */
  add(usage: CallUsage, counted?: CallUsage): void {
    const { model } = usage
    const name = this.#models.has(model) || this.#models.size < maxModels ? model : otherModels
    this.#models.set(name, sum(this.#models.get(name) ?? zero, usage, counted))
    this.#total = sum(this.#total, usage, counted)
  }

  read(): SandboxUsage {
    const models = [...this.#models].sort(([left], [right]) => (left < right ? -1 : 1))
    return { ...this.#total, models: structuredClone(Object.fromEntries(models)) }
  }

  copy(): Ledger {
    const copy = new Ledger()
    copy.#total = this.#total
    for (const [model, usage] of this.#models) copy.#models.set(model, usage)
    return copy
  }
}

function sum(total: UsageSum, usage: CallUsage, counted?: CallUsage): UsageSum {
  const next = { ...total, cost: dollars(total.cost + (usage.cost ?? 0) - (counted?.cost ?? 0)) }
  for (const name of tokenCounts) next[name] += usage[name] - (counted?.[name] ?? 0)
  next.totalTokens = next.inputTokens + next.outputTokens
  if (!counted) next.requests++
  if (!counted && usage.cost === null) next.unpriced++
  return next
}

/** Rounds to a price list's precision, so that a sum does not depend on the order of its terms. */
export function dollars(amount: number): number {
  return Math.round(amount * 1e12) / 1e12
}
