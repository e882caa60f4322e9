/**
 * Determines the kinds of items in a recorded reply in any protocol, so that Understudy can be scripted to
 * reply with the same kinds. Their fields are not copied, because `drift` compares them.
 */
import { fieldsOf, isObject, listOf, lookUp } from '../../lib/json.ts'
import type { ScriptedItemInput, ScriptedReply } from '../../scenarios/scripted-reply.ts'

type Fields = Record<string, unknown>

/** A single token, so that a token limit in the request leaves room for the other items. */
const text = 'So'
const url = 'https://tides.example/'
const message = (...content: { text?: string; refusal?: string }[]) => ({ type: 'message', content }) as const
const call = { type: 'function_call', name: 'look_up', arguments: '{}' } as const

type End = 'failed' | 'max_output_tokens' | 'content_filter'

const ends: Record<string, End> = {
  ...{ failed: 'failed', error: 'failed', content_filter: 'content_filter', refusal: 'content_filter' },
  ...{ length: 'max_output_tokens', max_tokens: 'max_output_tokens', max_output_tokens: 'max_output_tokens' },
}

/** @param values The body, or the values of a stream's events. */
export function scriptOf(values: readonly unknown[]): ScriptedReply {
  const all = values.map(fieldsOf)
  const output = [...responseItems(all), ...chatItems(all), ...all.flatMap(blocksIn).flatMap(toItem)]
  const end = all.map(endOf).findLast(Boolean)
  if (end === 'failed') return { output, responseStatus: end, error: { message: text } }
  return { output, ...(end && { responseStatus: 'incomplete', incompleteReason: end }) }
}

function endOf(value: Fields): End | undefined {
  const { status, incomplete_details } = fieldsOf(value['response'] ?? value)
  const { finish_reason } = fieldsOf(listOf(value['choices'])[0])
  const { stop_reason } = fieldsOf(value['delta'] ?? value)
  const reason = finish_reason ?? stop_reason ?? fieldsOf(incomplete_details)['reason'] ?? status
  return isFailure(value) ? 'failed' : lookUp(ends, reason)
}

export function isFailure(value: unknown): boolean {
  const { type, error } = fieldsOf(value)
  return type === 'response.failed' || type === 'error' || Boolean(error)
}

function responseItems(values: readonly Fields[]): ScriptedItemInput[] {
  const outputs = values.map(({ response, output }) => listOf(fieldsOf(response)['output'] ?? output))
  const begun = values.filter(({ item }) => item !== undefined)
  const items = new Map(begun.map(({ item, output_index }) => [output_index, item]))
  return [...(outputs.findLast((output) => output.length > 0) ?? items.values())].flatMap(toItem)
}

/** Returns the blocks of a message in Anthropic's format. In a stream, blocks start without their content. */
function blocksIn(value: Fields, index: number, values: readonly Fields[]): readonly unknown[] {
  const { type, content, content_block: started } = value
  if (type === 'message') return listOf(content)
  if (!isObject(started)) return []
  const next = values.slice(index + 1, index + 3).find((each) => each['type'] !== 'ping')
  const citations = started['citations'] ? [{}] : null
  return [{ ...started, ...fieldsOf(next?.['delta']), citations, type: started['type'] }]
}

/** Converts a response item or a content block. Omits items of types that Understudy does not support. */
function toItem(item: unknown): ScriptedItemInput[] {
  const { type, content, summary, thinking, encrypted_content: sealed, action } = fieldsOf(item)
  const texts = (list: unknown) => listOf(list).map(() => text)
  // A message has no content when it starts, and none later if the stream fails.
  const parts = listOf(content).length > 0 ? listOf(content) : [{ text }]
  if (type === 'message') return [message(...parts.map(toPart))]
  if (type === 'text') return [message(toPart(item))]
  if (type === 'thinking') return [{ type: 'reasoning', summary: thinking === '' ? [] : text }]
  if (type === 'redacted_thinking') return [{ type: 'reasoning', encrypted_content: text }]
  if (type === 'function_call' || type === 'tool_use') return [call]
  if (type === 'image_generation_call') return [{ type }]
  if (type === 'web_search_call') return [searchWith(fieldsOf(action)['sources'])]
  if (type === 'web_search_tool_result')
    return [{ ...searchWith(content), ...(!Array.isArray(content) && { status: 'failed' }) }]
  if (type === 'reasoning') {
    const encrypted = sealed !== undefined && { encrypted_content: sealed === null ? null : text }
    const all = content !== undefined && { content: texts(content) }
    return [{ type, summary: texts(summary), ...all, ...encrypted }]
  }
  return typeof type === 'string' ? [] : [message({ text })]
}

function searchWith(sources: unknown): ScriptedItemInput & { type: 'web_search_call' } {
  const pages = Array.isArray(sources) && { sources: sources.map(() => ({ type: 'url', url })) }
  return { type: 'web_search_call', action: { type: 'search', query: text, ...pages } }
}

function toPart(part: unknown) {
  const { text: said, refusal, annotations, citations } = fieldsOf(part)
  if (refusal !== undefined) return { refusal: text }
  const cited = listOf(annotations ?? citations).map((annotation) => {
    const { url_citation, content } = fieldsOf(annotation)
    const excerpt = (content ?? fieldsOf(url_citation)['content']) !== undefined && { content: text }
    return { type: 'url_citation' as const, url, title: text, start_index: 0, end_index: 2, ...excerpt }
  })
  return { text: said === '' ? '' : text, annotations: cited }
}

/** Returns the first choice's message, or joins its deltas. Understudy groups a message's parts by their kind. */
function chatItems(values: readonly Fields[]): ScriptedItemInput[] {
  const choices = values.flatMap(({ choices }) => listOf(choices).slice(0, 1)).map(fieldsOf)
  const isStream = choices.length > 1
  const said = choices.map(({ message, delta, text }) => fieldsOf(message ?? delta ?? { content: text }))
  const all = (name: string) => said.flatMap((each) => each[name] ?? [])
  const details = new Set(all('reasoning_details').map((detail) => fieldsOf(detail)['type']))
  const [content, summary, encrypted_content] = ['text', 'summary', 'encrypted'].map((name) =>
    details.has(`reasoning.${name}`) ? text : undefined,
  )
  const calls = all('tool_calls').map(fieldsOf)
  const started = calls.filter(({ id, type }) => !isStream || (id ?? type) !== undefined)
  const others: ScriptedItemInput[] = [
    ...(details.size > 0 ? [{ type: 'reasoning', content, summary, encrypted_content } as const] : []),
    ...(details.size === 0 && all('reasoning').length > 0
      ? [{ type: 'reasoning', summary: text } as const]
      : []),
    ...started.map(({ type }) =>
      type === 'custom' ? { ...call, type: 'custom_tool_call', input: text } : call,
    ),
    ...all('function_call')
      .slice(0, 1)
      .map(() => call),
    ...all('images').map(() => ({ type: 'image_generation_call' }) as const),
  ]
  const texts = all('content').filter((each) => each !== '' || !isStream)
  const parts = texts.length > 0 ? [toPart({ text: texts.join(''), annotations: all('annotations') })] : []
  if (all('refusal').length > 0) parts.push({ refusal: text })
  if (parts.length > 0) return [...others, message(...parts)]
  // Text in a field with an unknown name cannot be scripted.
  const isUnread = isStream && said.some(({ role: _, ...rest }) => Object.values(rest).join('') !== '')
  if (others.length > 0 || choices.length === 0 || isUnread) return others
  return [message({ text: isStream ? '' : text })]
}
