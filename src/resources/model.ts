/** An embeddings model, as listed by GET /embeddings/models. Spec: Model (embeddings listing entry). */
import * as z from 'zod'
import words from '../../fixtures/words.json' with { type: 'json' }
import { defineCollection } from './collection.ts'
import { type FactoryContext, pick, price, timestamp, titled, uniqueWords, VENDORS } from './factory.ts'

const { families: FAMILIES, sizes: SIZES, descriptions: DESCRIPTIONS } = words.embeddingsModels

const decimal = () => z.string().regex(/^-?\d+(\.\d+)?$/, 'Must be a decimal number, as a string')
const tokenCount = () => z.int().nonnegative()

export const EmbeddingsModel = z.lazy(() =>
  z
    .strictObject({
      id: z.string().describe('Model identifier, <vendor>/<model>.'),
      canonical_slug: z.string(),
      name: z.string(),
      description: z.string(),
      created: z.int().nonnegative().describe('Unix timestamp in seconds.'),
      context_length: tokenCount(),
      architecture: z.strictObject({
        input_modalities: z.array(z.string()),
        output_modalities: z
          .array(z.string())
          .refine((modalities) => modalities.includes('embeddings'), 'Must contain embeddings')
          .meta({ contains: { const: 'embeddings' } }),
        modality: z.string().describe('Input and output modalities, such as text->text.'),
        tokenizer: z.string(),
        instruct_type: z.string().nullable(),
      }),
      pricing: z
        .strictObject({ prompt: decimal(), completion: decimal(), image: decimal(), request: decimal() })
        .describe('Prices per unit, as decimal numbers.'),
      top_provider: z.strictObject({
        context_length: tokenCount(),
        is_moderated: z.boolean(),
        max_completion_tokens: tokenCount().nullable(),
      }),
      supported_parameters: z.array(z.string()).describe('Empty for embeddings models.'),
      links: z.strictObject({ details: z.string().describe("Path of this model's endpoints.") }),
      default_parameters: z.null(),
      per_request_limits: z.null(),
      supported_voices: z.null(),
      knowledge_cutoff: z.null(),
      expiration_date: z.null(),
    })
    .meta({ id: 'EmbeddingsModel', description: 'An embeddings model with its metadata and pricing.' }),
)
export type EmbeddingsModel = z.infer<typeof EmbeddingsModel>

export const embeddingsModels = defineCollection({
  name: 'embeddingsModels',
  schema: EmbeddingsModel,
  keys: { id: ({ id }) => id },
  fixtures: () => import('../../fixtures/embeddings-models.json', { with: { type: 'json' } }),
  fake: fakeEmbeddingsModel,
})

function fakeEmbeddingsModel(context: FactoryContext): EmbeddingsModel {
  const { field } = context
  const [vendor = '', ...words] = uniqueWords(context, VENDORS, FAMILIES, SIZES)
  const id = `${vendor}/embed-${words.join('-')}`
  const context_length = pick(field('context_length'), [512, 2048, 8192, 16384, 32768])
  const acceptsImages = field('input_modalities').datatype.boolean(0.2)
  return {
    id,
    canonical_slug: id,
    name: `${titled(vendor)}: Embed ${words.map(titled).join(' ')}`,
    description: pick(field('description'), DESCRIPTIONS),
    created: Math.floor(Date.parse(timestamp(field('created'))) / 1000),
    context_length,
    architecture: {
      input_modalities: acceptsImages ? ['text', 'image'] : ['text'],
      output_modalities: ['embeddings'],
      modality: acceptsImages ? 'text+image->embeddings' : 'text->embeddings',
      tokenizer: titled(vendor),
      instruct_type: null,
    },
    pricing: {
      prompt: price(field('pricing').number.int({ min: 1, max: 40 }) / 100),
      completion: '0',
      image: '0',
      request: '0',
    },
    top_provider: { context_length, is_moderated: false, max_completion_tokens: null },
    supported_parameters: [],
    links: { details: `/api/v1/models/${id}/endpoints` },
    ...emptyFields,
  }
}

export const emptyFields = {
  default_parameters: null,
  per_request_limits: null,
  supported_voices: null,
  knowledge_cutoff: null,
  expiration_date: null,
} as const
