/** The specification's operations. A gateway adds custom operations and its extras' operations. */
import type { AnyOperation } from '../operation.ts'
import type { CreateResponseRequest } from '../resources/create-response-body.ts'
import type { UpdateWorkspaceRequest } from '../resources/workspace.ts'
import { createResponse } from './create-response.ts'
import { getPreset } from './get-preset.ts'
import { listBenchmarks } from './list-benchmarks.ts'
import { listEmbeddingsModels } from './list-embeddings-models.ts'
import { listProviders } from './list-providers.ts'
import { updateWorkspace } from './update-workspace.ts'

export const operations: readonly (AnyOperation & { readonly id: keyof SpecifiedBodies })[] = [
  listProviders,
  updateWorkspace,
  listEmbeddingsModels,
  listBenchmarks,
  getPreset,
  createResponse,
]

/** Request bodies by operation id. `undefined` for operations without a body. */
export interface SpecifiedBodies {
  /** `GET /providers` */
  listProviders: undefined
  /** `PATCH /workspaces/{id}` */
  updateWorkspace: UpdateWorkspaceRequest
  /** `GET /embeddings/models` */
  listEmbeddingsModels: undefined
  /** `GET /benchmarks` */
  listBenchmarks: undefined
  /** `GET /presets/{slug}` */
  getPreset: undefined
  /** `POST /responses` */
  createResponse: CreateResponseRequest
}
