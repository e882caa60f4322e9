/**
 * Responses. Spec: POST /responses, Events.
 */
import { eventStream, ok } from '../http/reply.ts'
import { assumptionsOf } from '../model/answer-assumptions.ts'
import { answerRequest } from '../model/answer-request.ts'
import { withLatency } from '../model/latency.ts'
import { store, withStored } from '../model/previous-response.ts'
import { tellingOf, toResponseObject } from '../model/response-object.ts'
import { readResponsesConversation } from '../model/responses-conversation.ts'
import { withScriptedHead } from '../model/script.ts'
import { streamFrames } from '../model/stream.ts'
import { defineOperation } from '../operation.ts'
import { CreateResponseBody, StoringResponseBody } from '../resources/create-response-body.ts'
import { ResponseObject } from '../resources/response.ts'
import { ResponseStreamEvent } from '../resources/stream-event.ts'

/** Creates a model response: searched, written, cut and, where asked for, streamed; the same each time. */
export const createResponse = defineOperation({
  id: 'createResponse',
  method: 'post',
  path: '/responses',
  doc: { summary: 'Create a response', tag: 'beta.responses', beta: true },
  input: { body: CreateResponseBody },
  output: ResponseObject,
  errors: [404],
  assumes: {
    model: 'modelName',
    input: 'inputItems',
    store: 'inputItems',
    previous_response_id: 'inputItems',
    tools: 'toolShape',
    tool_choice: 'toolShape',
    'x_search_filter.from_date': 'dates',
    'x_search_filter.to_date': 'dates',
  },
  protocol: {
    streams: true,
    eventSchema: ResponseStreamEvent,
    conversation: readResponsesConversation,
    storingBody: StoringResponseBody,
  },
  async resolve(context) {
    const { body, sandbox, script } = context
    const answered = await answerRequest(withStored(body, sandbox), context)
    const response = toResponseObject(answered, context)
    context.used(answered.used)
    store(answered.body, response, sandbox)
    for (const name of assumptionsOf(body, answered, true)) context.assume(name)
    const { options } = sandbox
    const reply = body.stream
      ? eventStream(streamFrames(response, options, tellingOf(answered)))
      : withLatency(ok(response), { ...response, outputTokens: answered.usage.outputTokens }, options)
    return script ? withScriptedHead(reply, script) : reply
  },
})
