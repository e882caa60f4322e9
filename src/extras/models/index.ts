/** Model operations beyond the specification: the catalogue of text models, embeddings and rerank. */
import type { ExtraDefinition } from '../../gateway/extra.ts'
import { type CreateEmbeddingsRequest, createEmbeddings } from './create-embeddings.ts'
import { getListedModel, getModel } from './get-model.ts'
import { countModels, listModelEndpoints, listModels, listUserModels } from './list-models.ts'
import { rerank } from './rerank.ts'

export interface ModelsBodies {
  /** `GET /models` */
  listModels: undefined
  /** `GET /models/count` */
  countModels: undefined
  /** `GET /models/{author}/{slug}/endpoints` */
  listModelEndpoints: undefined
  /** `POST /embeddings` */
  createEmbeddings: CreateEmbeddingsRequest
}

export const models: ExtraDefinition<object, ModelsBodies> = {
  name: 'models',
  operations: [
    listModels,
    countModels,
    listModelEndpoints,
    createEmbeddings,
    getModel,
    getListedModel,
    listUserModels,
    rerank,
  ],
}
