/** Counts a sandbox's tokens and cost by model. */
import type { AnswerUsage } from '../resources/answer.ts'

/** Tokens and cost of a call. */
export interface CallUsage extends AnswerUsage {
  /** The model that replied, without `:online`. */
  readonly model: string
  /** Cost in US dollars; null if the model has no price. */
  readonly cost: number | null
}

/** Total usage of several calls. */
export interface UsageSum {
  requests: number
  inputTokens: number
  /** Input tokens read from the cache. */
  cachedTokens: number
  outputTokens: number
  /** Output tokens used for reasoning. */
  reasoningTokens: number
  /** Sum of input and output tokens. */
  totalTokens: number
  /** Cost in US dollars. */
  cost: number
  /** Number of requests to models without a price. They do not add to the cost. */
  unpriced: number
}

/** A sandbox's usage, in total and by model. */
export interface SandboxUsage extends UsageSum {
  models: Record<string, UsageSum>
}

/** Maximum number of models to count separately. All further models share one entry. */
const maxModels = 1000
/** Name of the shared entry. It is not a valid model name. */
const otherModels = '*'

export class Ledger {
  #total: UsageSum = zeroUsage()
  readonly #models = new Map<string, UsageSum>()

  /** Total cost in US dollars. */
  get cost(): number {
    return this.#total.cost
  }

  add(usage: CallUsage): void {
    const { model } = usage
    const name = this.#models.has(model) || this.#models.size < maxModels ? model : otherModels
    this.#models.set(name, sum(this.#models.get(name) ?? zeroUsage(), usage))
    this.#total = sum(this.#total, usage)
  }

  /** Returns a copy of the usage, sorted by model name. */
  read(): SandboxUsage {
    const models = [...this.#models].sort(([left], [right]) => (left < right ? -1 : 1))
    return {
      ...this.#total,
      models: Object.fromEntries(models.map(([model, usage]) => [model, { ...usage }])),
    }
  }

  copy(): Ledger {
    const copy = new Ledger()
    copy.#total = this.#total
    for (const [model, usage] of this.#models) copy.#models.set(model, usage)
    return copy
  }
}

function zeroUsage(): UsageSum {
  return {
    requests: 0,
    inputTokens: 0,
    cachedTokens: 0,
    outputTokens: 0,
    reasoningTokens: 0,
    totalTokens: 0,
    cost: 0,
    unpriced: 0,
  }
}

function sum(total: UsageSum, usage: CallUsage): UsageSum {
  const cost = usage.cost ?? 0
  return {
    requests: total.requests + 1,
    inputTokens: total.inputTokens + usage.inputTokens,
    cachedTokens: total.cachedTokens + usage.cachedTokens,
    outputTokens: total.outputTokens + usage.outputTokens,
    reasoningTokens: total.reasoningTokens + usage.reasoningTokens,
    totalTokens: total.totalTokens + usage.inputTokens + usage.outputTokens,
    cost: dollars(total.cost + cost),
    unpriced: total.unpriced + (usage.cost === null ? 1 : 0),
  }
}

/** Rounds to a price list's precision, so that a sum does not depend on the order of its terms. */
export function dollars(amount: number): number {
  return Math.round(amount * 1e10) / 1e10
}
