/** Counts an answer's tokens, and truncates it at the limit. */
import type { AnswerItem, ChoiceItem, MessageItem, MessagePart, ReasoningItem } from '../resources/answer.ts'
import type { WrittenItems } from './items.ts'
import { countTokens, tokenize } from './tokens.ts'

export interface CountedItems {
  items: ChoiceItem[]
  /** Number of output tokens, including reasoning tokens. */
  outputTokens: number
  reasoningTokens: number
  /** If true, the answer was truncated. */
  isCut: boolean
}

/** @param limit Maximum number of tokens, including reasoning. Default: none. */
export function cutItems(written: WrittenItems, limit = Number.POSITIVE_INFINITY): CountedItems {
  const reasoningTokens = Math.min(written.reasoningTokens, limit)
  const counted: CountedItems = { items: [], outputTokens: reasoningTokens, reasoningTokens, isCut: false }
  for (const item of written.items) {
    const needed = tokensOf(item)
    const left = limit - counted.outputTokens
    counted.isCut = needed > left
    if (needed > 0 && left === 0) break
    counted.items.push({ item: counted.isCut ? cutItem(item, left) : item, isCut: counted.isCut })
    const taken = Math.min(needed, left)
    counted.outputTokens += taken
    if (item.type === 'reasoning') counted.reasoningTokens += taken
    if (counted.isCut) break
  }
  return counted
}

function tokensOf(item: AnswerItem): number {
  switch (item.type) {
    case 'message':
      return tokensIn(item.parts.map(wordsOf))
    case 'reasoning':
      return tokensIn(reasoningTexts(item))
    case 'function_call':
      return countTokens(item.arguments)
    case 'web_search_call':
    case 'image_generation_call':
      return 0
  }
}

function tokensIn(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + countTokens(text), 0)
}

/** Returns a reasoning item's paragraphs: its text or, if it has none, its summary. */
export function reasoningTexts({ summary, content }: ReasoningItem): readonly string[] {
  return content.length > 0 ? content : summary
}

function wordsOf(part: MessagePart): string {
  return 'refusal' in part ? part.refusal : part.text
}

function cutItem(item: AnswerItem, limit: number): AnswerItem {
  switch (item.type) {
    case 'message':
      return { ...item, parts: cutParts(item.parts, limit) }
    case 'reasoning':
      return { ...item, ...cutReasoning(item, limit) }
    case 'function_call':
      return { ...item, arguments: cutText(item.arguments, limit) }
    default:
      return item
  }
}

function cutReasoning(
  { summary, content }: ReasoningItem,
  limit: number,
): Pick<ReasoningItem, 'summary' | 'content'> {
  return content.length > 0
    ? { summary, content: cutTexts(content, limit) }
    : { summary: cutTexts(summary, limit), content }
}

function cutParts(parts: readonly MessagePart[], limit: number): MessagePart[] {
  return cutTexts(parts.map(wordsOf), limit).map((text, index) =>
    shortened(parts[index] as MessagePart, text),
  )
}

/** Keeps the citations up to the end of the text. */
function shortened(part: MessagePart, text: string): MessagePart {
  if ('refusal' in part) return { refusal: text }
  return { text, annotations: part.annotations.filter(({ end_index }) => end_index <= text.length) }
}

function cutTexts(texts: readonly string[], limit: number): string[] {
  const kept: string[] = []
  let left = limit
  for (const text of texts) {
    if (left === 0) break
    kept.push(cutText(text, left))
    left -= Math.min(left, countTokens(text))
  }
  return kept
}

function cutText(text: string, limit: number): string {
  return tokenize(text).slice(0, limit).join('')
}

/** Ends the items before the first stop sequence in a message. Returns undefined if there is none. */
export function stopItems(
  items: readonly ChoiceItem[],
  sequences: readonly string[] = [],
): { items: AnswerItem[]; stop: string } | undefined {
  if (sequences.length === 0) return undefined
  const kept: AnswerItem[] = []
  for (const { item } of items) {
    const parts = item.type === 'message' ? item.parts : []
    for (const [place, part] of parts.entries()) {
      const text = wordsOf(part)
      const stop = firstStop(text, sequences)
      if (stop === undefined) continue
      const last = shortened(part, text.slice(0, text.indexOf(stop)))
      return { items: [...kept, { ...item, parts: [...parts.slice(0, place), last] } as MessageItem], stop }
    }
    kept.push(item)
  }
  return undefined
}

function firstStop(text: string, sequences: readonly string[]): string | undefined {
  return sequences
    .filter((sequence) => sequence !== '' && text.includes(sequence))
    .sort((left, right) => text.indexOf(left) - text.indexOf(right))[0]
}
