/** Counts a sandbox's tokens and cost by model. */
import * as z from 'zod'

const tokens = () => ({
  inputTokens: z.int(),
  cachedTokens: z.int().describe('Input tokens read from the cache.'),
  outputTokens: z.int(),
  reasoningTokens: z.int().describe('Output tokens used for reasoning.'),
})

/** Tokens and cost of a call. */
export const CallUsage = z.lazy(() =>
  z.strictObject({
    model: z.string().describe('The model that replied, without `:online`.'),
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
    unpriced: z.int().describe('Number of requests to models without a price. They do not add to the cost.'),
  }),
)
type UsageSum = z.output<typeof UsageSum>

export const SandboxUsage = z.lazy(() =>
  UsageSum._zod.innerType
    .extend({ models: z.record(z.string(), UsageSum) })
    .meta({ id: 'Usage', description: 'Usage of a sandbox.' }),
)
export type SandboxUsage = z.output<typeof SandboxUsage>

/** Maximum number of models to count separately. All further ones share the entry `*`. */
const maxModels = 1000
const otherModels = '*'

const zero: UsageSum = {
  requests: 0,
  inputTokens: 0,
  cachedTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  totalTokens: 0,
  cost: 0,
  unpriced: 0,
}

export class Ledger {
  #total: UsageSum = zero
  readonly #models = new Map<string, UsageSum>()

  get cost(): number {
    return this.#total.cost
  }

  add(usage: CallUsage): void {
    const { model } = usage
    const name = this.#models.has(model) || this.#models.size < maxModels ? model : otherModels
    this.#models.set(name, sum(this.#models.get(name) ?? zero, usage))
    this.#total = sum(this.#total, usage)
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

function sum(total: UsageSum, usage: CallUsage): UsageSum {
  const next = { ...total, requests: total.requests + 1, cost: dollars(total.cost + (usage.cost ?? 0)) }
  for (const name of ['inputTokens', 'cachedTokens', 'outputTokens', 'reasoningTokens'] as const)
    next[name] += usage[name]
  next.totalTokens = next.inputTokens + next.outputTokens
  if (usage.cost === null) next.unpriced++
  return next
}

/** Rounds to a price list's precision, so that a sum does not depend on the order of its terms. */
export function dollars(amount: number): number {
  return Math.round(amount * 1e10) / 1e10
}
