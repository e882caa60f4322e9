/** Counts an answer's tokens, and truncates it at the limit. */
import type { AnswerItem, ChoiceItem, MessagePart, ReasoningItem } from '../resources/answer.ts'
import type { Annotation } from '../resources/response.ts'
import type { WrittenItems } from './items.ts'
import { countTokens, tokenize } from './tokens.ts'

export interface CountedItems {
  items: ChoiceItem[]
  outputTokens: number
  reasoningTokens: number
  isCut: boolean
}

/** @param limit Maximum number of tokens, including reasoning. Default: none. */
export function cutItems(written: WrittenItems, limit = Number.POSITIVE_INFINITY): CountedItems {
  const reasoningTokens = Math.min(written.reasoningTokens, limit)
  const counted: CountedItems = { items: [], outputTokens: reasoningTokens, reasoningTokens, isCut: false }
  for (const item of written.items) {
    const texts = textsOf(item)
    const needed = texts.reduce((sum, text) => sum + countTokens(text), 0)
    const left = limit - counted.outputTokens
    counted.isCut = needed > left
    if (needed > 0 && left === 0) break
    const cut = counted.isCut ? withTexts(item, cutTexts(texts, left)) : item
    counted.items.push({ item: cut, isCut: counted.isCut })
    const taken = Math.min(needed, left)
    counted.outputTokens += taken
    if (item.type === 'reasoning') counted.reasoningTokens += taken
    if (counted.isCut) break
  }
  return counted
}

/** Truncates the items before the first stop sequence in a message. Returns undefined if there is none. */
export function stopItems(
  items: readonly ChoiceItem[],
  sequences: readonly string[] = [],
): { items: AnswerItem[]; stop: string } | undefined {
  const kept = items.map(({ item }) => item)
  for (const [place, item] of kept.entries()) {
    const texts = item.type === 'message' ? textsOf(item) : []
    for (const [part, text] of texts.entries()) {
      const [stop] = sequences
        .filter((sequence) => sequence !== '' && text.includes(sequence))
        .sort((left, right) => text.indexOf(left) - text.indexOf(right))
      if (stop === undefined) continue
      const stopped = withTexts(item, [...texts.slice(0, part), text.slice(0, text.indexOf(stop))])
      return { items: [...kept.slice(0, place), stopped], stop }
    }
  }
  return undefined
}

export function reasoningTexts({ summary, content }: ReasoningItem): readonly string[] {
  return content.length > 0 ? content : summary
}

function textsOf(item: AnswerItem): readonly string[] {
  if (item.type === 'message') return item.parts.map((part) => ('refusal' in part ? part.refusal : part.text))
  if (item.type === 'reasoning') return reasoningTexts(item)
  return item.type === 'function_call' ? [item.arguments] : []
}

function withTexts(item: AnswerItem, texts: readonly string[]): AnswerItem {
  switch (item.type) {
    case 'message':
      return { ...item, parts: texts.map((text, place) => shortened(item.parts[place] as MessagePart, text)) }
    case 'reasoning':
      return item.content.length > 0 ? { ...item, content: texts } : { ...item, summary: texts }
    case 'function_call':
      return { ...item, arguments: texts.join('') }
    default:
      return item
  }
}

function shortened(part: MessagePart, text: string): MessagePart {
  if ('refusal' in part) return { ...part, refusal: text }
  const isLeft = (annotation: Annotation) => !(Number(annotation['end_index']) > text.length)
  return { ...part, text, annotations: part.annotations.filter(isLeft) }
}

export function cutTexts(texts: readonly string[], limit: number): string[] {
  const kept: string[] = []
  let left = limit
  for (const text of texts) {
    if (left === 0) break
    const tokens = tokenize(text).slice(0, left)
    kept.push(tokens.join(''))
    left -= tokens.length
  }
  return kept
}
