/** Converts scripted replies to answer items. */
import type * as z from 'zod'
import { isObject } from '../lib/json.ts'
import type { AnswerItem, MessagePart } from '../resources/answer.ts'
import {
  isKnownItem,
  type KnownItem,
  type ScriptedCitation,
  type ScriptedItem,
  type ScriptedReply,
  spanOf,
} from '../scenarios/scripted-reply.ts'
import { type Transcript, webSearchItem } from './items.ts'
import { cite, type Source } from './search/citations.ts'
import { placeOf } from './search/domains.ts'

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

/** Returns undefined if the search provides the sources. An empty list simulates a search without results. */
export function scriptedSources({ citations }: ScriptedReply, searched: boolean): Source[] | undefined {
  const sources = citations?.map((citation) => toSource(citation))
  return sources?.length === 0 && !searched ? undefined : sources
}

/** The title defaults to the host, because clients expect every citation to have a title. */
function toSource(citation: z.infer<typeof ScriptedCitation>, text?: string): Source {
  const { url, title = placeOf(url).host, content } = citation
  return { url, title, content, span: text === undefined ? undefined : spanOf(citation, text) }
}

function toItem(item: ScriptedItem): AnswerItem {
  if (!isKnownItem(item)) {
    const { type: itemType, id, status, ...fields } = item
    return { type: 'other', itemType, id, status, fields }
  }
  switch (item.type) {
    case 'message': {
      const { type, id, status, content, ...fields } = item
      return { type, id, status, parts: toParts(content), fields }
    }
    case 'reasoning': {
      const { type, id, status, summary = [], content, encrypted_content: encrypted, ...fields } = item
      const texts = { summary: toTexts(summary), content: toTexts(content ?? []) }
      // An empty list is shown if it is scripted.
      return { type, id, status, ...texts, encrypted, fields: content ? { content: [], ...fields } : fields }
    }
    case 'function_call': {
      const { type, id, status, name, arguments: input = {}, call_id, ...fields } = item
      const text = typeof input === 'string' ? input : JSON.stringify(input)
      return { type, id, status, name, arguments: text, call_id, fields }
    }
    case 'web_search_call': {
      const { type, id, status, action = { query: '' }, ...fields } = item
      const shown = 'type' in action ? action : ({ type: 'search', query: action.query } as const)
      return { type, id, status, action: shown, fields }
    }
    case 'image_generation_call': {
      const { type, id, status, result, partial_images: previews = [], ...fields } = item
      const image = result === undefined && status !== 'failed' ? onePixel : (result ?? null)
      return { type, id, status, result: image, previews, fields }
    }
  }
}

function toParts(content: KnownItem<'message'>['content']): MessagePart[] {
  if (typeof content === 'string') return [{ text: content, annotations: [] }]
  return content.map(({ type: _, text, refusal, annotations = [], ...fields }) =>
    text === undefined ? { refusal: refusal as string, fields } : { text, annotations, fields },
  )
}

function toTexts(paragraphs: string | readonly (string | { text: string })[]): string[] {
  if (typeof paragraphs === 'string') return [paragraphs]
  return paragraphs.map((paragraph) => (typeof paragraph === 'string' ? paragraph : paragraph.text))
}

const onePixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** Returns the paths of the items and fields that a protocol cannot show, except ids, statuses and empty values. */
export function hiddenFields(output: readonly ScriptedItem[], shown: readonly string[]): string[] {
  const hidden = new Set<string>()
  const visit = (value: unknown, path: string): void => {
    if (value == null || value === '' || shown.includes(path)) return
    if (Array.isArray(value)) for (const each of value) visit(each, path)
    else if (!shown.some((each) => each.startsWith(`${path}.`))) hidden.add(path)
    else if (isObject(value))
      for (const [name, each] of Object.entries(value))
        if (!unremarkable.has(name)) visit(each, `${path}.${name}`)
  }
  for (const item of output) visit(item, item.type)
  return [...hidden]
}

const unremarkable = new Set(['type', 'id', 'status', 'role'])
