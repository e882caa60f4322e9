/** Embeddings models with their metadata and pricing. Spec: GET /embeddings/models. */
import * as z from 'zod'
import { ok } from '../http/reply.ts'
import { defineOperation } from '../operation.ts'
import { EmbeddingsModel } from '../resources/model.ts'

export const listEmbeddingsModels = defineOperation({
  id: 'listEmbeddingsModels',
  method: 'get',
  path: '/embeddings/models',
  doc: { summary: 'List all embeddings models', tag: 'Embeddings' },
  output: z.lazy(() => z.object({ data: z.array(EmbeddingsModel) })),
  resolve: async ({ sandbox }) =>
    ok(await sandbox.tables.embeddingsModels.memo('reply', (data) => Object.freeze({ data }))),
})
