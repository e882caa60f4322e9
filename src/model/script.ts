/** Converts a scripted reply to answer items, which are counted, truncated and streamed like generated ones. */
import type * as z from 'zod'
import type { AnswerItem, MessagePart } from '../resources/answer.ts'
import type { WebSearchAction } from '../resources/response.ts'
import {
  type ScriptedCitation,
  type ScriptedItem,
  type ScriptedReply,
  spanOf,
} from '../scenarios/scripted-reply.ts'
import { type Transcript, webSearchItem } from './items.ts'
import { cite, type Source } from './search/citations.ts'
import { placeOf } from './search/domains.ts'

/** Returns the scripted output followed by the scripted text, or undefined if the script has neither. */
export function scriptedItems(
  { text, output, citations = [] }: ScriptedReply,
  transcript: Transcript,
  searched: boolean,
): AnswerItem[] | undefined {
  const items = output?.map(toItem)
  if (text === undefined) return items
  const before = items ?? (searched ? [webSearchItem(transcript)] : [])
  const sources = citations.map((citation) => toSource(citation, text))
  return [...before, { type: 'message', parts: [cite(text, sources)] }]
}

/**
 * Returns the sources that a script cites in generated text, or undefined if the search provides them. An empty list
 * simulates a search without results, and is ignored if no search runs.
 */
export function scriptedSources({ citations }: ScriptedReply, searched: boolean): Source[] | undefined {
  const sources = citations?.map((citation) => toSource(citation))
  return sources?.length === 0 && !searched ? undefined : sources
}

/** The title defaults to the host, because clients expect every citation to have a title. */
function toSource(citation: z.infer<typeof ScriptedCitation>, text?: string): Source {
  const { url, title = placeOf(url).host, content } = citation
  return { url, title, content, span: text === undefined ? undefined : spanOf(citation, text) }
}

const imageSettings = ['revised_prompt', 'background', 'output_format', 'quality', 'size'] as const

function toItem(item: ScriptedItem): AnswerItem {
  const { id, status } = item
  const head = { id, status }
  switch (item.type) {
    case 'message':
      return { ...head, type: 'message', parts: toParts(item.content) }
    case 'reasoning': {
      const { summary = [], content = [], encrypted_content: encrypted } = item
      return { ...head, type: 'reasoning', summary: toTexts(summary), content: toTexts(content), encrypted }
    }
    case 'function_call': {
      const { name, arguments: input = {}, call_id } = item
      const text = typeof input === 'string' ? input : JSON.stringify(input)
      return { ...head, type: 'function_call', name, arguments: text, call_id }
    }
    case 'web_search_call':
      return { ...head, type: 'web_search_call', action: toAction(item.action) }
    case 'image_generation_call': {
      const { result = status === 'failed' ? null : onePixel, partial_images: previews = [] } = item
      const set = imageSettings.filter((name) => item[name] !== undefined)
      const settings = Object.fromEntries(set.map((name) => [name, item[name]]))
      return { ...head, type: 'image_generation_call', result, previews, settings }
    }
  }
}

function toParts(content: (ScriptedItem & { type: 'message' })['content']): MessagePart[] {
  if (typeof content === 'string') return [{ text: content, annotations: [] }]
  // Each part has either text or a refusal.
  return content.map(({ text, refusal, annotations = [] }) =>
    text === undefined ? { refusal: refusal as string } : { text, annotations },
  )
}

function toTexts(paragraphs: string | readonly (string | { text: string })[]): string[] {
  if (typeof paragraphs === 'string') return [paragraphs]
  return paragraphs.map((paragraph) => (typeof paragraph === 'string' ? paragraph : paragraph.text))
}

function toAction(action: (ScriptedItem & { type: 'web_search_call' })['action']): WebSearchAction {
  if (!action) return { type: 'search', query: '' }
  return 'type' in action ? action : { type: 'search', query: action.query }
}

/** A one-pixel transparent PNG. */
const onePixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
