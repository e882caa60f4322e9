/** Converts an answer to a message in the Anthropic format, and errors to that format's envelope. */
import * as z from 'zod'
import { fieldsOf, isObject } from '../../lib/json.ts'
import { hash } from '../../lib/seed.ts'
import { readAll, readPath } from '../../lib/value-path.ts'
import { callAfterThinking, sign } from '../../model/signature.ts'
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

  const caller = z.strictObject({ type: z.literal('direct') })
  const SearchResult = z.strictObject({
    type: z.literal('web_search_result'),
    url: z.string(),
    title: z.string(),
    encrypted_content: z.string(),
    page_age: z.null(),
  })
  const SearchError = z.strictObject({
    type: z.literal('web_search_tool_result_error'),
    error_code: z.literal('unavailable'),
  })

  const Block = z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('text'), text: z.string(), citations: z.array(Citation).nullable() }),
    z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
    z.strictObject({ type: z.literal('redacted_thinking'), data: z.string() }),
    z.strictObject({
      type: z.enum(['tool_use', 'server_tool_use']),
      id: z.string(),
      name: z.string(),
      input: z.record(z.string(), z.unknown()),
      caller,
    }),
    z.strictObject({
      type: z.literal('web_search_tool_result'),
      tool_use_id: z.string(),
      content: z.union([z.array(SearchResult), SearchError]),
      caller,
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
  { requestKey, sandbox }: RenderContext<MessagesRequest>,
): MessageObject {
  const { choices, model, usage } = answer
  const { cachedTokens, cacheWriteTokens, cacheWriteTokens1h } = usage
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
      const { encrypted, fields } = item
      const thoughts = [item.content, item.summary].flatMap((texts) => texts.join('\n\n') || [])
      // Text needs a signature, which encrypted reasoning can serve as.
      const isRedacted = encrypted != null && (thoughts.length === 0 || fields?.['signature'] !== undefined)
      const given = (fields?.['signature'] ?? encrypted) as string | undefined
      if (isRedacted) content.push({ type: 'redacted_thinking', data: encrypted })
      else if (thoughts.length === 0) thoughts.push('')
      for (const [rank, thinking] of thoughts.entries()) {
        const key = hash(requestKey, 'signature', place, rank)
        content.push({ type: 'thinking', thinking, signature: given ?? sign(thinking, model, key) })
      }
    } else if (item.type === 'web_search_call' && item.action.type === 'search') {
      const id = `srvtoolu_${hash(requestKey, 'search', place)}`
      const input = { query: item.action.query }
      content.push({ type: 'server_tool_use', id, name: 'web_search', input, caller })
      content.push({
        type: 'web_search_tool_result',
        tool_use_id: id,
        content:
          item.status === 'failed'
            ? { type: 'web_search_tool_result_error', error_code: 'unavailable' }
            : toResults(items.slice(place), requestKey),
        caller,
      })
    } else if (item.type === 'function_call') {
      const id = item.call_id ?? `${callPrefix}${hash(requestKey, 'call', place)}`
      if (content.some(({ type }) => type === 'thinking')) sandbox.memory.set(callAfterThinking(id), 1)
      content.push({ type: 'tool_use', id, name: item.name, input: inputOf(item.arguments), caller })
    }
  }
  const searches = content.filter(({ type }) => type === 'server_tool_use').length
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
      input_tokens: usage.inputTokens - cachedTokens - cacheWriteTokens,
      output_tokens: usage.outputTokens,
      cache_creation_input_tokens: cacheWriteTokens,
      cache_read_input_tokens: cachedTokens,
      ...(cacheWriteTokens > 0 && {
        cache_creation: {
          ephemeral_5m_input_tokens: cacheWriteTokens - cacheWriteTokens1h,
          ephemeral_1h_input_tokens: cacheWriteTokens1h,
        },
      }),
      ...(searches > 0 && { server_tool_use: { web_search_requests: searches, web_fetch_requests: 0 } }),
    },
  }
}

const caller = { type: 'direct' } as const

/** Paths of scripted item fields that appear in a message. */
export const shownInMessages = [
  'message.content.text',
  'message.content.refusal',
  ...['url', 'title', 'start_index', 'end_index'].map((name) => `message.content.annotations.${name}`),
  ...['summary', 'content', 'encrypted_content', 'signature'].map((name) => `reasoning.${name}`),
  ...['name', 'arguments', 'call_id'].map((name) => `function_call.${name}`),
  'web_search_call.action.query',
  'web_search_call.action.sources.url',
]

/** Returns a search's results: its sources, and the pages cited until the next search. */
function toResults([search, ...later]: readonly ChoiceItem[], key: string) {
  const end = later.findIndex(({ item }) => item.type === 'web_search_call')
  const cited = readAll(later.slice(0, end < 0 ? undefined : end), readPath('*.item.parts.*.annotations.*'))
  const sources = readAll(search, readPath('item.action.sources.*'))
  const pages = new Map<string, string>()
  for (const page of [...cited, ...sources]) {
    const { url, title } = fieldsOf(page)
    if (typeof url === 'string' && !pages.has(url)) pages.set(url, typeof title === 'string' ? title : url)
  }
  return Array.from(pages, ([url, title]) => ({
    type: 'web_search_result' as const,
    url,
    title,
    encrypted_content: hash(key, 'page', url),
    page_age: null,
  }))
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

/** Prefix of function call ids. */
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
    error: z.strictObject({
      type: z.string(),
      message: z.string(),
      details: z.looseObject({ error_code: z.string() }).optional(),
      metadata: z.strictObject({ rule: z.string() }).optional(),
    }),
    request_id: z.string(),
  }),
)

/** Errors in streams have no request id. The name of a broken rule is the only addition to the vendor's format. */
export function toMessagesError(
  status: number,
  message: string,
  requestId?: string,
  { rule, details }: Record<string, unknown> = {},
) {
  const type = errorTypes[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error')
  const error = { type, message, details, ...(rule !== undefined && { metadata: { rule } }) }
  return { type: 'error', error, ...(requestId && { request_id: requestId }) }
}
