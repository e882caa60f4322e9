/** Messages in the Anthropic format: an operation group that the specification names but does not describe. */
import { defineOperation } from '../../operation.ts'
import { MessageObject } from '../../protocols/messages/message.ts'
import { messages } from '../../protocols/messages/protocol.ts'
import { MessagesRequest } from '../../protocols/messages/request.ts'
import { respond } from '../../protocols/respond.ts'

/** Creates a message. Words, tokens and citations are the same as in a response to the same question. */
export const createMessage = defineOperation({
  id: 'createMessage',
  method: 'post',
  path: '/messages',
  doc: { summary: 'Create a message', tag: 'Anthropic-style Messages' },
  input: { body: MessagesRequest },
  output: MessageObject,
  assumes: { model: 'modelName', tools: 'toolShape', tool_choice: 'toolShape' },
  protocol: messages,
  resolve: (context) => respond(messages, context),
})
