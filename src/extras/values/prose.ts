/** Writes short texts about a request's subject, such as a summary, a story or a reason. */
import catalog from '../../../fixtures/catalog.json' with { type: 'json' }
import { draw } from '../../lib/seed.ts'
import type { ValuePlace } from '../../resources/json-schema.ts'
import { contentOf } from './answers.ts'
import { ownName } from './catalog.ts'
import { escaped, type Leaf, sentenceCase, split } from './fields.ts'

const texts = catalog.prose.map(([names, templates]) => ({
  names: new RegExp(`^(?:${names})$`),
  templates: templates as readonly string[],
}))

/** Returns a text for a field that the prompt does not state, or undefined if no template fits. */
export function proseFor(
  leaf: Leaf,
  { path, type, schemas }: ValuePlace,
  prompt: string,
  seed: string,
  person: string,
): string | undefined {
  const isFree = schemas.every((schema) =>
    ['format', 'pattern', 'enum', 'const', 'default', 'examples'].every(
      (name) => schema[name] === undefined || schema[name] === null,
    ),
  )
  if (type !== 'string' || !isFree || leaf.facts.length > 0) return undefined
  const own = ownName(leaf)
  const list = split((/([^/*]+)\/\*\/[^*]+$/.exec(leaf.key) ?? [])[1] ?? '')
  const [genre = ''] = /^(?:text|content|body|message|names?|questions?|question)$/.test(own)
    ? (/\b(?:tweet|email|story|poem|haiku|notification|review|letter|interview|survey|startup|company|brand|app|product)\b/.exec(
        prompt.toLowerCase(),
      ) ?? [])
    : []
  const text =
    texts.find(({ names }) => names.test(`${list} ${own}`)) ??
    (genre
      ? (texts.find(({ names }) => names.test(`${genre} ${own}`)) ??
        (leaf.isMany ? undefined : texts.find(({ names }) => names.test(genre))))
      : undefined) ??
    texts.find(({ names }) => names.test(own))
  if (!text || (/^names?$/.test(own) && !leaf.key.endsWith('/*'))) return undefined
  const { templates } = text
  const first = leaf.isMany || /\d$/.test(own) ? 0 : Math.floor(draw(seed, leaf.key) * templates.length)
  const places = path.filter((step) => typeof step === 'number')
  const digit = Number(/\d$/.exec(own)?.[0] ?? 1) - 1
  const index = places.length > 1 ? (places[0] ?? 0) * 3 + (places[1] ?? 0) : (places[0] ?? digit)
  const subject = subjectOf(prompt)
  const bare = subject.replace(/^(?:an?|the|our|my|your|this) /i, '')
  const isPlain = bare === subject && !/^\p{Lu}/u.test(subject) && !/s$/.test(subject)
  const slots: Record<string, string> = {
    s: subject,
    S: sentenceCase(bare),
    T: bare.replace(/(?<!\p{L})\p{Ll}(?=\p{L}{3})/gu, (letter) => letter.toUpperCase()),
    a: isPlain && !bare.includes(' ') ? `${/^[aeiou]/i.test(bare) ? 'an' : 'a'} ${bare}` : subject,
    N: sentenceCase(bare.split(' ').at(-1) ?? ''),
    P: person,
    H: sentenceCase(objectOf(prompt)),
  }
  const isClosed =
    /^(?:is|are|was|were|does|do|did|can|should|will|how \p{L}+ (?:is|are|was)|(?:who|what|which|where|when) (?!is|are))\s?/iu.test(
      prompt.trim(),
    )
  // A question's words do not fit into a sentence.
  const fitting = isClosed ? templates.filter((template) => !template.includes('{')) : templates
  if (fitting.length === 0) return leaf.isMany ? undefined : 'Several independent sources agree on this.'
  const template = fitting[(first + index) % fitting.length]
  return template?.replace(/\{(\w)\}/g, (_, slot: string) => slots[slot] ?? '')
}

const lead =
  /^\W*(?:(?:please|can you|could you|would you|i want you to|i need)\s)*(?:generate|invent|create|write|make|recommend|suggest|list|give|tell|describe|design|imagine|compose|plan|produce|propose|draft|build|come up with|brainstorm|develop|review|provide|name|show|explain|outline|prepare|compare|what (?:is|are)|who (?:is|was)|how (?:do|does|to|can)(?: i)?|how (?:far|much|many|long|old|tall|big|high) (?:is|are|was)|is|are|does|do|define)\s(?:(?:me|us)\s)?/i
const end =
  /(?=[.?!,;:\n(]|\s(?:with|that|which|who|using|including|to an? |in json|in the format|in \d|relate)|$)/i

/** Returns what a request is about, such as `electric cars` for `What are the pros and cons of electric cars?`. */
function subjectOf(prompt: string): string {
  const text = prompt.slice(0, 300).trim()
  const after = (words: string) =>
    new RegExp(`\\s(?:${words})\\s+(.{3,60}?)${end.source}`, 'i').exec(text)?.[1]
  const about = after('about|regarding') ?? after('on|of|for|between')
  const [, object] = new RegExp(`${lead.source}(.{3,60}?)${end.source}`, 'i').exec(text) ?? []
  const subject = (about ?? object ?? text.slice(0, 40))
    .trim()
    .replace(/^(?:(?:some|\d+|two|three|four|five)\s)+/i, '')
  return /^\p{Lu}\p{Ll}/u.test(subject) && !/^\p{Lu}\p{Ll}+ \p{Lu}/u.test(subject) && text.startsWith(subject)
    ? subject.charAt(0).toLowerCase() + subject.slice(1)
    : subject
}

/** Returns what a request asks for, such as `workout plan for beginners`. */
function objectOf(prompt: string): string {
  const [, object = ''] =
    new RegExp(`${lead.source}(?:an?|the|some) (.{3,60}?)${end.source}`, 'i').exec(
      prompt.slice(0, 300).trim(),
    ) ?? []
  return object || subjectOf(prompt)
}

/** Returns a translation of a common phrase into the language that the prompt names. */
export function translationIn(leaf: Leaf, prompt: string): string | undefined {
  if (!/\btranslat|\bhow do you say\b/i.test(prompt)) return undefined
  if (/^(?:original|source|input)(?: text)?$/.test(ownName(leaf)) && contentOf(prompt) !== prompt)
    return contentOf(prompt)
  const lower = prompt.toLowerCase()
  const [target] = /\b(?:in|into|to) (\p{Lu}\p{Ll}+)/u.exec(prompt)?.slice(1) ?? []
  if (/target language$/.test(ownName(leaf))) return target
  if (!/\b(?:translation|translated(?: text)?|output|result|target text)$/.test(ownName(leaf)))
    return undefined
  const column = catalog.phraseLanguages.findIndex((language) => lower.includes(language))
  const [phrase] = Object.keys(catalog.phrasebook)
    .filter((each) => new RegExp(`(?<!\\p{L})${escaped(each)}(?!\\p{L})`, 'u').test(lower))
    .sort((left, right) => right.length - left.length)
  return phrase && column >= 0
    ? (catalog.phrasebook as Record<string, string>)[phrase]?.split('|')[column]
    : undefined
}
