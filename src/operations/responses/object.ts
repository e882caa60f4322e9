/**
 * Converts an answer to a Response object with ids, timestamps and usage. Spec: Response object, States. The
 * additional fields are required by published clients' schemas.
 */

import { hash } from '../../lib/seed.ts'
import type { Answer, AnswerItem, AnswerUsage, ChoiceItem, MessagePart } from '../../resources/answer.ts'
import type { CreateResponseBody, RequestSettings } from '../../resources/create-response-body.ts'
import type { RenderContext } from '../../resources/protocol.ts'
import type { ImageGenerationCall, MessageStatus } from '../../resources/response.ts'
import { itemKindOf } from './item-kinds.ts'
import type {
  OutputItem,
  OutputMessage,
  ResponseObject,
  ResponseUsage,
  WebSearchCall,
} from './response-object.ts'

export function toResponseObject(
  answer: Answer,
  { body, now, requestKey }: RenderContext<CreateResponseBody>,
): ResponseObject {
  const [{ items, end }] = answer.choices
  const { status, reason, error = null } = end
  const seconds = Math.floor(now / 1000)
  const settings = answer.preset ? withPreset(body, answer.preset) : body
  return {
    id: answer.id ?? `resp_${hash(requestKey, 'response')}`,
    object: 'response',
    created_at: seconds,
    completed_at: status === 'completed' ? seconds : null,
    model: answer.model,
    status,
    error,
    incomplete_details: reason ? { reason } : null,
    output: items.map((item, place) => toOutputItem(item, hash(requestKey, 'item', place), body)),
    usage: toUsage(answer.usage),
    instructions: settings.instructions ?? null,
    ...(settings.text && { text: settings.text }),
    ...(settings.reasoning && { reasoning: settings.reasoning }),
    ...(settings.max_output_tokens != null && { max_output_tokens: settings.max_output_tokens }),
    ...(settings.truncation != null && { truncation: settings.truncation }),
    ...(settings.service_tier != null && { service_tier: settings.service_tier }),
    ...(body.previous_response_id != null && { previous_response_id: body.previous_response_id }),
    ...(body.store && { store: true }),
    metadata: settings.metadata ?? {},
    temperature: settings.temperature ?? null,
    top_p: settings.top_p ?? null,
    presence_penalty: settings.presence_penalty ?? null,
    frequency_penalty: settings.frequency_penalty ?? null,
    parallel_tool_calls: settings.parallel_tool_calls ?? true,
    tool_choice: settings.tool_choice ?? 'auto',
    tools: (settings.tools ?? []).map((tool) =>
      tool.type === 'function' ? { parameters: null, ...tool } : tool,
    ),
  }
}

function withPreset(body: CreateResponseBody, preset: RequestSettings): RequestSettings {
  const set = Object.entries(body).filter(([, value]) => value != null)
  return { ...preset, ...Object.fromEntries(set) }
}

function toUsage(usage: AnswerUsage): ResponseUsage {
  const { inputTokens, cachedTokens, outputTokens, reasoningTokens } = usage
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: inputTokens + outputTokens,
  }
}

function toOutputItem({ item, isCut }: ChoiceItem, key: string, { include }: CreateResponseBody): OutputItem {
  const { type, fields } = item
  const { id = `${prefixOf(item)}_${key}` } = item
  const status = (isCut ? 'incomplete' : (item.status ?? 'completed')) as MessageStatus
  switch (type) {
    case 'message':
      return { type, id, status, role: 'assistant', content: item.parts.map(toPart), ...fields }
    case 'reasoning': {
      const isEncrypted = include?.includes('reasoning.encrypted_content')
      const { encrypted = isEncrypted ? `gAAAA${hash(key, 'encrypted')}` : undefined } = item
      const content = item.content.map((text) => ({ type: 'reasoning_text' as const, text }))
      return {
        type,
        id,
        // OpenAI omits it, but the AI SDK's xAI provider requires it.
        status,
        summary: item.summary.map((text) => ({ type: 'summary_text', text })),
        ...fields,
        ...(content.length > 0 && { content }),
        ...(encrypted !== undefined && { encrypted_content: encrypted }),
      }
    }
    case 'function_call': {
      const { name, call_id = `call_${key}` } = item
      return { type, id, call_id, name, arguments: item.arguments, status, ...fields }
    }
    case 'web_search_call': {
      const status = (item.status ?? 'completed') as WebSearchCall['status']
      return { type, id, status, action: item.action, ...fields }
    }
    case 'image_generation_call': {
      const { result } = item
      const made = item.status ?? (result === null ? 'failed' : 'completed')
      return { type, id, status: made as ImageGenerationCall['status'], result, ...fields }
    }
    case 'other': {
      const { generated = [] } = itemKindOf(item.itemType)
      const { status = item.fields['error'] ? 'failed' : 'completed' } = item
      return {
        type: item.itemType,
        id,
        ...((item.status !== undefined || generated.includes('status')) && { status }),
        ...(generated.includes('call_id') && { call_id: `call_${key}` }),
        ...fields,
      }
    }
  }
}

function prefixOf(item: AnswerItem): string {
  if (item.type === 'message') return 'msg'
  return item.type === 'reasoning'
    ? 'rs'
    : itemKindOf(item.type === 'other' ? item.itemType : item.type).prefix
}

function toPart(part: MessagePart): OutputMessage['content'][number] {
  const { fields } = part
  if ('refusal' in part) return { type: 'refusal', refusal: part.refusal, ...fields }
  return { type: 'output_text', text: part.text, annotations: part.annotations, ...fields }
}
