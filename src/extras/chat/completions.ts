/** Text completions, the predecessor of chat completions: one prompt in, text out. */
import * as z from 'zod'
import type { StreamEvent } from '../../http/reply.ts'
import { fieldsOf, listOf, textOf } from '../../lib/json.ts'
import { respond } from '../../model/respond.ts'
import { tokenize } from '../../model/tokens.ts'
import { defineOperation } from '../../operation.ts'
import type { Answer } from '../../resources/answer.ts'
import { messageItems } from '../../resources/conversation.ts'
import { CreateResponseBody } from '../../resources/create-response-body.ts'
import type { Protocol } from '../../resources/protocol.ts'
import { chatPlaces, emptyChunk } from './chunks.ts'
import { ChatCompletion, toChatCompletion } from './completion.ts'
import { ChatRequest } from './request.ts'

export const CompletionRequest = z.lazy(() => {
  const { stream, stream_options, max_tokens, n, stop, temperature, top_p, seed, user } =
    ChatRequest.unwrap().shape
  const { presence_penalty, frequency_penalty } = ChatRequest.unwrap().shape
  return z
    .looseObject({
      model: CreateResponseBody.unwrap().shape.model,
      prompt: z
        .union([z.string(), z.array(z.string()).length(1, 'Must be a single prompt, as a string')])
        .describe('Text to complete.'),
      echo: z.boolean().nullish().describe('If true, the text starts with the prompt.'),
      ...{ stream, stream_options, max_tokens, n, stop, temperature, top_p, seed, user },
      ...{ presence_penalty, frequency_penalty },
    })
    .meta({ id: 'CompletionRequest', description: 'A request for a text completion.' })
})
type CompletionRequest = z.infer<typeof CompletionRequest>
export type CreateCompletionRequest = z.input<typeof CompletionRequest>

const Completion = z.lazy(() => {
  const { object: _, choices, ...shared } = ChatCompletion.unwrap().shape
  const { index, finish_reason } = choices.element.shape
  return z
    .strictObject({
      ...shared,
      object: z.literal('text_completion'),
      choices: z.array(z.strictObject({ text: z.string(), index, finish_reason, logprobs: z.null() })),
    })
    .meta({ id: 'Completion', description: 'A text completion.' })
})
type Completion = z.infer<typeof Completion>

const protocol: Protocol<CompletionRequest, Completion> = {
  conversation: (body) => ({ items: messageItems('user', promptOf(body)), tools: [] }),
  prompt: ({ model, n, stop, max_tokens }, conversation) => ({
    model,
    conversation,
    choices: n ?? undefined,
    stopSequences: typeof stop === 'string' ? [stop] : (stop ?? undefined),
    maxOutputTokens: max_tokens ?? undefined,
  }),
  object(answer, { body, ...context }) {
    const completion = toChatCompletion(answer, { ...context, body: { ...body, messages: [] } })
    const start = body.echo ? promptOf(body) : ''
    return {
      ...completion,
      id: completion.id.replace(/^gen-/, 'cmpl-'),
      object: 'text_completion',
      choices: completion.choices.map(({ index, message, finish_reason }) => ({
        text: start + (message.content ?? message.refusal ?? ''),
        index,
        finish_reason,
        logprobs: null,
      })),
    }
  },
  shown: ['message.content.text', 'message.content.refusal'],
  events: chunks,
  places: {
    ...chatPlaces,
    owns: (event) => 'text' in fieldsOf(listOf(event['choices'])[0]),
    isDelta: (event) => Boolean(fieldsOf(listOf(event['choices'])[0])['text']),
    partsOf: (value) =>
      listOf(fieldsOf(value)['choices']).map((_, index) => {
        const at = `choices.${index}.text`
        return { kind: 'text', of: `${index}`, at, texts: [at], isDelta: true }
      }),
    refused: undefined,
    failure: (failure, soFar) => failedChunk(chatPlaces.failure(failure, soFar)),
    heartbeat: (kind, { last = {} }) => (kind === 'empty-delta' ? emptyChunk(last, 'text') : undefined),
  },
  failureStatus: 502,
  showsFailure: true,
}

function promptOf(body: unknown): string {
  const { prompt } = fieldsOf(body)
  return textOf(Array.isArray(prompt) ? prompt[0] : prompt)
}

/** Yields a completion's chunks, one per token. A failed answer ends with an error instead of a finish reason. */
function* chunks(
  { choices, usage, ...head }: Completion,
  { choices: [{ end }] }: Answer,
  { stream_options }: CompletionRequest,
): Generator<StreamEvent> {
  for (const { text, finish_reason, ...choice } of choices) {
    for (const token of tokenize(text))
      yield { ...head, choices: [{ text: token, finish_reason: null, ...choice }] }
    if (!end.error) yield { ...head, choices: [{ text: '', finish_reason, ...choice }] }
  }
  if (end.error)
    yield failedChunk(
      chatPlaces.failure({ form: 'error', ...end.error }, { response: undefined, sequence: 0, last: head }),
    )
  else if (stream_options?.include_usage) yield { ...head, choices: [], usage }
}

function failedChunk(chunk: StreamEvent): StreamEvent {
  return {
    ...chunk,
    object: 'text_completion',
    choices: [{ text: '', index: 0, finish_reason: 'error', logprobs: null }],
  }
}

export const createCompletion = defineOperation({
  id: 'createCompletion',
  method: 'post',
  path: '/completions',
  doc: { summary: 'Create a text completion', tag: 'Chat' },
  input: { body: CompletionRequest },
  output: Completion,
  assumes: { model: 'modelName' },
  protocol,
  resolve: (context) => respond(protocol, context),
})
