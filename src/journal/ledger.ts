/**
 * What the calls of a sandbox have used, by model: tokens, and what they cost.
 */

/** What one call has used. */
export interface CallUsage {
  /** The model that answered, without `:online`. */
  readonly model: string
  readonly inputTokens: number
  /** Of the input: those that were read from a cache. */
  readonly cachedTokens: number
  readonly outputTokens: number
  /** Of the output: those of thinking. */
  readonly reasoningTokens: number
  /** Dollars; null where the model has no price. */
  readonly cost: number | null
}

/** The sum of what calls have used. */
export interface UsageSum {
  requests: number
  inputTokens: number
  /** Of the input: those that were read from a cache. */
  cachedTokens: number
  outputTokens: number
  /** Of the output: those of thinking. */
  reasoningTokens: number
  /** Input and output. */
  totalTokens: number
  /** Dollars. */
  cost: number
  /** Requests to models without a price: they add nothing to the cost. */
  unpriced: number
}

/** What a sandbox has used, in sum and by model. */
export interface SandboxUsage extends UsageSum {
  models: Record<string, UsageSum>
}

/** How many models are told apart; then the others are counted together. */
const maxModels = 1000
/** The name of the others; no model is called so. */
const others = '*'

export class Ledger {
  #total: UsageSum = nothing()
  readonly #models = new Map<string, UsageSum>()

  /** Dollars, in sum. */
  get cost(): number {
    return this.#total.cost
  }

  add(usage: CallUsage): void {
    const { model } = usage
    const name = this.#models.has(model) || this.#models.size < maxModels ? model : others
    this.#models.set(name, sum(this.#models.get(name) ?? nothing(), usage))
    this.#total = sum(this.#total, usage)
  }

  /** A copy, by model in the order of their names. */
  read(): SandboxUsage {
    // mutation: equivalent: the names in a map are distinct
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

function nothing(): UsageSum {
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
  // mutation: equivalent: for the types; null adds nothing
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

/** Rounded to what a price list can tell, so that a sum is the same in every order. */
export function dollars(amount: number): number {
  return Math.round(amount * 1e10) / 1e10
}
