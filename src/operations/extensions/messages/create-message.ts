/**
 * Messages: the answers of POST /responses in the Anthropic form.
 */
import { GatewayError } from '../../../http/errors.ts'
import { eventStream, ok } from '../../../http/reply.ts'
import { assumptionsOf } from '../../../model/answer-assumptions.ts'
import { answerRequest } from '../../../model/answer-request.ts'
import { withLatency } from '../../../model/latency.ts'
import { modelsIn } from '../../../model/named-models.ts'
import { withScriptedHead } from '../../../model/script.ts'
import { defineOperation } from '../../../operation.ts'
import { MessageObject, toMessageObject, toMessagesError } from './message-object.ts'
import { messageFrames, messagesProtocol } from './message-stream.ts'
import { readMessagesConversation } from './messages-conversation.ts'
import { MessagesRequest } from './messages-request.ts'
import { toResponsesBody } from './to-responses-body.ts'

/** Creates a message; the same words, tokens and citations as a response to the same question. */
export const createMessage = defineOperation({
  id: 'createMessage',
  method: 'post',
  path: '/messages',
  doc: { summary: 'Create a message', tag: 'Anthropic-style Messages' },
  input: { body: MessagesRequest },
  output: MessageObject,
  assumes: { model: 'modelName', tools: 'toolShape', tool_choice: 'toolShape' },
  marks: { extension: true },
  protocol: {
    streams: true,
    places: messagesProtocol,
    conversation: readMessagesConversation,
    models: modelsIn,
    error: toMessagesError,
  },
  async resolve({ body: asked, requestKey, script, ...context }) {
    const body = toResponsesBody(asked)
    const answered = await answerRequest(body, { ...context, script })
    for (const name of assumptionsOf(body, answered, false)) context.assume(name)
    const message = toMessageObject(answered, { asked, requestKey })
    context.used(answered.used)
    const { error } = answered.end
    // There is no message that has failed, other than in the middle of a stream.
    if (error && !asked.stream) throw new GatewayError(500, error.message, { error_type: error.code })
    const { options } = context.sandbox
    const reply = asked.stream
      ? eventStream(messageFrames(message, options, error))
      : withLatency(ok(message), { ...message, outputTokens: answered.usage.outputTokens }, options)
    return script ? withScriptedHead(reply, script) : reply
  },
})
