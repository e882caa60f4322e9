/**
 * An answer as a Response object: with ids, times and usage.
 * Spec: Response object, States; the fields beyond those are what clients' own schemas require.
 */

import { hash } from '../lib/seed.ts'
import type {
  ImageGenerationCall,
  MessageStatus,
  OutputItem,
  OutputMessage,
  ResponseObject,
  ResponseUsage,
  WebSearchCall,
} from '../resources/response.ts'
import type { AnswerItem, MessagePart } from './answer.ts'
import type { AnsweredRequest } from './answer-request.ts'
import type { CountedItem } from './budget.ts'
import type { Telling } from './events.ts'
import type { AnswerUsage } from './usage.ts'

export interface ResponseSetting {
  /** Milliseconds since 1970. */
  now: number
  /** What ids are made from. */
  requestKey: string
}

export function toResponseObject(
  { id, body, usage, answer, end }: AnsweredRequest,
  { now, requestKey }: ResponseSetting,
): ResponseObject {
  const { status, reason, error = null } = end
  const seconds = Math.floor(now / 1000)
  return {
    id: id ?? `resp_${hash(requestKey, 'response')}`,
    object: 'response',
    created_at: seconds,
    completed_at: status === 'completed' ? seconds : null,
    model: body.model,
    status,
    error,
    incomplete_details: reason ? { reason } : null,
    output: answer.items.map((item, place) => toOutputItem(item, hash(requestKey, 'item', place))),
    usage: toUsage(usage),
    instructions: body.instructions ?? null,
    ...(body.text && { text: body.text }),
    ...(body.previous_response_id != null && { previous_response_id: body.previous_response_id }),
    ...(body.store && { store: true }),
    metadata: body.metadata ?? {},
    temperature: body.temperature ?? null,
    top_p: body.top_p ?? null,
    presence_penalty: body.presence_penalty ?? null,
    frequency_penalty: body.frequency_penalty ?? null,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    tool_choice: body.tool_choice ?? 'auto',
    tools: (body.tools ?? []).map((tool) =>
      tool.type === 'function' ? { parameters: null, ...tool } : tool,
    ),
  }
}

/** How the events of a response are told, as far as the response itself does not say it. */
export function tellingOf({ answer, isInterleaved }: AnsweredRequest): Telling {
  const previews = answer.items.flatMap(({ item }, index): [number, readonly string[]][] =>
    item.type === 'image_generation_call' && item.previews.length > 0 ? [[index, item.previews]] : [],
  )
  return { previews: new Map(previews), isInterleaved }
}

export function toUsage(usage: AnswerUsage): ResponseUsage {
  const { inputTokens, cachedTokens, outputTokens, reasoningTokens } = usage
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: inputTokens + outputTokens,
  }
}

function toOutputItem({ item, isCut }: CountedItem, key: string): OutputItem {
  const { type, id = `${prefixes[type]}_${key}` } = item
  const status = (item.status ?? (isCut ? 'incomplete' : 'completed')) as MessageStatus
  switch (type) {
    case 'message':
      return { type, id, status, role: 'assistant', content: item.parts.map(toPart) }
    case 'reasoning':
      return {
        type,
        id,
        ...((isCut || item.status !== undefined) && { status }),
        summary: item.summary.map((text) => ({ type: 'summary_text', text })),
        ...(item.content.length > 0 && {
          content: item.content.map((text) => ({ type: 'reasoning_text' as const, text })),
        }),
        ...(item.encrypted !== undefined && { encrypted_content: item.encrypted }),
      }
    case 'function_call': {
      const { name, call_id = `call_${key}` } = item
      return { type, id, call_id, name, arguments: item.arguments, status }
    }
    case 'web_search_call':
      return {
        type,
        id,
        status: (item.status ?? 'completed') as WebSearchCall['status'],
        action: item.action,
      }
    case 'image_generation_call': {
      const { result, settings } = item
      const made = item.status ?? (result === null ? 'failed' : 'completed')
      return { type, id, status: made as ImageGenerationCall['status'], result, ...settings }
    }
  }
}

const prefixes: Readonly<Record<AnswerItem['type'], string>> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  web_search_call: 'ws',
  image_generation_call: 'ig',
}

function toPart(part: MessagePart): OutputMessage['content'][number] {
  if ('refusal' in part) return { type: 'refusal', refusal: part.refusal }
  return { type: 'output_text', text: part.text, annotations: part.annotations }
}
