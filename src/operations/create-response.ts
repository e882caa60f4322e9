/** Creates responses. Spec: POST /responses, Events. */
import { respond } from '../model/respond.ts'
import { defineOperation } from '../operation.ts'
import { CreateResponseBody } from '../resources/create-response-body.ts'
import { responses } from './responses/protocol.ts'
import { ResponseObject } from './responses/response-object.ts'
import { expandInput } from './responses/stored.ts'

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
    background: 'notSimulated',
    conversation: 'notSimulated',
    'x_search_filter.from_date': 'dates',
    'x_search_filter.to_date': 'dates',
  },
  protocol: responses,
  resolve(context) {
    const { body, sandbox } = context
    const { options, storedResponses } = sandbox
    // If `storedResponses` is off, only requests with a scripted reply may have a `previous_response_id`, and
    // a scripted reply ignores the stored conversation.
    if (!options.storedResponses) return respond(responses, context)
    const input = expandInput(body, storedResponses, true)
    return respond(responses, context, ({ id, output }) => {
      if (body.store !== false) storedResponses.keep(id, [...input, ...output])
    })
  },
})
