/** Chooses a model's provider according to a request's preferences. */
import { GatewayError } from '../../http/errors.ts'
import { fieldsOf, listOf } from '../../lib/json.ts'
import { pricingOf, providersOf } from '../../model/catalogue.ts'
import { withoutOnline } from '../../model/search/search.ts'
import { slugify, titled } from '../../resources/factory.ts'
import type { SandboxState } from '../../sandbox/sandbox-state.ts'
import vendor from './openrouter.json' with { type: 'json' }

/**
 * Returns the preferred provider's name, or OpenRouter's error if the preferences exclude all providers. Providers
 * without a record serve every model, and models without a record are served by every provider.
 */
export async function routeTo(name: string, body: unknown, tables: SandboxState['tables']) {
  const preferences = fieldsOf(fieldsOf(body)['provider'])
  const slugsIn = (field: string) => listOf(preferences[field]).map(slugOf)
  const order = slugsIn('order')
  const only = slugsIn('only')
  const ignore = slugsIn('ignore')
  const model = withoutOnline(name)
  const isListed = (await pricingOf(model, tables)) !== undefined
  const serving = new Map((await providersOf(model, tables)).map(({ slug, name }) => [slug, name]))
  for (const slug of [...order, ...only]) {
    const record = await tables.providers.find(slug)
    if (!record || !isListed) serving.set(slug, record?.name ?? slug.split('-').map(titled).join(' '))
  }
  const required = preferences['allow_fallbacks'] === false ? [only, order] : [only]
  const allows = (slug: string) => required.every((list) => list.length === 0 || list.includes(slug))
  const isAllowed = (slug: string) => serving.has(slug) && allows(slug) && !ignore.includes(slug)
  const provider = serving.get([...order, ...serving.keys()].find(isAllowed) ?? '')
  if (provider !== undefined || serving.size === 0) return { provider: provider ?? '' }
  const available = [...serving.keys()]
  const requested = required.flat()
  const limit = `but your request's provider.only preference permits only: ${only.join(', ')}.`
  const detail = only.length > 0 ? ` Providers serving ${model}: ${available.join(', ')}, ${limit}` : ''
  const message = requested.length > 0 ? vendor.routing.refused + detail : vendor.routing.ignored
  const metadata = { available_providers: available, requested_providers: requested }
  return { provider: '', refusal: new GatewayError(404, message, metadata, { assumption: 'notFound' }) }
}

/** An endpoint's slug starts with its provider's slug, as in `deepinfra/turbo`. */
function slugOf(name: unknown): string {
  return slugify(String(name).replace(/\/.*$/s, ''))
}
