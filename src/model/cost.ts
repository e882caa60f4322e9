/**
 * What a call costs: the prices of its model, which the catalogue has in dollars per token.
 */
import { type CallUsage, dollars } from '../journal/ledger.ts'
import type { SandboxState } from '../sandbox/sandbox-state.ts'
import { withoutOnline } from './search/search-request.ts'
import type { AnswerUsage } from './usage.ts'

/** Decimal numbers in dollars: for a token that is read, for one that is written, and for the request. */
export interface Pricing {
  readonly prompt: string
  readonly completion: string
  readonly request: string
  /** Default: as `prompt`. */
  readonly input_cache_read?: string | undefined
}

/** The prices of a model; undefined for one that the catalogue does not have. */
export async function pricingOf(
  model: string,
  { models, embeddingsModels }: SandboxState['tables'],
): Promise<Pricing | undefined> {
  const name = withoutOnline(model)
  const found = (await models.find(name)) ?? (await embeddingsModels.find(name))
  return found?.pricing
}

/** What a call has used, with its cost. */
export function callUsage(model: string, usage: AnswerUsage, pricing: Pricing | undefined): CallUsage {
  return { model: withoutOnline(model), ...usage, cost: pricing ? costOf(usage, pricing) : null }
}

function costOf({ inputTokens, cachedTokens, outputTokens }: AnswerUsage, pricing: Pricing): number {
  const { prompt, completion, request, input_cache_read = prompt } = pricing
  return dollars(
    (inputTokens - cachedTokens) * Number(prompt) +
      cachedTokens * Number(input_cache_read) +
      outputTokens * Number(completion) +
      Number(request),
  )
}
