/** A model in the catalogue, as listed by GET /models. A call's cost is computed from its prices. */
import * as z from 'zod'
import words from '../../fixtures/words.json' with { type: 'json' }
import { defineCollection } from './collection.ts'
import { type FactoryContext, pick, price, timestamp, titled, uniqueWords, VENDORS } from './factory.ts'
import { EmbeddingsModel, emptyFields } from './model.ts'

const { families: FAMILIES, editions: EDITIONS, descriptions: DESCRIPTIONS } = words.models

export const CatalogueModel = z.lazy(() => {
  const entry = EmbeddingsModel.unwrap()
  const cachePrice = entry.shape.pricing.shape.prompt.optional()
  return entry
    .extend({
      pricing: entry.shape.pricing.extend({
        input_cache_read: cachePrice,
        input_cache_write: cachePrice,
        input_cache_write_1h: cachePrice,
      }),
      architecture: entry.shape.architecture.extend({ output_modalities: z.array(z.string()).min(1) }),
      supported_parameters: z.array(z.string()).describe('Names of supported request parameters.'),
      default_parameters: z.record(z.string(), z.number().nullable()).nullable(),
      knowledge_cutoff: z.string().nullable(),
      expiration_date: z.string().nullable(),
    })
    .meta({ id: 'Model', description: 'A model with its metadata and pricing.' })
})
export type CatalogueModel = z.infer<typeof CatalogueModel>

export const models = defineCollection({
  name: 'models',
  schema: CatalogueModel,
  keys: { id: ({ id }) => id, slug: ({ canonical_slug }) => canonical_slug },
  fixtures: () => import('../../fixtures/models.json', { with: { type: 'json' } }),
  fake: fakeCatalogueModel,
})

function fakeCatalogueModel(context: FactoryContext): CatalogueModel {
  const { field } = context
  const [vendor = '', ...words] = uniqueWords(context, VENDORS, FAMILIES, EDITIONS)
  const id = `${vendor}/${words.join('-')}`
  const context_length = pick(field('context_length'), [32_768, 65_536, 131_072, 200_000, 1_048_576])
  const perMillion = field('pricing').number.int({ min: 5, max: 400 }) / 100
  return {
    id,
    canonical_slug: id,
    name: `${titled(vendor)}: ${words.map(titled).join(' ')}`,
    description: pick(field('description'), DESCRIPTIONS),
    created: Math.floor(Date.parse(timestamp(field('created'))) / 1000),
    context_length,
    architecture: {
      input_modalities: ['text'],
      output_modalities: ['text'],
      modality: 'text->text',
      tokenizer: titled(vendor),
      instruct_type: null,
    },
    pricing: { prompt: price(perMillion), completion: price(perMillion * 4), image: '0', request: '0' },
    top_provider: { context_length, is_moderated: false, max_completion_tokens: 16_384 },
    supported_parameters: ['max_tokens', 'stop', 'temperature', 'tool_choice', 'tools', 'top_p'],
    links: { details: `/api/v1/models/${id}/endpoints` },
    ...emptyFields,
  }
}
