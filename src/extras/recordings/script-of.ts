/**
 * Reads which items a recorded reply of any protocol has, so that Understudy can be scripted to reply with the same
 * ones. Their fields are not copied, because `drift` compares them.
 */
import { fieldsOf, isObject, listOf } from '../../lib/unchecked-json.ts'
import type { ScriptedItemInput, ScriptedReply } from '../../scenarios/scripted-reply.ts'

type Fields = Record<string, unknown>

/** One token, so that a token limit in the request leaves room for the other items. */
const sample = 'So'
const url = 'https://tides.example/'
const message = (...content: { text?: string; refusal?: string }[]) => ({ type: 'message', content }) as const
const call = { type: 'function_call', name: 'look_up', arguments: '{}' } as const

/** @param values The body, or the values of a stream's events. */
export function scriptOf(values: readonly unknown[]): ScriptedReply {
  const all = values.map(fieldsOf)
  const output = [...responseItems(all), ...chatItems(all), ...all.flatMap(blocksIn).flatMap(toItem)]
  const end = all.map(endOf).findLast(Boolean)
  if (end === 'failed') return { output, responseStatus: 'failed', error: { message: sample } }
  return { output, ...(end && { responseStatus: 'incomplete', incompleteReason: end }) }
}

/** Returns why an answer ended early, if the body or the event says so. */
function endOf(value: Fields): 'failed' | 'max_output_tokens' | 'content_filter' | undefined {
  const { status, incomplete_details } = fieldsOf(value['response'] ?? value)
  const { finish_reason } = fieldsOf(listOf(value['choices'])[0])
  const { stop_reason } = fieldsOf(value['delta'] ?? value)
  const reason = finish_reason ?? stop_reason ?? fieldsOf(incomplete_details)['reason']
  if (isFailure(value) || status === 'failed' || reason === 'error') return 'failed'
  if (reason === 'content_filter' || reason === 'refusal') return 'content_filter'
  const isCut = reason === 'length' || reason === 'max_tokens' || status === 'incomplete'
  return isCut ? 'max_output_tokens' : undefined
}

/** Matches the event or chunk with which a stream fails. */
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

/** Returns the blocks of a message in Anthropic's format. In a stream, they start without their content. */
function blocksIn(value: Fields, index: number, values: readonly Fields[]): readonly unknown[] {
  const { type, content, content_block: started } = value
  if (type === 'message') return listOf(content)
  if (!isObject(started)) return []
  const next = values.slice(index + 1, index + 3).find((each) => each['type'] !== 'ping')
  const citations = started['citations'] ? [{}] : null
  return [{ ...started, ...fieldsOf(next?.['delta']), citations, type: started['type'] }]
}

/** Converts an item of a response, or a content block. Omits items of types that only other gateways have. */
function toItem(item: unknown): ScriptedItemInput[] {
  const { type, content, summary, text, encrypted_content: sealed, ...fields } = fieldsOf(item)
  // A message has no content when it starts, and none later if the stream fails.
  const parts = listOf(content).length > 0 ? listOf(content) : [{ text: sample }]
  if (type === 'message') return [message(...parts.map(toPart))]
  if (type === 'text') return [message(toPart(item))]
  if (type === 'thinking') return [{ type: 'reasoning', summary: fields['thinking'] === '' ? [] : sample }]
  if (type === 'redacted_thinking') return [{ type: 'reasoning', encrypted_content: sample }]
  if (type === 'function_call') return [call]
  if (type === 'tool_use') return [{ ...call, arguments: withoutTemplates(fieldsOf(fields['input'])) }]
  if (type === 'image_generation_call') return [{ type }]
  if (type === 'web_search_call') return [toSearch(fieldsOf(fields['action']))]
  if (type === 'web_search_tool_result')
    return [Array.isArray(content) ? toSearch({ sources: content }) : { ...toSearch({}), status: 'failed' }]
  if (type === 'reasoning') {
    const texts = (list: unknown) => listOf(list).map(() => sample)
    const encrypted_content = sealed === null ? null : sample
    const more = {
      ...(content !== undefined && { content: texts(content) }),
      ...(sealed !== undefined && { encrypted_content }),
    }
    return [{ type, summary: texts(summary), ...more }]
  }
  return typeof type === 'string' ? [] : [message({ text: sample })]
}

function toSearch({
  type = 'search',
  queries,
  sources,
}: Fields): ScriptedItemInput & { type: 'web_search_call' } {
  if (type === 'open_page') return { type: 'web_search_call', action: { type, url } }
  if (type === 'find_in_page') return { type: 'web_search_call', action: { type, url, pattern: sample } }
  const pages = listOf(sources).map(() => ({ type: 'url', url }))
  const more = {
    ...(queries !== undefined && { queries: [sample] }),
    ...(sources !== undefined && { sources: pages }),
  }
  return { type: 'web_search_call', action: { type: 'search', query: sample, ...more } }
}

function toPart(part: unknown) {
  const { text, refusal, annotations, citations } = fieldsOf(part)
  if (refusal !== undefined) return { refusal: sample }
  return { text: text === '' ? '' : sample, annotations: listOf(annotations ?? citations).map(toCitation) }
}

function toCitation(annotation: unknown) {
  const { url_citation, title, content: excerpt } = fieldsOf(annotation)
  const { content = excerpt } = fieldsOf(url_citation)
  const optional = {
    ...(title !== null && { title: sample }),
    ...(content !== undefined && { content: sample }),
  }
  return { type: 'url_citation' as const, url, start_index: 0, end_index: 2, ...optional }
}

/** Scripted text is a template, so pairs of braces are separated. */
function withoutTemplates(input: Fields): string {
  return JSON.stringify(input).replaceAll('{{', '{ {')
}

/** Joins the message or deltas of a completion's first choice. Understudy groups a message's parts by their kind. */
function* chatItems(values: readonly Fields[]): Generator<ScriptedItemInput> {
  const choices = values.flatMap(({ choices }) => listOf(choices).slice(0, 1)).map(fieldsOf)
  if (choices.length === 0) return
  const isStream = choices.length > 1
  const said = choices.map(({ message, delta, text }) => fieldsOf(message ?? delta ?? { content: text }))
  const all = (name: string) => said.flatMap((each) => each[name] ?? []).map(fieldsOf)
  const texts = said.flatMap(({ content }) => content ?? [])
  const details = Map.groupBy(all('reasoning_details'), ({ index }) => index)
  for (const part of details.values()) {
    const [text, summary, data] = ['text', 'summary', 'encrypted'].map((name) =>
      part.some(({ type }) => type === `reasoning.${name}`),
    )
    const sealed = data && { encrypted_content: sample }
    yield {
      type: 'reasoning',
      ...(text && { content: sample }),
      ...(summary && { summary: sample }),
      ...sealed,
    }
  }
  if (details.size === 0 && all('reasoning').length > 0) yield { type: 'reasoning', summary: sample }
  const calls = all('tool_calls').filter(
    ({ id, type }) => id !== undefined || type !== undefined || !isStream,
  )
  for (const { type } of calls)
    yield type === 'custom' ? { type: 'custom_tool_call', name: 'look_up', input: sample } : call
  if (all('function_call').length > 0) yield call
  const images = all('images')
  for (const _ of images) yield { type: 'image_generation_call' }
  const refusals = all('refusal').length > 0 ? [{ refusal: sample }] : []
  const isSilent = texts.length === 0 && calls.length + images.length + refusals.length === 0
  const text = texts.every((each) => each === '') ? '' : sample
  const hasText = isSilent || (isStream ? text !== '' : texts.length > 0)
  const parts = hasText ? [toPart({ text: isSilent ? sample : text, annotations: all('annotations') })] : []
  if (parts.length + refusals.length > 0) yield message(...parts, ...refusals)
}
