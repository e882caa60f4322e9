/** Reads single models. */
import * as z from 'zod'
import { ok } from '../../http/reply.ts'
import { defineOperation } from '../../operation.ts'
import { CatalogueModel } from '../../resources/catalogue-model.ts'
import { unknownSlug } from '../../resources/unknown-slug.ts'

/** Reads a model by id or canonical slug. Variants such as `:free` refer to the model itself. */
export const getModel = defineOperation({
  id: 'getModel',
  method: 'get',
  path: '/model/{author}/{slug}',
  doc: { summary: 'Get a model', tag: 'Models' },
  input: { params: z.lazy(() => z.object({ author: z.string().min(1), slug: z.string().min(1) })) },
  output: z.lazy(() => z.object({ data: CatalogueModel._zod.innerType })),
  errors: [404],
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
