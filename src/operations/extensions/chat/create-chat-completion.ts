/**
 * Chat completions: the answers of POST /responses in the shape that most clients speak.
 */
import { GatewayError } from '../../../http/errors.ts'
import { eventStream, ok } from '../../../http/reply.ts'
import type { CallUsage } from '../../../journal/ledger.ts'
import { assumptionsOf } from '../../../model/answer-assumptions.ts'
import { type Answers, answerChoices } from '../../../model/answer-request.ts'
import { callUsage } from '../../../model/cost.ts'
import { withLatency } from '../../../model/latency.ts'
import { modelsIn } from '../../../model/named-models.ts'
import { withScriptedHead } from '../../../model/script.ts'
import { defineOperation } from '../../../operation.ts'
import { ChatCompletion, toChatCompletion } from './chat-completion.ts'
import { readChatConversation } from './chat-conversation.ts'
import { ChatRequest } from './chat-request.ts'
import { chatFrames, chatProtocol } from './chat-stream.ts'
import { toResponsesBody } from './to-responses-body.ts'

/** Creates a chat completion; the same words, tokens and citations as a response to the same question. */
export const createChatCompletion = defineOperation({
  id: 'createChatCompletion',
  method: 'post',
  path: '/chat/completions',
  doc: { summary: 'Create a chat completion', tag: 'Chat' },
  input: { body: ChatRequest },
  output: ChatCompletion,
  assumes: { model: 'modelName', tools: 'toolShape', tool_choice: 'toolShape' },
  marks: { extension: true },
  protocol: {
    streams: true,
    places: chatProtocol,
    conversation: readChatConversation,
    models: modelsIn,
  },
  async resolve({ body: asked, now, requestKey, script, ...context }) {
    const body = toResponsesBody(asked)
    const answers = await answerChoices(body, asked.n ?? 1, { ...context, script })
    const { options, seed } = context.sandbox
    const [first] = answers
    for (const name of assumptionsOf(body, first, false)) context.assume(name)
    const completion = toChatCompletion(answers, { asked, seed, now, requestKey })
    context.used(usedBy(answers))
    const failure = first.end.error
    // There is no chat completion that has failed, other than in the middle of a stream.
    if (failure && !asked.stream) throw new GatewayError(502, failure.message, { error_type: failure.code })
    const withUsage = asked.stream_options?.include_usage === true
    const reply = asked.stream
      ? eventStream(chatFrames(completion, { withUsage, failure }, options))
      : withLatency(
          ok(completion),
          { ...completion, outputTokens: completion.usage.completion_tokens },
          options,
        )
    return script ? withScriptedHead(reply, script) : reply
  },
})

/** The input is read once, however many answers there are. */
function usedBy([first, ...others]: Answers): CallUsage {
  if (others.length === 0) return first.used
  const { model, cost: _, ...usage } = first.used
  const sum = (of: (usage: CallUsage) => number) =>
    others.reduce((total, { used }) => total + of(used), of(first.used))
  const outputTokens = sum((each) => each.outputTokens)
  const reasoningTokens = sum((each) => each.reasoningTokens)
  return callUsage(model, { ...usage, outputTokens, reasoningTokens }, first.pricing)
}
