/**
 * An answer as a Response object: with ids, times and usage.
 * Spec: Response object, States; the fields beyond those are what clients' own schemas require.
 */

import { hash } from '../lib/seed.ts'
import type { OutputItem, ResponseObject, ResponseUsage } from '../resources/response.ts'
import type { AnsweredRequest } from './answer-request.ts'
import type { CountedItem } from './budget.ts'
import type { AnswerUsage } from './usage.ts'

export interface ResponseSetting {
  /** Milliseconds since 1970. */
  now: number
  /** What ids are made from. */
  requestKey: string
}

export function toResponseObject(
  { body, usage, answer }: AnsweredRequest,
  { now, requestKey }: ResponseSetting,
): ResponseObject {
  const { isCut } = answer
  const seconds = Math.floor(now / 1000)
  return {
    id: `resp_${hash(requestKey, 'response')}`,
    object: 'response',
    created_at: seconds,
    completed_at: isCut ? null : seconds,
    model: body.model,
    status: isCut ? 'incomplete' : 'completed',
    error: null,
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
    output: answer.items.map((item, place) => toOutputItem(item, hash(requestKey, 'item', place))),
    usage: toUsage(usage),
    instructions: body.instructions ?? null,
    ...(body.text && { text: body.text }),
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
  const status = isCut ? 'incomplete' : 'completed'
  switch (item.type) {
    case 'message': {
      const content = item.parts.map(({ text, annotations }) => ({
        type: 'output_text' as const,
        text,
        annotations,
      }))
      return { type: 'message', id: `msg_${key}`, status, role: 'assistant', content }
    }
    case 'function_call': {
      const { name, call_id = `call_${key}` } = item
      return { type: 'function_call', id: `fc_${key}`, call_id, name, arguments: item.arguments, status }
    }
    case 'web_search_call':
      return {
        type: 'web_search_call',
        id: `ws_${key}`,
        status: 'completed',
        action: { type: 'search', query: item.query },
      }
  }
}
