/** Chat and text completions, which the specification does not describe. */
import type { ExtraDefinition } from '../../gateway/extra.ts'
import { respond } from '../../model/respond.ts'
import { defineOperation } from '../../operation.ts'
import { ChatCompletion } from './completion.ts'
import { type CreateCompletionRequest, createCompletion } from './completions.ts'
import { protocol } from './protocol.ts'
import { ChatRequest, type CreateChatCompletionRequest } from './request.ts'

/** Creates a chat completion. Words, tokens and citations are the same as in a response to the same question. */
const createChatCompletion = defineOperation({
  id: 'createChatCompletion',
  method: 'post',
  path: '/chat/completions',
  doc: { summary: 'Create a chat completion', tag: 'Chat' },
  input: { body: ChatRequest },
  output: ChatCompletion,
  assumes: { model: 'modelName', tools: 'toolShape', tool_choice: 'toolShape' },
  protocol,
  resolve: (context) => respond(protocol, context),
})

export interface ChatBodies {
  /** `POST /chat/completions` */
  createChatCompletion: CreateChatCompletionRequest
  /** `POST /completions` */
  createCompletion: CreateCompletionRequest
}

export const chat: ExtraDefinition<object, ChatBodies> = {
  name: 'chat',
  operations: [createChatCompletion, createCompletion],
}
