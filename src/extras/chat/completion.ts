/** Converts an answer to a chat completion in the format that published clients expect. */
import * as z from 'zod'
import { textOf } from '../../lib/json.ts'
import { draw, hash } from '../../lib/seed.ts'
import { reasoningTexts } from '../../model/token-limit.ts'
import { tokenize } from '../../model/tokens.ts'
import type { Answer, AnswerEnd, AnswerUsage, Choice, ChoiceItem, CitedText } from '../../resources/answer.ts'
import type { RenderContext, StreamFailure } from '../../resources/protocol.ts'
import { isUrlCitation } from '../../resources/response.ts'
import { ReasoningDetail, toReasoningDetails } from './reasoning-details.ts'
import { type ChatRequest, isLegacy } from './request.ts'

export const ChatCompletion = z.lazy(() => {
  const UrlCitation = z.strictObject({
    type: z.literal('url_citation'),
    url_citation: z.strictObject({
      url: z.string(),
      title: z.string(),
      content: z.string().optional(),
      start_index: z.int(),
      end_index: z.int(),
    }),
  })

  const FunctionCall = z.strictObject({ name: z.string(), arguments: z.string() })
  const ToolCall = z.discriminatedUnion('type', [
    z.strictObject({ id: z.string(), type: z.literal('function'), function: FunctionCall }),
    z.strictObject({
      id: z.string(),
      type: z.literal('custom'),
      custom: z.strictObject({ name: z.string(), input: z.string() }),
    }),
  ])

  const Image = z.strictObject({
    type: z.literal('image_url'),
    image_url: z.strictObject({ url: z.string() }),
    index: z.int(),
  })

  const TokenLogprob = z.strictObject({
    token: z.string(),
    logprob: z.number(),
    bytes: z.array(z.int()),
  })
  const Logprobs = z.strictObject({
    content: z.array(TokenLogprob.extend({ top_logprobs: z.array(TokenLogprob) })),
    refusal: z.null(),
  })

  const FinishReason = z.enum(['stop', 'length', 'tool_calls', 'function_call', 'content_filter', 'error'])

  return z
    .strictObject({
      id: z.string(),
      object: z.literal('chat.completion'),
      created: z.int().describe('Unix timestamp in seconds.'),
      model: z.string(),
      choices: z.array(
        z.strictObject({
          index: z.int(),
          message: z.strictObject({
            role: z.literal('assistant'),
            content: z.string().nullable(),
            refusal: z.string().nullable(),
            reasoning: z.string().nullable().optional(),
            reasoning_details: z.array(ReasoningDetail).optional(),
            images: z.array(Image).optional(),
            tool_calls: z.array(ToolCall).optional(),
            function_call: FunctionCall.optional(),
            annotations: z.array(UrlCitation).optional(),
          }),
          finish_reason: FinishReason.nullable(),
          error: z.looseObject({ code: z.int(), message: z.string() }).optional(),
          logprobs: Logprobs.nullable(),
        }),
      ),
      usage: z.looseObject({
        prompt_tokens: z.int(),
        completion_tokens: z.int(),
        total_tokens: z.int(),
        prompt_tokens_details: z.strictObject({
          cached_tokens: z.int(),
          cache_write_tokens: z.int().optional(),
        }),
        completion_tokens_details: z.strictObject({ reasoning_tokens: z.int() }),
      }),
      system_fingerprint: z.string().nullable(),
    })
    .meta({ id: 'ChatCompletion', description: 'A chat completion.' })
})

export type ChatCompletion = z.infer<typeof ChatCompletion>
export type ChatChoice = ChatCompletion['choices'][number]

export function toChatCompletion(answer: Answer, context: RenderContext<ChatRequest>): ChatCompletion {
  const { now, requestKey } = context
  const { model } = answer
  return {
    id: answer.id ?? `gen-${hash(requestKey, 'chat')}`,
    object: 'chat.completion',
    created: Math.floor(now / 1000),
    model,
    choices: answer.choices.map((choice, index) => toChoice(choice, index, { ...context, model })),
    usage: toChatUsage(answer.usage),
    system_fingerprint: null,
  }
}

function toChatUsage(usage: AnswerUsage): ChatCompletion['usage'] {
  const { inputTokens, cachedTokens, cacheWriteTokens, outputTokens, reasoningTokens } = usage
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: {
      cached_tokens: cachedTokens,
      ...(cacheWriteTokens > 0 && { cache_write_tokens: cacheWriteTokens }),
    },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  }
}

function toChoice(
  { items, end }: Choice,
  index: number,
  { body, requestKey, sandbox, model }: RenderContext<ChatRequest> & { model: string },
): ChatChoice {
  const { text, refusal, reasoning, details, annotations, calls, images } = toParts(
    items,
    model,
    (label, place) => hash(requestKey, label, index, place),
  )
  // The format before tools has at most one call.
  const [only, ...others] = isLegacy(body) ? calls : []
  const legacyCall = others.length === 0 && only?.type === 'function' ? only.function : undefined
  const kind = legacyCall ? 'function_call' : calls.length > 0 ? 'tool_calls' : undefined
  return {
    index,
    message: {
      role: 'assistant',
      content: text ?? null,
      refusal: refusal ?? null,
      ...(details.length > 0 && { reasoning: reasoning || null, reasoning_details: details }),
      ...(kind === 'tool_calls' && { tool_calls: calls }),
      ...(legacyCall && { function_call: legacyCall }),
      ...(annotations.length > 0 && { annotations }),
      ...(images.length > 0 && { images }),
    },
    finish_reason: finishReason(end, kind),
    ...(end.error && { error: toChatError(end.error) }),
    logprobs:
      body.logprobs && text !== undefined
        ? logprobsOf(text, body.top_logprobs ?? 0, hash(sandbox.seed, requestKey, index))
        : null,
  }
}

/** Paths of scripted item fields that appear in a completion. */
export const shownInChat = [
  ...paths('message.content', 'text refusal'),
  ...paths('message.content.annotations', 'url title content start_index end_index'),
  ...paths('reasoning', 'summary content encrypted_content signature format'),
  ...paths('function_call', 'name arguments call_id'),
  ...paths('custom_tool_call', 'name input call_id'),
  ...paths('image_generation_call', 'result output_format'),
]

function paths(item: string, names: string): string[] {
  return names.split(' ').map((name) => `${item}.${name}`)
}

interface Parts {
  text?: string
  refusal?: string
  reasoning: string
  details: ReasoningDetail[]
  annotations: NonNullable<ChatChoice['message']['annotations']>
  calls: NonNullable<ChatChoice['message']['tool_calls']>
  images: NonNullable<ChatChoice['message']['images']>
}

/** Joins several text, refusal or reasoning items, and omits items whose types are not in `shownInChat`. */
function toParts(
  items: readonly ChoiceItem[],
  model: string,
  keyOf: (label: string, place: number) => string,
): Parts {
  const parts: Parts = { reasoning: '', details: [], annotations: [], calls: [], images: [] }
  let thoughts = 0
  for (const [place, { item }] of items.entries()) {
    if (item.type === 'function_call') {
      const { name, arguments: args, call_id = `call_${keyOf('call', place)}` } = item
      parts.calls.push({ id: call_id, type: 'function', function: { name, arguments: args } })
    } else if (item.type === 'other' && item.itemType === 'custom_tool_call') {
      const { name, input, call_id = `call_${keyOf('call', place)}` } = item.fields
      const custom = { name: textOf(name), input: textOf(input) }
      parts.calls.push({ id: textOf(call_id), type: 'custom', custom })
    } else if (item.type === 'reasoning') {
      const earlier = parts.reasoning === '' ? [] : [parts.reasoning]
      parts.reasoning = [...earlier, ...reasoningTexts(item)].join('\n\n')
      parts.details.push(...toReasoningDetails(item, thoughts++, model, keyOf('reasoning', place)))
    } else if (item.type === 'image_generation_call' && item.result !== null) {
      const url = `data:image/${item.fields?.['output_format'] ?? 'png'};base64,${item.result}`
      parts.images.push({ type: 'image_url', image_url: { url }, index: parts.images.length })
    } else if (item.type === 'message') {
      for (const part of item.parts) {
        if ('refusal' in part) parts.refusal = (parts.refusal ?? '') + part.refusal
        else addText(parts, part)
      }
    }
  }
  return parts
}

function addText(parts: Parts, part: CitedText): void {
  const offset = parts.text?.length ?? 0
  parts.text = (parts.text ?? '') + part.text
  for (const { type, url, title = url, ...cited } of part.annotations.filter(isUrlCitation)) {
    const { content, start_index = 0, end_index = part.text.length } = cited
    parts.annotations.push({
      type,
      url_citation: {
        url,
        title,
        ...(content !== undefined && { content }),
        start_index: offset + start_index,
        end_index: offset + end_index,
      },
    })
  }
}

export function toChatError({ code = 'server_error', message }: Omit<StreamFailure, 'form'>) {
  return { code: 502, message, metadata: { error_type: code } }
}

function finishReason(
  { status, reason, stop }: AnswerEnd,
  calls: 'tool_calls' | 'function_call' | undefined,
): ChatChoice['finish_reason'] {
  if (status === 'failed') return 'error'
  if (status === 'incomplete') return reason === 'content_filter' ? 'content_filter' : 'length'
  return calls && stop === undefined ? calls : 'stop'
}

const utf8 = new TextEncoder()

/** Generates plausible log probabilities. The chosen token is the most likely one. */
function logprobsOf(text: string, top: number, key: string): NonNullable<ChatChoice['logprobs']> {
  const rounded = (value: number) => Math.round(value * 1e6) / 1e6
  const content = tokenize(text).map((token, place) => {
    const logprob = rounded(-draw(key, 'logprob', place) / 2)
    const chosen = { token, logprob, bytes: [...utf8.encode(token)] }
    const others = Array.from({ length: top }, (_, rank) => {
      const other = ` ${hash(key, 'other', place, rank).slice(0, 4)}`
      return { token: other, logprob: rounded(logprob - 1 - rank), bytes: [...utf8.encode(other)] }
    })
    return { ...chosen, top_logprobs: [chosen, ...others].slice(0, top) }
  })
  return { content, refusal: null }
}
