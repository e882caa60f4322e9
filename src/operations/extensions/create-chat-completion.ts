/** Chat completions: an operation group that the specification names but does not describe. */
import { defineOperation } from '../../operation.ts'
import { ChatCompletion } from '../../protocols/chat/completion.ts'
import { chat } from '../../protocols/chat/protocol.ts'
import { ChatRequest } from '../../protocols/chat/request.ts'
import { respond } from '../../protocols/respond.ts'

/** Creates a chat completion. Words, tokens and citations are the same as in a response to the same question. */
export const createChatCompletion = defineOperation({
  id: 'createChatCompletion',
  method: 'post',
  path: '/chat/completions',
  doc: { summary: 'Create a chat completion', tag: 'Chat' },
  input: { body: ChatRequest },
  output: ChatCompletion,
  assumes: { model: 'modelName', tools: 'toolShape', tool_choice: 'toolShape' },
  protocol: chat,
  resolve: (context) => respond(chat, context),
})
