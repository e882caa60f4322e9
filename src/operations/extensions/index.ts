/**
 * All extensions: operations that the specification names but does not describe, as published clients call them.
 * Disabled by default.
 */
import type { AnyOperation } from '../../operation.ts'
import type { ExtensionName } from '../../sandbox/options-input.ts'
import type { KnownOperationId } from '../../scenarios/names.ts'
import { getCredits, getGeneration, getKey } from './account.ts'
import { createChatCompletion } from './create-chat-completion.ts'
import { createEmbeddings } from './create-embeddings.ts'
import { createMessage } from './create-message.ts'
import { countModels, listModelEndpoints, listModels } from './list-models.ts'

type Extension = AnyOperation & { readonly id: KnownOperationId }

export const extensions: Readonly<Record<ExtensionName, readonly Extension[]>> = {
  chat: [createChatCompletion],
  messages: [createMessage],
  models: [listModels, countModels, listModelEndpoints],
  embeddings: [createEmbeddings],
  account: [getKey, getCredits, getGeneration],
  resources: [], // The extra of this name provides the operations.
}

/** Explains how to enable an extension's operation. Returns undefined for any other id. */
export function extensionHint(id: string): string | undefined {
  const [group] =
    Object.entries(extensions).find(([, operations]) => operations.some((each) => each.id === id)) ?? []
  return (
    group &&
    `it belongs to the '${group}' extension: enable it with createGateway({ extensions: ['${group}'] })`
  )
}
