/** Converts an answer to a message in the Anthropic format, and errors to that format's envelope. */
import * as z from 'zod'
import { hash } from '../../lib/seed.ts'
import { isObject } from '../../lib/unchecked-json.ts'
import { reasoningTexts } from '../../model/token-limit.ts'
import type { Answer, AnswerEnd, AnswerItem, ChoiceItem } from '../../resources/answer.ts'
import type { RenderContext } from '../../resources/protocol.ts'
import { isUrlCitation } from '../../resources/response.ts'
import type { MessagesRequest } from './request.ts'

export const MessageObject = z.lazy(() => {
  const Citation = z.strictObject({
    type: z.literal('web_search_result_location'),
    url: z.string(),
    title: z.string().nullable(),
    cited_text: z.string(),
    encrypted_index: z.string(),
  })

  const Block = z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('text'), text: z.string(), citations: z.array(Citation).nullable() }),
    z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
    z.strictObject({
      type: z.literal('tool_use'),
      id: z.string(),
      name: z.string(),
      input: z.record(z.string(), z.unknown()),
      caller: z.strictObject({ type: z.literal('direct') }),
    }),
  ])

  return z
    .strictObject({
      id: z.string(),
      type: z.literal('message'),
      role: z.literal('assistant'),
      model: z.string(),
      content: z.array(Block),
      stop_reason: z.enum(['end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'refusal']).nullable(),
      stop_sequence: z.string().nullable(),
      stop_details: z.null(),
      container: z.null(),
      usage: z.looseObject({
        input_tokens: z.int(),
        output_tokens: z.int(),
        cache_creation_input_tokens: z.int().nullable(),
        cache_read_input_tokens: z.int().nullable(),
      }),
    })
    .meta({ id: 'Message', description: 'A message from the model.' })
})

export type MessageObject = z.infer<typeof MessageObject>
export type MessageBlock = MessageObject['content'][number]

export function toMessageObject(
  answer: Answer,
  { requestKey }: RenderContext<MessagesRequest>,
): MessageObject {
  const { choices, usage } = answer
  const [{ items, end }] = choices
  const content: MessageBlock[] = []
  for (const [place, { item }] of items.entries()) {
    if (item.type === 'message') {
      for (const part of item.parts) {
        const { text, annotations } = 'refusal' in part ? { text: part.refusal, annotations: [] } : part
        const citations = annotations.filter(isUrlCitation).map(({ url, title, start_index, end_index }) => ({
          type: 'web_search_result_location' as const,
          url,
          title: title ?? null,
          cited_text: text.slice(start_index, end_index),
          encrypted_index: hash(requestKey, url),
        }))
        content.push({ type: 'text', text, citations: citations.length > 0 ? citations : null })
      }
    } else if (item.type === 'reasoning') {
      const thinking = reasoningTexts(item).join('\n\n')
      content.push({ type: 'thinking', thinking, signature: hash(requestKey, 'signature', place) })
    } else if (item.type === 'function_call') {
      const id = item.call_id ?? `${callPrefix}${hash(requestKey, 'call', place)}`
      content.push({
        type: 'tool_use',
        id,
        name: item.name,
        input: inputOf(item.arguments),
        caller: { type: 'direct' },
      })
    }
  }
  return {
    id: answer.id ?? `msg_${hash(requestKey, 'message')}`,
    type: 'message',
    role: 'assistant',
    model: answer.model,
    content,
    stop_reason: stopReason(items, end),
    stop_sequence: end.stop ?? null,
    stop_details: null,
    container: null,
    usage: {
      input_tokens: usage.inputTokens - usage.cachedTokens,
      output_tokens: usage.outputTokens,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: usage.cachedTokens,
    },
  }
}

function stopReason(
  items: readonly ChoiceItem[],
  { status, reason, stop }: AnswerEnd,
): MessageObject['stop_reason'] {
  if (stop !== undefined) return 'stop_sequence'
  if (reason === 'content_filter' || items.some(({ item }) => isRefusal(item))) return 'refusal'
  if (status === 'incomplete') return 'max_tokens'
  return items.some(({ item }) => item.type === 'function_call') ? 'tool_use' : 'end_turn'
}

function isRefusal(item: AnswerItem): boolean {
  return item.type === 'message' && item.parts.some((part) => 'refusal' in part)
}

/** Parses function arguments. Truncated arguments are invalid JSON and become an empty object. */
function inputOf(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json)
    return isObject(value) ? value : { value }
  } catch {
    return {}
  }
}

/** Beginning of a function call's id. */
export const callPrefix = 'toolu_'

export const failureStatus = 500

const errorTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  524: 'timeout_error',
  529: 'overloaded_error',
}

export const MessagesError = z.lazy(() =>
  z.strictObject({
    type: z.literal('error'),
    error: z.strictObject({ type: z.string(), message: z.string() }),
    request_id: z.string(),
  }),
)

/** Events have no request id. */
export function toMessagesError(status: number, message: string, requestId?: string) {
  const type = errorTypes[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error')
  return { type: 'error', error: { type, message }, ...(requestId && { request_id: requestId }) }
}
