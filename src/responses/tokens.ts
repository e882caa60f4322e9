/**
 * The one rule by which tokens are counted, in what is read, in what is written and in the deltas of a stream:
 *
 * A token is up to eight characters of one kind, together with the one space before them. The kinds are letters
 * and digits; white space; and everything else, where `[` begins a new token. A Markdown link is one token as a
 * whole, so that no cut and no delta ever falls inside a link.
 *
 * A character is what a person sees as one (a grapheme cluster): tokens never split an emoji, nor a letter from
 * its accent. Joined, the tokens of a text are the text.
 */

/** A link whose address may hold brackets one level deep, as some encyclopedias' do. */
const link = String.raw` ?\[[^[\]\r\n]{1,200}\]\((?:[^\s()]|\([^\s()]*\))+\)`

/** What can make a character of more than one unit; a carriage return does so with the line feed after it. */
const beyondAscii = /[\r\u0080-\uffff]/
const asciiToken = new RegExp(
  String.raw`${link}| ?[A-Za-z0-9]{1,8}| ?[^A-Za-z0-9\s][^A-Za-z0-9\s[]{0,7}|\s{1,8}`,
  'g',
)
const linkHere = new RegExp(link, 'y')

const maxCharacters = 8

export function tokenize(text: string): readonly string[] {
  return beyondAscii.test(text) ? tokenizeCharacters(text) : (text.match(asciiToken) ?? [])
}

export function countTokens(text: string): number {
  return tokenize(text).length
}

/** The same rule, character by character, for text that is more than ASCII. */
function tokenizeCharacters(text: string): string[] {
  const starts = characterStarts(text)
  const tokens: string[] = []
  for (let at = 0; at < starts.length - 1; ) {
    const end = linkEnd(text, starts, at) ?? runEnd(text, starts, at)
    tokens.push(text.slice(starts[at], starts[end]))
    at = end
  }
  return tokens
}

/** What may be one character with its neighbours, with one plain unit on each side; the rest is plain. */
const joined = /[^\r\u0080-\uffff]?(?:[\r\u0080-\uffff]+[^\r\u0080-\uffff]?)+/g

/** Made once, and only for those who need it: it loads tables of its own. */
let segmenter: Intl.Segmenter | undefined

/** Where each character starts, and at last where the text ends. */
function characterStarts(text: string): number[] {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  const starts: number[] = []
  let at = 0
  for (const { index, 0: stretch } of text.matchAll(joined)) {
    while (at < index) starts.push(at++)
    for (const character of segmenter.segment(stretch)) starts.push(index + character.index)
    at = index + stretch.length
  }
  while (at <= text.length) starts.push(at++)
  return starts
}

/** Where a link that starts at this character ends, if one does, and ends with a whole character. */
function linkEnd(text: string, starts: readonly number[], at: number): number | undefined {
  linkHere.lastIndex = starts[at] as number
  if (!linkHere.test(text)) return undefined
  let end = at
  while ((starts[end] as number) < linkHere.lastIndex) end++
  return starts[end] === linkHere.lastIndex ? end : undefined
}

function runEnd(text: string, starts: readonly number[], at: number): number {
  const last = starts.length - 1
  const kindAt = (index: number) => kindOf(text.slice(starts[index], starts[index + 1]))
  const isSpace = text[starts[at] as number] === ' ' && starts[at + 1] === (starts[at] as number) + 1
  const first = isSpace && at + 1 < last && kindAt(at + 1) !== 'space' ? at + 1 : at
  const kind = kindAt(first)
  const goesOn = (index: number) => text[starts[index] as number] !== '[' && kindAt(index) === kind
  const limit = Math.min(first + maxCharacters, last)
  let end = first + 1
  while (end < limit && goesOn(end)) end++
  return end
}

function kindOf(character: string): 'word' | 'space' | 'other' {
  if (/^[a-z]/i.test(character)) return 'word'
  if (/^\s+$/.test(character)) return 'space'
  return /^[\p{L}\p{N}]/u.test(character) ? 'word' : 'other'
}
