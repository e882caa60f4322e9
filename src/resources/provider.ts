/** A model provider, as listed by GET /providers. Spec: Provider. */
import * as z from 'zod'
import words from '../../fixtures/words.json' with { type: 'json' }
import { defineCollection } from './collection.ts'
import { type FactoryContext, pick, slugify, uniqueWords } from './factory.ts'
import { urlSafe, webAddress } from './text.ts'

const { houses: HOUSES, trades: TRADES, countries: COUNTRIES } = words.providers

const countryCode = () => z.string().regex(/^[A-Z]{2}$/, 'Must be an ISO 3166-1 alpha-2 country code')

export const Provider = z.lazy(() =>
  z
    .strictObject({
      name: z.string().describe('Display name.'),
      slug: urlSafe().describe('URL-friendly identifier.'),
      privacy_policy_url: webAddress().nullable().describe('URL of the privacy policy.'),
      terms_of_service_url: webAddress().nullish().describe('URL of the terms of service.'),
      status_page_url: webAddress().nullish().describe('URL of the status page.'),
      headquarters: countryCode().nullish().describe('ISO 3166-1 alpha-2 country code.'),
      datacenters: z.array(countryCode()).nullish().describe('ISO 3166-1 alpha-2 country codes.'),
    })
    .meta({ id: 'Provider', description: 'A provider of AI models.' }),
)
export type Provider = z.infer<typeof Provider>

export const providers = defineCollection({
  name: 'providers',
  schema: Provider,
  keys: { slug: ({ slug }) => slug },
  fixtures: () => import('../../fixtures/providers.json', { with: { type: 'json' } }),
  fake: fakeProvider,
})

function fakeProvider(context: FactoryContext): Provider {
  const { field } = context
  const name = uniqueWords(context, HOUSES, TRADES).join(' ')
  const slug = slugify(name)
  const site = `https://${slug}.example`
  return {
    name,
    slug,
    privacy_policy_url: field('privacy_policy_url').datatype.boolean(0.9) ? `${site}/privacy` : null,
    terms_of_service_url: field('terms_of_service_url').datatype.boolean(0.8) ? `${site}/terms` : null,
    status_page_url: field('status_page_url').datatype.boolean(0.6) ? `https://status.${slug}.example` : null,
    headquarters: field('headquarters').datatype.boolean(0.9) ? pick(field('country'), COUNTRIES) : null,
    datacenters: field('datacenters').helpers.arrayElements(COUNTRIES, { min: 0, max: 4 }),
  }
}
