/**
 * Responses. Spec: POST /responses, Events.
 */
import { eventStream, ok } from '../http/reply.ts'
import { compose } from '../model/compose.ts'
import { readConversation } from '../model/conversation.ts'
import { draftReply } from '../model/draft.ts'
import { applyPreset } from '../model/preset.ts'
import { CreateResponseBody } from '../model/request.ts'
import { draftScript, toSource, withScriptedHead } from '../model/script.ts'
import { searchWeb } from '../model/search.ts'
import { streamFrames } from '../model/stream.ts'
import { defineOperation } from '../operation.ts'
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
  response: ResponseObject,
  async resolve({ body: asked, sandbox, now, requestKey, script, assume, warn }) {
    const { body, model } = await applyPreset(asked, sandbox.tables, { assume, warn })
    const conversation = readConversation(body.input)
    const found = await searchWeb(body, model, conversation.question, { sandbox, assume, warn })
    const searched = found !== undefined
    const sources = script?.citations?.map(toSource) ?? found ?? []
    const drafts =
      (script && draftScript(script, conversation, searched)) ??
      (await draftReply({ body, conversation, searched, sources, seed: sandbox.seed, assume }))
    const response = compose(drafts, { body, conversation, now, requestKey })
    const reply = body.stream ? eventStream(streamFrames(response, sandbox.options)) : ok(response)
    return script ? withScriptedHead(reply, script) : reply
  },
})
