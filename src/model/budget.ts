/**
 * Counts the tokens of an answer, and cuts it where it is allowed no more. Nothing but the end changes.
 */
import type { Answer, AnswerItem } from './answer.ts'
import type { CitedText } from './citations.ts'
import { countTokens, tokenize } from './tokens.ts'

export interface CountedAnswer {
  items: CountedItem[]
  /** Tokens of reasoning included. */
  outputTokens: number
  reasoningTokens: number
  /** Whether something is missing at the end. */
  isCut: boolean
}

export interface CountedItem {
  /** As much of it as the limit lets pass. */
  item: AnswerItem
  isCut: boolean
}

/** @param limit Tokens, those of reasoning included. Default: none. */
export function cutAnswer(answer: Answer, limit = Number.POSITIVE_INFINITY): CountedAnswer {
  const reasoningTokens = Math.min(answer.reasoningTokens, limit)
  const counted: CountedAnswer = { items: [], outputTokens: reasoningTokens, reasoningTokens, isCut: false }
  for (const item of answer.items) {
    const wanted = tokensOf(item)
    const left = limit - counted.outputTokens
    counted.isCut = wanted > left
    if (wanted > 0 && left === 0) break
    counted.items.push({ item: counted.isCut ? cutItem(item, left) : item, isCut: counted.isCut })
    counted.outputTokens += Math.min(wanted, left)
    if (counted.isCut) break
  }
  return counted
}

function tokensOf(item: AnswerItem): number {
  switch (item.type) {
    case 'message':
      return item.parts.reduce((sum, { text }) => sum + countTokens(text), 0)
    case 'function_call':
      return countTokens(item.arguments)
    case 'web_search_call':
      return 0
  }
}

function cutItem(item: AnswerItem, limit: number): AnswerItem {
  if (item.type === 'function_call') return { ...item, arguments: cutText(item.arguments, limit) }
  return item.type === 'message' ? { ...item, parts: cutParts(item.parts, limit) } : item
}

function cutParts(parts: readonly CitedText[], limit: number): CitedText[] {
  const kept: CitedText[] = []
  let left = limit
  for (const { text, annotations } of parts) {
    if (left === 0) break
    const short = cutText(text, left)
    left -= Math.min(left, countTokens(text))
    kept.push({ text: short, annotations: annotations.filter(({ end_index }) => end_index <= short.length) })
  }
  return kept
}

function cutText(text: string, limit: number): string {
  return tokenize(text).slice(0, limit).join('')
}
