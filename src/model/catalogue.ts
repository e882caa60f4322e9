/** The model catalogue: known models, their prices and their providers. */
import { invalidRequest } from '../http/errors.ts'
import { type CallUsage, dollars } from '../journal/ledger.ts'
import { nearest } from '../lib/did-you-mean.ts'
import { compileGlob } from '../lib/glob.ts'
import { draw } from '../lib/seed.ts'
import type { AnswerUsage } from '../resources/answer.ts'
import type { CatalogueModel } from '../resources/catalogue-model.ts'
import { price } from '../resources/factory.ts'
import type { SandboxState } from '../sandbox/sandbox-state.ts'
import { isFaultModel } from '../scenarios/bundled.ts'
import { withoutOnline } from './search/search.ts'

/** Warns about an unlisted model. With `strict`, throws 400. */
export async function checkModel(
  model: string,
  { options, tables }: SandboxState,
  warn: (message: string) => void,
): Promise<void> {
  const listed = options.models
  if (!listed || isFaultModel(model)) return
  const name = withoutOnline(model)
  const globs = listed.map(compileGlob)
  const isListed = (each: string) => globs.some((covers) => covers(each.toLowerCase()))
  if (isListed(name)) return
  const catalogued = await tables.benchmarks.memo('models', (rows) => [
    ...new Set(rows.map((row) => row.model_permaslug)),
  ])
  const suggestion = nearest(name, [...listed, ...catalogued.filter(isListed)])
  const message = `'${name.slice(0, 200)}' is not one of this gateway's models`
  const hint =
    suggestion === undefined
      ? ` (${listed.slice(0, 10).join(', ')}): add it to the models option, or correct the name`
      : `; did you mean '${suggestion}'?`
  if (options.strict)
    throw invalidRequest([{ path: 'body.model', message: message + hint, rule: 'unknown_model' }], {
      isFinal: false,
    })
  warn(`body.model ${message}${hint}`)
}

type Pricing = CatalogueModel['pricing']

/** Returns cache prices, derived from the price of input tokens (assumption `promptCache`). */
export function cachePrices({ prompt }: Pick<Pricing, 'prompt'>) {
  const times = (factor: number) => price(Number(prompt) * factor * 1_000_000)
  return { input_cache_read: times(0.1), input_cache_write: times(1.25), input_cache_write_1h: times(2) }
}

/** Returns a model's prices. Variants that only choose a provider, such as `:nitro`, cost the same as the model. */
export async function pricingOf(
  model: string,
  { models, embeddingsModels }: SandboxState['tables'],
): Promise<Pricing | undefined> {
  const name = withoutOnline(model)
  const plain = name.replace(/:(nitro|floor)$/, '')
  const row = (await models.find(name)) ?? (await models.find(plain)) ?? (await embeddingsModels.find(name))
  return row?.pricing
}

/** @param cost Default: calculated from the model's prices. */
export function callUsage(
  model: string,
  usage: AnswerUsage,
  pricing: Pricing | undefined,
  cost = pricing ? costOf(usage, pricing) : null,
): CallUsage {
  return { model: withoutOnline(model), ...usage, cost }
}

function costOf(usage: AnswerUsage, pricing: Pricing): number {
  const { inputTokens, cachedTokens, cacheWriteTokens, cacheWriteTokens1h, outputTokens } = usage
  const prices = { ...cachePrices(pricing), ...pricing }
  return dollars(
    (inputTokens - cachedTokens - cacheWriteTokens) * Number(prices.prompt) +
      cachedTokens * Number(prices.input_cache_read) +
      (cacheWriteTokens - cacheWriteTokens1h) * Number(prices.input_cache_write) +
      cacheWriteTokens1h * Number(prices.input_cache_write_1h) +
      outputTokens * Number(prices.completion) +
      Number(prices.request),
  )
}

/** Returns up to two providers. If the model's vendor is a provider, it comes first. */
export async function providersOf(model: string, { providers }: SandboxState['tables']) {
  const rows = await providers.rows()
  const vendor = rows.findIndex(({ slug }) => model.startsWith(`${slug}/`))
  const first = vendor < 0 ? Math.floor(draw(model, 'provider') * rows.length) : vendor
  const two = [rows[first], rows[(first + 1) % rows.length]]
  return [...new Set(two)].filter((row) => row !== undefined)
}
