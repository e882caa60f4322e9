/** Messages in the Anthropic format: an operation group that the specification names but does not describe. */
import type { ExtraDefinition } from '../../gateway/extra.ts'
import { respond } from '../../model/respond.ts'
import { defineOperation } from '../../operation.ts'
import { MessageObject } from './message.ts'
import { protocol } from './protocol.ts'
import { type CreateMessageRequest, MessagesRequest } from './request.ts'

/** Creates a message. Words, tokens and citations are the same as in a response to the same question. */
const createMessage = defineOperation({
  id: 'createMessage',
  method: 'post',
  path: '/messages',
  doc: { summary: 'Create a message', tag: 'Anthropic-style Messages' },
  input: { body: MessagesRequest },
  output: MessageObject,
  assumes: { model: 'modelName', tools: 'toolShape', tool_choice: 'toolShape' },
  protocol,
  resolve: (context) => respond(protocol, context),
})

export interface MessagesBodies {
  /** `POST /messages` */
  createMessage: CreateMessageRequest
}

export const messages: ExtraDefinition<object, MessagesBodies> = {
  name: 'messages',
  operations: [createMessage],
}
