/**
 * Responses. Spec: POST /responses, Events.
 */
import { eventStream, ok } from '../http/reply.ts'
import { defineOperation } from '../operation.ts'
import { ResponseObject } from '../resources/response.ts'
import { compose } from '../responses/compose.ts'
import { readConversation } from '../responses/conversation.ts'
import { draftReply } from '../responses/draft.ts'
import { applyPreset } from '../responses/preset.ts'
import { CreateResponseBody } from '../responses/request.ts'
import { draftScript, dressReply, toSource } from '../responses/script.ts'
import { searchWeb } from '../responses/search.ts'
import { streamFrames } from '../responses/stream.ts'

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
    return script ? dressReply(reply, script) : reply
  },
})
