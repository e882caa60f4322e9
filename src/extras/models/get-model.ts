/** Reads single models. */
import * as z from 'zod'
import { ok } from '../../http/reply.ts'
import { listedModel } from '../../model/catalogue.ts'
import { defineOperation } from '../../operation.ts'
import { CatalogueModel } from '../../resources/catalogue-model.ts'

export const getModel = defineOperation({
  id: 'getModel',
  method: 'get',
  path: '/model/{author}/{slug}',
  doc: { summary: 'Get a model', tag: 'Models' },
  input: { params: z.lazy(() => z.object({ author: z.string().min(1), slug: z.string().min(1) })) },
  output: z.lazy(() => z.object({ data: CatalogueModel._zod.innerType })),
  errors: [404],
  resolve: async ({ params: { author, slug }, sandbox }) =>
    ok({ data: await listedModel(`${author}/${slug}`, sandbox.tables) }),
})

/** Reads a model at `/models/…`, the path that callers of GET /models expect. */
export const getListedModel = { ...getModel, id: 'getListedModel', path: '/models/{author}/{slug}' }
