/**
 * A chat completion as the chunks that tell it, one for each token, and what faults have to know of them.
 */
import type { StreamProtocol } from '../../../faults/protocol.ts'
import { encodeEvent } from '../../../http/encode.ts'
import type { Frame, StreamEvent } from '../../../http/reply.ts'
import { type PaceOptions, pacedFrames } from '../../../model/paced-frames.ts'
import { tokenize } from '../../../model/tokens.ts'
import type { ChatChoice, ChatCompletion } from './chat-completion.ts'

/** @param withUsage Whether a chunk without a choice tells the usage at the end. */
export function chatFrames(
  completion: ChatCompletion,
  withUsage: boolean,
  options: PaceOptions,
): Generator<Frame> {
  return pacedFrames(
    {
      id: completion.id,
      events: chunks(completion, withUsage),
      isToken: chatProtocol.isDelta,
      toFrame: (event) => ({ kind: 'event', event, wire: encodeEvent(event) }),
    },
    options,
  )
}

type Delta = Record<string, unknown>

function* chunks(completion: ChatCompletion, withUsage: boolean): Generator<StreamEvent> {
  const { id, created, model, choices, usage } = completion
  const head = { id, object: 'chat.completion.chunk', created, model, system_fingerprint: null }
  const none = withUsage ? { usage: null } : {}
  const chunk = (
    index: number,
    delta: Delta,
    finish_reason: ChatChoice['finish_reason'] = null,
    logprobs: ChatChoice['logprobs'] = null,
  ) => ({ ...head, choices: [{ index, delta, finish_reason, logprobs }], ...none })
  for (const { index, message, finish_reason, logprobs } of choices) {
    yield chunk(index, { role: 'assistant', content: '' })
    for (const [place, token] of tokenize(message.content ?? '').entries()) {
      const logprob = logprobs?.content[place]
      yield chunk(index, { content: token }, null, logprob ? { content: [logprob], refusal: null } : null)
    }
    for (const annotation of message.annotations ?? []) yield chunk(index, { annotations: [annotation] })
    for (const [place, call] of (message.tool_calls ?? []).entries()) {
      const { id: call_id, type, function: called } = call
      yield chunk(index, {
        tool_calls: [{ index: place, id: call_id, type, function: { name: called.name, arguments: '' } }],
      })
      for (const token of tokenize(called.arguments))
        yield chunk(index, { tool_calls: [{ index: place, function: { arguments: token } }] })
    }
    yield chunk(index, {}, finish_reason)
  }
  if (withUsage) yield { ...head, choices: [], usage }
}

interface ChunkChoice {
  delta?: { content?: string; annotations?: unknown[]; tool_calls?: { function?: { arguments?: string } }[] }
  finish_reason?: string | null
}

function choiceOf(event: StreamEvent): ChunkChoice {
  const [choice] = (event['choices'] as ChunkChoice[] | undefined) ?? []
  return choice ?? {}
}

/** What the chunks of a chat completion are, for faults. */
export const chatProtocol: StreamProtocol = {
  isDelta(event) {
    const { delta = {} } = choiceOf(event)
    return Boolean(delta.content) || Boolean(delta.tool_calls?.[0]?.function?.arguments)
  },
  isAnnotation: (event) => choiceOf(event).delta?.annotations !== undefined,
  isTextDone: (event) => choiceOf(event).finish_reason != null,
  isFinal: (event) => choiceOf(event).finish_reason != null,
  failure({ code, message }, { last = {} }) {
    const { id, created, model } = last as Partial<ChatCompletion>
    return {
      id,
      object: 'chat.completion.chunk',
      created,
      model,
      error: { code: 502, message, metadata: { error_type: code } },
      choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
    }
  },
}
