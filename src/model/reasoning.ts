/** Generates the reasoning that precedes an answer. */
import { truncate } from '../lib/one-line.ts'
import { draw } from '../lib/seed.ts'
import type { Prompt } from '../resources/prompt.ts'
import type { WrittenItems } from './items.ts'
import { cutTexts } from './token-limit.ts'
import { countTokens } from './tokens.ts'

/** Typical number of reasoning tokens (a request gets 50% to 150% of it) and of paragraphs, by effort. */
const efforts: Readonly<Record<string, readonly [tokens: number, paragraphs: number]>> = {
  minimal: [24, 1],
  low: [96, 1],
  medium: [256, 2],
  high: [768, 3],
  xhigh: [1536, 3],
  max: [2048, 3],
}

const later = [
  '**Planning the answer**\n\nThe main point comes first, then the details that support it.',
  '**Checking the answer**\n\nEach sentence should hold on its own, and none should go beyond the question.',
]

/** Writes the reasoning for one answer. The summary's tokens count as reasoning tokens. */
export function writeReasoning(
  request: Prompt['reasoning'],
  question: string,
  key: string,
  warn: (message: string) => void,
): WrittenItems {
  if (!request || request === 'none') return { items: [], reasoningTokens: 0 }
  const { effort = 'medium', maxTokens = Number.POSITIVE_INFINITY, summary, isHidden } = request
  const isKnown = Object.hasOwn(efforts, effort)
  if (!isKnown) warn(`The reasoning effort '${truncate(effort, 100)}' is unknown, so medium was used`)
  const [usual, usualParagraphs] = efforts[isKnown ? effort : 'medium'] as readonly [number, number]
  const tokens = Math.min(Math.round(usual * (0.5 + draw(key, 'reasoning'))), maxTokens)
  if (isHidden) return { items: [], reasoningTokens: tokens }
  const count = summary === 'concise' ? 1 : summary === 'detailed' ? Infinity : usualParagraphs
  const texts = [`**Reading the question**\n\nThe question is: ${truncate(question, 200)}`, ...later]
  const paragraphs = cutTexts(texts.slice(0, count), tokens)
  const shown = paragraphs.reduce((sum, text) => sum + countTokens(text), 0)
  return { items: [{ type: 'reasoning', summary: paragraphs, content: [] }], reasoningTokens: tokens - shown }
}
