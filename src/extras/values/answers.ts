/** Prepares a prompt for structured output: separates text to read from instructions, and detects requests to invent. */

import catalog from '../../../fixtures/catalog.json' with { type: 'json' }
import fixtures from '../../../fixtures/values.json' with { type: 'json' }
import { typesOf } from '../../model/json-schema/schema.ts'
import { type Fact, isCommon } from './facts.ts'
import { escaped, type Leaf, split } from './fields.ts'

const instruction =
  /^\W{0,3}(?:(?:please|can you|could you|given|based on|using|use|your task is|you are|i want you to|task:?|the following)\b[^.\n]{0,40}?\b)?(?:extract|classify|analy[sz]e|parse|identify|categori[sz]e|label|summari[sz]e|detect|determine|find|read|process|convert|translate|rate|score|evaluate|assess|review|check|tag|moderate|answer|structure|get|create|pull|return|today|choose|pick|route|customer feedback|(?:what(?:'s| is) the (?:sentiment|language|tone|mood|category|intent)|(?:is|are|does|do) th(?:is|e following|ese)))\b/i
const marks: readonly RegExp[] = [
  /```(?:\w+\n)?([\s\S]{12,}?)```/,
  /<(text|document|email|review|message|input|content|article|transcript|passage|ticket)>([\s\S]{3,}?)<\/\1>/i,
  /\|\|\|([\s\S]{12,}?)\|\|\|/,
  /(?:^|\n)-{3,}\s*\n([\s\S]{12,}?)\n-{3,}/,
  /(?:^|\n)\s*(?:input|text|passage|message|email|review|sentence|content|ticket|article|transcript|note|query)\s?:\s*([\s\S]{8,}?)(?=\n\s*(?:response|answer|output|json|result)\s?:|$)/i,
  /:\s*\n?\s*["“]([^"”]{20,})["”]/,
  /:[ \t]*\n([\s\S]{8,})$/,
  /^[^?\n]{8,100}\?\s+["“]?(\S[\s\S]{10,}?)["”]?$/,
  /^[^\n:]{8,200}:\s+(\S[\s\S]{6,})$/,
  /^[^.\n]{8,400}\.\s*\n\s*\n([\s\S]{20,})$/,
  /^[^.\n]{3,60}?\bfrom:?\s+((?:\p{Lu}|["“])[^\n]{40,})$/u,
]

/** Returns the text that a prompt asks to read, without the instruction. */
export function contentOf(prompt: string): string {
  const text = prompt.slice(0, 3000).trim()
  const isTagged = /<text>|\|\|\||```/.test(text)
  if (!isTagged && !instruction.test(text)) return text
  for (const mark of marks) {
    const content = mark.exec(text)?.at(-1)?.trim()
    if (content) return content
  }
  return text
}

const request =
  /^\W{0,3}(?:(?:please|hi|hello|hey|can you|could you|would you|i (?:want|need)(?: you to)?|let's|kindly|here is|now)[,!]?\s){0,2}(?:here is the information|generate|invent|create|write|make|recommend|suggest|list|give|tell|describe|design|imagine|compose|plan|produce|propose|draft|build|come up|brainstorm|develop|review|provide|name|show|explain|compare|contrast|outline|prepare|random|sample|example|what|who|whom|which|where|when|how|why|best|top|\d+ \p{L}+s\b|define|solve|compute|calculate)(?!\p{L})/iu

/** Returns true for prompts that ask for content, such as `Invent 3 dogs`, rather than stating it. */
export function isRequest(prompt: string): boolean {
  const text = prompt.trim()
  const isForm = /\b(?:fill in|generate|provide|create) .{0,40}\b(?:information|details|profile)\b/i.test(
    text,
  )
  const isQuestion = /^(?:is|are|was|were|can|does|do|did|should|will)\s[^?.!\n]{5,120}\?$/i.test(text)
  return request.test(text) || isForm || isQuestion
}

/** Kinds of facts that can be words of the request itself. */
const wordKinds = /^(?:noun|object|modifier|rest|list|array|name|quote|about|color|genre|mood|level|symbol)$/

/** Returns the facts that a request states as values, such as a name or a number, but not its words. */
export function firmFacts({ facts, key }: Leaf, count: number | undefined): readonly Fact[] {
  return facts.filter(({ kind, before, value, items }) => {
    if (kind === 'number')
      return (
        value !== count ||
        /count|number|num|total|quantity|age|days?|amount|servings?|guests?|people/i.test(key)
      )
    if (/^(?:city|country|region)$/.test(kind)) return !/capital of\s$/.test(before)
    if (kind === 'label') return !/^\p{Ll}+$/u.test(String(value))
    if (!wordKinds.test(kind)) return true
    if (items) return /:\s*$/.test(before)
    if (/^(?:color|genre|mood|level)$/.test(kind)) return key.toLowerCase().includes(kind)
    if (/^(?:quote|name)$/.test(kind))
      return /(?:named|called|titled|about|entitled|movie|film|book|song|review|on|for|of|by|in|from|to|at)\s["'“]?$/.test(
        before,
      )
    return /query|search|item|product|text|topic/i.test(key)
  })
}

/** Returns the word before a field's first word, such as `blond` in `blond hair` for `hair_color`, or a preference. */
export function statedNearby({ key, schemas, isMany }: Leaf, text: string): readonly Fact[] {
  const own = split(key.replace(/^.*\//, ''))
  const [first = '', ...others] = own.split(' ')
  if (isMany || !schemas.some((schema) => typesOf(schema)?.includes('string'))) return []
  const isPreference = /^favou?rite|^preferred|^hobby|^interests?$/.test(own)
  const pattern = isPreference
    ? /\b(?:loves?|likes?|prefers?|enjoys?|favou?rite \p{L}+ is)\s((?:[\p{L}-]+\s){0,2}[\p{L}-]+)(?=[.,;!]|$|\sand\s)/iu
    : own === 'animal' || own === 'species'
      ? new RegExp(`(?<!\\p{L})(${catalog.animals})s?(?!\\p{L})`, 'iu')
      : others[0]
        ? new RegExp(`(?<![\\p{L}\\d])([\\p{L}-]{3,}) ${escaped(first)}(?!\\p{L})`, 'iu')
        : undefined
  const match = pattern?.exec(text)
  const value = match?.[1]
  if (!match || !value || isCommon(value)) return []
  const start = match.index + match[0].indexOf(value)
  return [{ kind: 'label', value, start, end: start + value.length, before: '', after: '' }]
}

/** Returns true if a fact only names the schema's fields, as in `with the fields 'title' and 'author'`. */
export function namesField({ value, items }: Fact, names: ReadonlySet<string>): boolean {
  const isName = (text: string) => names.has(split(text))
  return items ? items.some(isName) : isName(String(value))
}

/** Returns the number of items that a prompt asks for, as in `3 really cool dogs` or `top 10`. */
export function askedCount(prompt: string): number | undefined {
  const words = Object.keys(fixtures.numbers)
    .filter((word) => word.length > 2 && ((fixtures.numbers as Record<string, number>)[word] as number) <= 12)
    .join('|')
  const unit = `(?!(?:${fixtures.units}|sentences?|words?|characters?|fields?|parts?|paragraphs?)\\b)`
  const [, number, pair] =
    new RegExp(
      `(?<![\\d$€£.,:/-])\\b(\\d{1,2}|${words}) (?:${unit}(?!of |to |by |and |or )[\\p{L}-]+ ){0,3}?${unit}\\p{L}+s\\b|\\b(a few|some|several|a couple of)\\b`,
      'iu',
    ).exec(prompt.slice(0, 500)) ?? []
  if (pair) return /couple/.test(pair) ? 2 : 3
  const count =
    number && ((fixtures.numbers as Record<string, number>)[number.toLowerCase()] ?? Number(number))
  return count ? Math.min(count, 12) : undefined
}
