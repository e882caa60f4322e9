/** Reads single models. */
import * as z from 'zod'
import { ok } from '../../http/reply.ts'
import { defineOperation } from '../../operation.ts'
import { CatalogueModel } from '../../resources/catalogue-model.ts'
import { unknownSlug } from '../../resources/unknown-slug.ts'
import type { SandboxState } from '../../sandbox/sandbox-state.ts'

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

/** Reads a model at `/models/…`, where callers of GET /models expect it. */
export const getListedModel = { ...getModel, id: 'getListedModel', path: '/models/{author}/{slug}' }

/** Reads a text or embeddings model by id or canonical slug, without a variant such as `:free`. Throws 404. */
export async function listedModel(name: string, { models, embeddingsModels }: SandboxState['tables']) {
  const rows = [...(await models.rows()), ...(await embeddingsModels.rows())]
  for (const each of [name, name.replace(/:[^/:]*$/, '')]) {
    const model = rows.find(({ id, canonical_slug }) => each === id || each === canonical_slug)
    if (model) return model
  }
  const slugs = rows.map(({ id }) => ({ slug: id }))
  throw unknownSlug('no model has the id', name, slugs)
}
