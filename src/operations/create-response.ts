/**
 * Responses. Spec: POST /responses, Events.
 */
import { eventStream, ok } from '../http/reply.ts'
import { answerPrompt } from '../model/answer.ts'
import { checkModel } from '../model/known-model.ts'
import { applyPreset } from '../model/preset.ts'
import { toResponseObject } from '../model/response-object.ts'
import { assumptionsOf } from '../model/responses-assumptions.ts'
import { readResponsesConversation } from '../model/responses-conversation.ts'
import { readConversation, readPrompt } from '../model/responses-prompt.ts'
import { scriptedItems, scriptedSources, withScriptedHead } from '../model/script.ts'
import { withUsage } from '../model/scripted-usage.ts'
import { searchWeb } from '../model/search.ts'
import { streamFrames } from '../model/stream.ts'
import { defineOperation } from '../operation.ts'
import { CreateResponseBody } from '../resources/create-response-body.ts'
import { ResponseObject } from '../resources/response.ts'

/** Creates a model response: searched, written, cut and, where asked for, streamed; the same each time. */
export const createResponse = defineOperation({
  id: 'createResponse',
  method: 'post',
  path: '/responses',
  summary: 'Create a response',
  tag: 'beta.responses',
  beta: true,
  streams: true,
  body: CreateResponseBody,
  restsOn: {
    model: 'modelName',
    input: 'inputItems',
    store: 'inputItems',
    previous_response_id: 'inputItems',
    tools: 'toolShape',
    tool_choice: 'toolShape',
  },
  readConversation: readResponsesConversation,
  response: ResponseObject,
  async resolve({ body: asked, sandbox, now, requestKey, script, assume, warn }) {
    const { body, model } = await applyPreset(asked, sandbox.tables, { assume, warn })
    const { seed } = sandbox
    await checkModel(model, sandbox, warn)
    const conversation = readConversation(body.input)
    const found = await searchWeb(body, model, conversation.question, { sandbox, assume, warn })
    const searched = found !== undefined
    const items = script && scriptedItems(script, conversation, searched)
    const search = { searched, sources: scriptedSources(script) ?? found }
    const answer = items
      ? { items, reasoningTokens: 0 }
      : answerPrompt(readPrompt(body, conversation, search, { assume, warn }), { seed, assume, warn })
    const counted = toResponseObject(answer, { body, conversation, now, requestKey })
    const response = withUsage(counted, script?.usage)
    for (const name of assumptionsOf(asked, response)) assume(name)
    const reply = body.stream ? eventStream(streamFrames(response, sandbox.options)) : ok(response)
    return script ? withScriptedHead(reply, script) : reply
  },
})
