/** Messages in the Anthropic format, which the specification does not describe. */
import * as z from 'zod'
import type { ExtraDefinition } from '../../gateway/extra.ts'
import { GatewayError } from '../../http/errors.ts'
import { ok } from '../../http/reply.ts'
import { inputTokens } from '../../model/answer.ts'
import { toTranscript } from '../../model/items.ts'
import { applyPreset } from '../../model/preset.ts'
import { respond } from '../../model/respond.ts'
import { defineOperation } from '../../operation.ts'
import { ignored } from '../../resources/create-response-body.ts'
import { MessageObject } from './message.ts'
import { protocol } from './protocol.ts'
import {
  type CountMessageTokensRequest,
  CountTokensRequest,
  type CreateMessageRequest,
  MessagesRequest,
} from './request.ts'

/** Accepts `?beta=true`, which the `beta` methods of Anthropic's SDK send. */
const Beta = z.lazy(() => z.looseObject(ignored('beta')))

/** Creates a message. Words, tokens and citations are the same as in a response to the same question. */
const createMessage = defineOperation({
  id: 'createMessage',
  method: 'post',
  path: '/messages',
  doc: { summary: 'Create a message', tag: 'Anthropic-style Messages' },
  input: { query: Beta, body: MessagesRequest },
  output: MessageObject,
  assumes: { model: 'modelName', tools: 'toolShape', tool_choice: 'toolShape' },
  protocol,
  resolve(context) {
    refuseThread(context.body)
    return respond(protocol, context)
  },
})

/** Throws the error that makes clients send the whole conversation. */
function refuseThread({ thread }: Pick<CreateMessageRequest, 'thread'>): void {
  if (thread == null) return
  const message = 'Threads are not supported: send the whole conversation without `thread`'
  const details = { error_code: 'thread_unsupported_request', unsupported: ['thread'] }
  throw new GatewayError(400, message, { details }, { assumption: 'notSimulated', isFinal: true })
}

/** Counts the input tokens that a message's usage would report. Agents call this before each turn. */
const countMessageTokens = defineOperation({
  id: 'countMessageTokens',
  method: 'post',
  path: '/messages/count_tokens',
  doc: { summary: "Count a message's input tokens", tag: 'Anthropic-style Messages' },
  input: { query: Beta, body: CountTokensRequest },
  output: z.lazy(() => z.strictObject({ input_tokens: z.int() })),
  assumes: { model: 'modelName', tools: 'toolShape', tool_choice: 'toolShape' },
  errorProtocol: protocol,
  async resolve({ body, ...context }) {
    refuseThread(body)
    const requested = protocol.prompt({ ...body, max_tokens: 1 }, protocol.conversation(body))
    const { prompt } = await applyPreset(requested, context)
    return ok({ input_tokens: inputTokens(prompt, toTranscript(prompt.conversation)) })
  },
})

export interface MessagesBodies {
  /** `POST /messages` */
  createMessage: CreateMessageRequest
  /** `POST /messages/count_tokens` */
  countMessageTokens: CountMessageTokensRequest
}

export const messages: ExtraDefinition<object, MessagesBodies> = {
  name: 'messages',
  operations: [createMessage, countMessageTokens],
}
