/**
 * How an answer is laid out: one line, paragraphs, steps, a list or a comparison, as the question asks for it.
 */

/** `text.verbosity`. */
export const Verbosity = ['low', 'medium', 'high'] as const
export type Verbosity = (typeof Verbosity)[number]

export interface Layout {
  form: 'greeting' | 'line' | 'paragraphs' | 'text' | 'steps' | 'list' | 'comparison'
  /** Whether it can be answered with yes or no. */
  isYesOrNo: boolean
  /** Items of steps and lists, 2 to 10. */
  items: number
  length: Verbosity
}

/** Characters of the question that are read. */
const readLength = 400

const greeting =
  /^\W*(?:(?:please )?say )?(?:hi|hello|hey|good (?:morning|day|afternoon|evening)|thanks|thank you)\b[^?]{0,24}$/i
const asksBriefly =
  /\b(?:briefly|in brief|in short|short answer|one[- ](?:sentence|line|liner|word)|in a (?:sentence|word)|tl;?dr|yes or no)\b/i
const asksAtLength = /\b(?:in (?:detail|depth)|detailed|thorough(?:ly)?|comprehensive|essay|at length)\b/i
const asksForSteps =
  /\bhow (?:do|can|should|would|could|might) (?:i|you|we|one|people)\b|\bhow to\b|\bsteps?\b|\bstep[- ]by[- ]step\b|\binstructions\b|\b(?:recipe|guide) (?:for|to)\b/i
const asksForList =
  /^\W*(?:please )?(?:list|name|suggest|recommend|give me|plan)\b|\b(?:ideas|examples|tips|options|ways|reasons|pros and cons|checklist|suggestions|recommendations)\b|\bwhat are (?:the|some)\b/i
const asksForText =
  /^\W*(?:please )?(?:write|draft|compose|create|generate|make up|tell)\b(?: me| us)?(?: (?:an?|some|the|another|one))?(?: \w+)? (?:story|stories|poem|poetry|haiku|limerick|joke|jokes|song|lyrics|letter|e-?mail|message|note|post|tweet|speech|article|essay|blog|tale|text|paragraph|review|description)\b/i
const asksToCompare = /\b(?:compare|comparison|versus|vs\.?|differences? between|better than)(?=\s|$)/i
const yesOrNo =
  /^\W*(?:is|are|was|were|do|does|did|can|could|should|will|would|has|have|may|must)\s+(?!you\b)/i
const counted = /\b(two|three|four|five|six|seven|eight|nine|ten|[2-9]|10)\s+(?:[a-z-]+\s+){0,2}?[a-z-]+s\b/i
const numbers = ['two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']

/** @param draw Decides where the question leaves the number of items open. */
export function layoutOf(question: string, verbosity: Verbosity, draw: () => number): Layout {
  const text = question.slice(0, readLength)
  const count = counted.exec(text)?.[1]?.toLowerCase()
  const usual = { low: 2, medium: 3, high: 5 }[verbosity] + Math.floor(draw() * 3)
  const length = verbosity !== 'medium' ? verbosity : lengthAsked(text)
  return {
    form: formOf(text, length, count !== undefined),
    isYesOrNo: yesOrNo.test(text),
    items: count === undefined ? usual : toNumber(count),
    length,
  }
}

function lengthAsked(text: string): Verbosity {
  if (asksBriefly.test(text)) return 'low'
  return asksAtLength.test(text) ? 'high' : 'medium'
}

function formOf(text: string, length: Verbosity, isCounted: boolean): Layout['form'] {
  if (greeting.test(text)) return 'greeting'
  if (isCounted) return 'list'
  if (length === 'low') return 'line'
  if (asksForText.test(text)) return 'text'
  if (asksToCompare.test(text)) return 'comparison'
  if (asksForSteps.test(text)) return 'steps'
  return asksForList.test(text) ? 'list' : 'paragraphs'
}

function toNumber(count: string): number {
  const place = numbers.indexOf(count)
  return place < 0 ? Number(count) : place + 2
}
