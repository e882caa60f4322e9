/**
 * The only list of operations: what is on it is served, routed, documented and scriptable.
 */
import type { AnyOperation } from '../operation.ts'
import type { CreateChatCompletionRequest } from '../protocols/chat/request.ts'
import type { CreateMessageRequest } from '../protocols/messages/request.ts'
import type { CreateResponseRequest } from '../resources/create-response-body.ts'
import type { UpdateWorkspaceRequest } from '../resources/workspace.ts'
import type { GatewayOptions } from '../sandbox/options.ts'
import type { KnownOperationId } from '../scenarios/names.ts'
import { createResponse } from './create-response.ts'
import type { CreateEmbeddingsRequest } from './extensions/create-embeddings.ts'
import { extensions } from './extensions/index.ts'
import { getPreset } from './get-preset.ts'
import { listBenchmarks } from './list-benchmarks.ts'
import { listEmbeddingsModels } from './list-embeddings-models.ts'
import { listProviders } from './list-providers.ts'
import { ownOperation } from './custom-operation.ts'
import { updateWorkspace } from './update-workspace.ts'

export const operations: readonly (AnyOperation & { readonly id: OperationId & KnownOperationId })[] = [
  listProviders,
  updateWorkspace,
  listEmbeddingsModels,
  listBenchmarks,
  getPreset,
  createResponse,
]

/** Request bodies by operation id, extensions included; `undefined` for operations that take none. */
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
  /** Extension `chat`. */
  createChatCompletion: CreateChatCompletionRequest
  /** Extension `messages`. */
  createMessage: CreateMessageRequest
  /** Extension `models`. */
  listModels: undefined
  /** Extension `models`. */
  countModels: undefined
  /** Extension `models`. */
  listModelEndpoints: undefined
  /** Extension `embeddings`. */
  createEmbeddings: CreateEmbeddingsRequest
  /** Extension `account`. */
  getKey: undefined
  /** Extension `account`. */
  getCredits: undefined
  /** Extension `account`. */
  getGeneration: undefined
}

true satisfies KnownOperationId extends OperationId ? true : never

/** `listProviders`, `updateWorkspace`, … */
export type OperationId = keyof Bodies

/** Those of the specification, and every extension. */
export const everyOperation: readonly AnyOperation[] = [...operations, ...Object.values(extensions).flat()]

/** What a gateway answers: the specification, the active extensions, and the custom operations. */
export function operationsOf({ extensions: on, operations: own }: OperationOptions): readonly AnyOperation[] {
  const known: AnyOperation[] = [...operations, ...on.flatMap((name) => extensions[name])]
  for (const each of own) known.push(ownOperation(each, known))
  return known.length === operations.length ? operations : known
}

type OperationOptions = Pick<GatewayOptions, 'extensions' | 'operations'>
