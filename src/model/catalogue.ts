/**
 * What the catalogue says about a model: whether it is listed, what it costs, and which providers run it.
 */
import { invalidRequest } from '../http/errors.ts'
import { type CallUsage, dollars } from '../journal/ledger.ts'
import { nearest } from '../lib/did-you-mean.ts'
import { compileGlob } from '../lib/glob.ts'
import { draw } from '../lib/seed.ts'
import type { AnswerUsage } from '../resources/answer.ts'
import type { SandboxState } from '../sandbox/sandbox-state.ts'
import { withoutOnline } from './search/search-request.ts'

/**
 * Warns of a model that is not among the listed ones, with the nearest that is; throws 400 for it with `strict`.
 *
 * @param model The model that answers: that of the preset, where the request names a preset.
 */
export async function checkModel(
  model: string,
  { options, tables }: SandboxState,
  warn: (message: string) => void,
): Promise<void> {
  const listed = options.models
  if (!listed) return
  const name = withoutOnline(model)
  const globs = listed.map(compileGlob)
  const isListed = (each: string) => globs.some((covers) => covers(each.toLowerCase()))
  if (isListed(name)) return
  const known = await tables.benchmarks.memo('models', (rows) => [
    ...new Set(rows.map((row) => row.model_permaslug)),
  ])
  const meant = name.length > 200 ? undefined : nearest(name, [...listed, ...known.filter(isListed)])
  const message = `'${name.slice(0, 200)}' is not among the models of this gateway`
  const hint = meant === undefined ? `: ${listed.slice(0, 10).join(', ')}` : `: did you mean '${meant}'?`
  if (options.strict)
    throw invalidRequest([{ path: 'body.model', message: message + hint, rule: 'unknown_model' }])
  warn(`body.model ${message}${hint}`)
}

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

type Tables = SandboxState['tables']
type Provider = Awaited<ReturnType<Tables['providers']['rows']>>[number]

/** Two of the providers, the same for the same model; fewer where there are fewer. */
export async function providersOf(model: string, { providers }: Tables): Promise<Provider[]> {
  const rows = await providers.rows()
  const first = Math.floor(draw(model, 'provider') * rows.length)
  const two = [rows[first], rows[(first + 1) % rows.length]]
  return two
    .filter((row): row is Provider => row !== undefined)
    .filter((row, place) => two.indexOf(row) === place)
}
