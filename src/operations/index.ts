/**
 * The specification's operations, to which a gateway adds enabled extensions and custom operations. Only operations
 * in these lists are routed, documented and available in rules.
 */
import type { AnyOperation } from '../operation.ts'
import type { CreateChatCompletionRequest } from '../protocols/chat/request.ts'
import type { CreateMessageRequest } from '../protocols/messages/request.ts'
import type { CreateResponseRequest } from '../resources/create-response-body.ts'
import type { UpdateWorkspaceRequest } from '../resources/workspace.ts'
import type { GatewayOptions } from '../sandbox/options.ts'
import type { KnownOperationId } from '../scenarios/names.ts'
import { createResponse } from './create-response.ts'
import { customOperation } from './custom-operation.ts'
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
  /** List all providers. */
  listProviders: undefined
  /** Update a workspace. */
  updateWorkspace: UpdateWorkspaceRequest
  /** List all embeddings models. */
  listEmbeddingsModels: undefined
  /** List benchmarks. */
  listBenchmarks: undefined
  /** Get a preset. */
  getPreset: undefined
  /** Create a response. */
  createResponse: CreateResponseRequest
  /** Create a chat completion (extension `chat`). */
  createChatCompletion: CreateChatCompletionRequest
  /** Create a message (extension `messages`). */
  createMessage: CreateMessageRequest
  /** List models (extension `models`). */
  listModels: undefined
  /** Count models (extension `models`). */
  countModels: undefined
  /** List a model's endpoints (extension `models`). */
  listModelEndpoints: undefined
  /** Create embeddings (extension `embeddings`). */
  createEmbeddings: CreateEmbeddingsRequest
  /** Get the current API key (extension `account`). */
  getKey: undefined
  /** Get the credits (extension `account`). */
  getCredits: undefined
  /** Get a generation (extension `account`). */
  getGeneration: undefined
}

true satisfies KnownOperationId extends OperationId ? true : never

/** Operation ids: `listProviders`, `updateWorkspace`, … */
export type OperationId = keyof Bodies

/** The specification's operations and all extensions. */
export const everyOperation: readonly AnyOperation[] = [...operations, ...Object.values(extensions).flat()]

/** Returns a gateway's operations: the specification's, enabled extensions and custom ones. */
export function operationsOf({
  extensions: enabled,
  operations: custom,
}: OperationOptions): readonly AnyOperation[] {
  const all: AnyOperation[] = [...operations, ...enabled.flatMap((name) => extensions[name])]
  for (const definition of custom) all.push(customOperation(definition, all))
  return all.length === operations.length ? operations : all
}

type OperationOptions = Pick<GatewayOptions, 'extensions' | 'operations'>
