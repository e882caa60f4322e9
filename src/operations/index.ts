/** The specification's operations. A gateway adds those of enabled extensions and of extras, and custom ones. */
import type { AnyOperation } from '../operation.ts'
import type { CreateChatCompletionRequest } from '../protocols/chat/request.ts'
import type { CreateMessageRequest } from '../protocols/messages/request.ts'
import type { CreateResponseRequest } from '../resources/create-response-body.ts'
import type { UpdateWorkspaceRequest } from '../resources/workspace.ts'
import type { KnownOperationId } from '../scenarios/names.ts'
import { createResponse } from './create-response.ts'
import type { CreateEmbeddingsRequest } from './extensions/create-embeddings.ts'
import { extensions } from './extensions/index.ts'
import { getPreset } from './get-preset.ts'
import { listBenchmarks } from './list-benchmarks.ts'
import { listEmbeddingsModels } from './list-embeddings-models.ts'
import { listProviders } from './list-providers.ts'
import { updateWorkspace } from './update-workspace.ts'

export const operations: readonly (AnyOperation & { readonly id: OperationId & KnownOperationId })[] = [
  listProviders,
  updateWorkspace,
  listEmbeddingsModels,
  listBenchmarks,
  getPreset,
  createResponse,
]

/** Request bodies by operation id, including extensions. `undefined` for operations without a body. */
export interface Bodies {
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
  /** `POST /chat/completions` (extension `chat`) */
  createChatCompletion: CreateChatCompletionRequest
  /** `POST /messages` (extension `messages`) */
  createMessage: CreateMessageRequest
  /** `GET /models` (extension `models`) */
  listModels: undefined
  /** `GET /models/count` (extension `models`) */
  countModels: undefined
  /** `GET /models/{author}/{slug}/endpoints` (extension `models`) */
  listModelEndpoints: undefined
  /** `POST /embeddings` (extension `embeddings`) */
  createEmbeddings: CreateEmbeddingsRequest
  /** `GET /key` (extension `account`) */
  getKey: undefined
  /** `GET /credits` (extension `account`) */
  getCredits: undefined
  /** `GET /generation` (extension `account`) */
  getGeneration: undefined
}

true satisfies KnownOperationId extends OperationId ? true : never

/** Operation ids: `listProviders`, `updateWorkspace`, … */
export type OperationId = keyof Bodies

/** The specification's operations and all extensions. */
export const everyOperation: readonly AnyOperation[] = [...operations, ...Object.values(extensions).flat()]
