/** The model catalogue: lists and counts models, and reads a model's endpoints. */
import * as z from 'zod'
import { ok } from '../../http/reply.ts'
import { draw } from '../../lib/seed.ts'
import { providersOf } from '../../model/catalogue.ts'
import { defineOperation } from '../../operation.ts'
import { CatalogueModel } from '../../resources/catalogue-model.ts'
import type { SandboxState } from '../../sandbox/sandbox-state.ts'
import { listedModel } from './get-model.ts'

const Filters = z.lazy(() =>
  z.looseObject({
    output_modalities: z
      .string()
      .optional()
      .describe('Comma-separated modalities, or `all` for every model.'),
    supported_parameters: z
      .string()
      .optional()
      .describe('Comma-separated parameter names. The model must support all of them.'),
    q: z.string().optional().describe('Substring of the id or name, case-insensitive.'),
  }),
)
type Filters = z.infer<typeof Filters>

const PagedFilters = z.lazy(() => {
  const digits = z
    .string()
    .regex(/^\d{1,9}$/, 'Must be a whole number')
    .transform(Number)
  return Filters.unwrap().extend({ limit: digits.pipe(z.int().min(1)).optional(), offset: digits.optional() })
})

const Models = z.lazy(() =>
  z.object({
    data: z.array(CatalogueModel),
    total_count: z.int(),
    links: z.strictObject({ next: z.string().nullable() }),
  }),
)

export const listModels = modelList('listModels', '/models', 'List models')

/** Lists all models, because users are not restricted. */
export const listUserModels = modelList('listUserModels', '/models/user', "List the user's models")

function modelList<const Id extends string>(id: Id, path: string, summary: string) {
  return defineOperation({
    id,
    method: 'get',
    path,
    doc: { summary, tag: 'Models' },
    input: { query: PagedFilters },
    output: Models,
    async resolve({ query, sandbox }) {
      const models = await matching(sandbox, query)
      const { offset = 0, limit = models.length, ...filters } = query
      const end = offset + limit
      const nextQuery = { offset: `${end}`, limit: `${limit}`, ...(filters as Record<string, string>) }
      const next = end < models.length ? `/api/v1${path}?${new URLSearchParams(nextQuery)}` : null
      return ok({ data: models.slice(offset, end), total_count: models.length, links: { next } })
    },
  })
}

export const countModels = defineOperation({
  id: 'countModels',
  method: 'get',
  path: '/models/count',
  doc: { summary: 'Count models', tag: 'Models' },
  input: { query: Filters },
  output: z.lazy(() => z.object({ data: z.strictObject({ count: z.int() }) })),
  async resolve({ query, sandbox }) {
    return ok({ data: { count: (await matching(sandbox, query)).length } })
  },
})

const Endpoint = z.lazy(() => {
  const percentiles = z.strictObject({ p50: z.number(), p75: z.number(), p90: z.number(), p99: z.number() })
  return z.strictObject({
    name: z.string(),
    model_id: z.string(),
    model_name: z.string(),
    provider_name: z.string(),
    tag: z.string(),
    context_length: z.int(),
    max_completion_tokens: z.int().nullable(),
    max_prompt_tokens: z.int().nullable(),
    pricing: z.record(z.string(), z.string()),
    quantization: z.string().nullable(),
    status: z.int(),
    supported_parameters: z.array(z.string()),
    supports_implicit_caching: z.boolean(),
    uptime_last_5m: z.number().nullable(),
    uptime_last_30m: z.number().nullable(),
    uptime_last_1d: z.number().nullable(),
    latency_last_30m: percentiles.nullable(),
    throughput_last_30m: percentiles.nullable(),
  })
})

const ModelEndpoints = z.lazy(() =>
  z.object({
    data: CatalogueModel.unwrap()
      .pick({ id: true, name: true, description: true, created: true, architecture: true })
      .extend({ endpoints: z.array(Endpoint) }),
  }),
)

export const listModelEndpoints = defineOperation({
  id: 'listModelEndpoints',
  method: 'get',
  path: '/models/{author}/{slug}/endpoints',
  doc: { summary: "List a model's endpoints", tag: 'Models' },
  input: { params: z.lazy(() => z.object({ author: z.string().min(1), slug: z.string().min(1) })) },
  output: ModelEndpoints,
  async resolve({ params: { author, slug }, sandbox }) {
    const model = await listedModel(`${author}/${slug}`, sandbox.tables)
    const { id, name, description, created, architecture } = model
    const providers = await providersOf(id, sandbox.tables)
    const endpoints = providers.map((provider) => endpointOf(model, provider.name, provider.slug))
    return ok({ data: { id, name, description, created, architecture, endpoints } })
  },
})

async function matching({ tables }: SandboxState, filters: Filters): Promise<CatalogueModel[]> {
  const rows = [...(await tables.models.rows()), ...(await tables.embeddingsModels.rows())]
  return rows.filter((model) => matches(model, filters))
}

function matches(
  { id, name, architecture, supported_parameters }: CatalogueModel,
  filters: Filters,
): boolean {
  const { output_modalities = 'text', supported_parameters: required, q } = filters
  const words = (text: string) => text.split(',').map((word) => word.trim())
  const hasOutput =
    output_modalities === 'all' ||
    words(output_modalities).some((word) => architecture.output_modalities.includes(word))
  const hasParameters = !required || words(required).every((word) => supported_parameters.includes(word))
  return hasOutput && hasParameters && `${id} ${name}`.toLowerCase().includes((q ?? '').toLowerCase())
}

type Frozen<Row> = { readonly [Field in keyof Row]: Row[Field] }

function endpointOf(model: Frozen<CatalogueModel>, provider: string, slug: string): z.infer<typeof Endpoint> {
  const { id, name, context_length, pricing, supported_parameters } = model
  const at = (label: string, from: number, to: number) =>
    Math.round((from + (to - from) * draw(id, slug, label)) * 10) / 10
  const spread = (middle: number) => ({ p50: middle, p75: middle * 1.3, p90: middle * 1.8, p99: middle * 3 })
  return {
    name: `${provider} | ${id}`,
    model_id: id,
    model_name: name,
    provider_name: provider,
    tag: slug,
    context_length,
    max_completion_tokens: model.top_provider.max_completion_tokens,
    max_prompt_tokens: null,
    pricing: { prompt: pricing.prompt, completion: pricing.completion },
    quantization: null,
    status: 0,
    supported_parameters: [...supported_parameters],
    supports_implicit_caching: false,
    uptime_last_5m: 100,
    uptime_last_30m: at('uptime', 99, 100),
    uptime_last_1d: at('uptime_1d', 98, 100),
    latency_last_30m: spread(at('latency', 0.2, 1.5)),
    throughput_last_30m: spread(at('throughput', 30, 150)),
  }
}
