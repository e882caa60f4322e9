/** Single models, the models available to a user (the whole catalogue), and the former way to buy credits. */
import * as z from 'zod'
import { GatewayError } from '../../http/errors.ts'
import { ok } from '../../http/reply.ts'
import { defineOperation } from '../../operation.ts'
import { unknownSlug } from '../../operations/unknown-slug.ts'
import { CatalogueModel } from '../../resources/catalogue-model.ts'
import { offset, page } from './lists.ts'

/** Reads a model by id or canonical slug. Variants such as `:free` refer to the model itself. */
export const getModel = defineOperation({
  id: 'getModel',
  method: 'get',
  path: '/model/{author}/{slug}',
  doc: { summary: 'Get a model', tag: 'Models' },
  input: { params: z.lazy(() => z.object({ author: z.string().min(1), slug: z.string().min(1) })) },
  output: z.lazy(() => z.object({ data: CatalogueModel._zod.innerType })),
  errors: [404],
  marks: { extension: true },
  async resolve({ params: { author, slug }, sandbox: { tables } }) {
    const id = `${author}/${slug}`
    const model = (await tables.models.find(id)) ?? (await tables.models.find(id.replace(/:[^/:]*$/, '')))
    if (model) return ok({ data: model })
    const ids = (await tables.models.rows()).map((row) => ({ slug: row.id }))
    throw unknownSlug('no model has the id', id, ids)
  },
})

/** Reads a model at `/models/…`, the path that callers of GET /models expect. */
export const getListedModel = { ...getModel, id: 'getListedModel', path: '/models/{author}/{slug}' }

/** Lists all models, because users are not restricted. */
export const listUserModels = defineOperation({
  id: 'listUserModels',
  method: 'get',
  path: '/models/user',
  doc: { summary: "List the user's models", tag: 'Models' },
  input: {
    query: z.lazy(() => z.looseObject({ offset: offset(), limit: offset().describe('Default: all.') })),
  },
  output: z.lazy(() =>
    z.object({
      data: z.array(CatalogueModel._zod.innerType),
      total_count: z.int(),
      links: z.strictObject({ next: z.string().nullable() }),
    }),
  ),
  marks: { extension: true },
  async resolve({ query: { offset = 0, limit }, sandbox }) {
    const rows = await sandbox.tables.models.rows()
    const end = limit === undefined ? rows.length : offset + limit
    const next = end < rows.length ? `/api/v1/models/user?offset=${end}&limit=${limit}` : null
    return ok({ ...page(rows, { offset, limit: end - offset }), links: { next } })
  },
})

/** Rejects every request with 410, as documented. */
export const createCoinbaseCharge = defineOperation({
  id: 'createCoinbaseCharge',
  method: 'post',
  path: '/credits/coinbase',
  doc: { summary: 'Create a Coinbase charge (removed)', tag: 'Credits' },
  output: z.lazy(() => z.unknown()),
  errors: [410],
  marks: { extension: true },
  resolve() {
    throw new GatewayError(410, 'Coinbase charges have been removed: buy credits on the website')
  },
})
