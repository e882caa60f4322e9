/**
 * From drafts to the Response object: counted, cut at `max_output_tokens`, with ids, times and usage.
 * Spec: Response object, States; the fields beyond those are what clients' own schemas require.
 */

import { hash } from '../lib/seed.ts'
import type { OutputItem, ResponseObject, ResponseUsage } from '../resources/response.ts'
import type { Conversation } from './conversation.ts'
import type { Draft } from './draft.ts'
import type { CreateResponseBody } from './request.ts'
import { countTokens, tokenize } from './tokens.ts'

export interface Circumstances {
  /** The request, with what its preset brings. */
  body: CreateResponseBody
  conversation: Conversation
  /** Milliseconds since 1970. */
  now: number
  /** What ids are made from. */
  requestKey: string
}

export function compose(drafts: readonly Draft[], circumstances: Circumstances): ResponseObject {
  const { body, conversation, now, requestKey } = circumstances
  const limit = body.max_output_tokens ?? Number.POSITIVE_INFINITY
  const output: OutputItem[] = []
  let used = 0
  let isCut = false
  for (const draft of drafts) {
    const content = contentOf(draft)
    const wanted = countTokens(content)
    const left = limit - used
    if (wanted > 0 && left === 0) isCut = true
    if (isCut) break
    isCut = wanted > left
    const kept = isCut ? tokenize(content).slice(0, left).join('') : content
    used += Math.min(wanted, left)
    output.push(toItem(draft, kept, isCut, hash(requestKey, 'item', output.length)))
  }
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
    output,
    usage: usageOf(inputTokens(body, conversation), used),
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

export function usageOf(input: number, output: number): ResponseUsage {
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + output,
  }
}

/** The instructions and every text of the conversation. */
function inputTokens({ instructions }: CreateResponseBody, { turns }: Conversation): number {
  return turns.reduce((sum, { text }) => sum + countTokens(text), countTokens(instructions ?? ''))
}

function contentOf(draft: Draft): string {
  switch (draft.type) {
    case 'message':
      return draft.text
    case 'function_call':
      return draft.arguments
    case 'web_search_call':
      return ''
  }
}

/** @param kept As much of its content as the limit lets pass. */
function toItem(draft: Draft, kept: string, isCut: boolean, key: string): OutputItem {
  const status = isCut ? 'incomplete' : 'completed'
  switch (draft.type) {
    case 'message': {
      const annotations = draft.annotations.filter(({ end_index }) => end_index <= kept.length)
      return {
        type: 'message',
        id: `msg_${key}`,
        status,
        role: 'assistant',
        content: [{ type: 'output_text', text: kept, annotations }],
      }
    }
    case 'function_call': {
      const { name, call_id = `call_${key}` } = draft
      return { type: 'function_call', id: `fc_${key}`, call_id, name, arguments: kept, status }
    }
    case 'web_search_call':
      return {
        type: 'web_search_call',
        id: `ws_${key}`,
        status: 'completed',
        action: { type: 'search', query: draft.query },
      }
  }
}
