/**
 * Operations that the specification names by group and does not describe, as published clients know them. Off by
 * default; the only list of them.
 */
import type { Operation } from '../../operation.ts'
import type { ExtensionName } from '../../sandbox/options.ts'
import { getCredits, getGeneration, getKey } from './account/account.ts'
import { createChatCompletion } from './chat/create-chat-completion.ts'
import { createEmbeddings } from './embeddings/create-embeddings.ts'
import { createMessage } from './messages/create-message.ts'
import { countModels, listModelEndpoints, listModels } from './models/list-models.ts'

const lists = {
  chat: [createChatCompletion],
  messages: [createMessage],
  models: [listModels, countModels, listModelEndpoints],
  embeddings: [createEmbeddings],
  account: [getKey, getCredits, getGeneration],
} as const satisfies Record<ExtensionName, readonly unknown[]>

// Each operation is exact in its own types; the corridor, which checks before it calls, needs none of them.
export const extensions = lists as unknown as Readonly<Record<ExtensionName, readonly Operation[]>>
