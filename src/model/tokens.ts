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
const linkHere = / ?\[[^[\]\r\n]{1,200}\]\((?:[^\s()]|\([^\s()]*\))+\)/y

const maxCharacters = 8

export function tokenize(text: string): readonly string[] {
  const tokens: string[] = []
  for (let at = 0; at < text.length; ) {
    const end = plainEnd(text, at)
    if (end === undefined) return tokenizeCharacters(text)
    tokens.push(text.slice(at, end))
    at = end
  }
  return tokens
}

/** How many tokens a text has, without making them. */
export function countTokens(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; count++) {
    const end = plainEnd(text, at)
    if (end === undefined) return tokenizeCharacters(text).length
    at = end
  }
  return count
}

const [other, word, space, several] = [0, 1, 2, 3]

/**
 * The kinds of ASCII characters, each of which is one unit whatever is beside it; but for the carriage return, which
 * is one character with the line feed after it.
 */
const asciiKinds = Uint8Array.from({ length: 0x80 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (character === '\r') return several
  return /[a-z0-9]/i.test(character) ? word : /\s/.test(character) ? space : other
})

/** The kind of a unit; `several` where it may be one of several that make a character. */
function unitKind(code: number): number {
  return code < 0x80 ? (asciiKinds[code] as number) : several
}

const blank = 0x20
const bracket = 0x5b

/** Where the token ends that starts at this unit; undefined where a character comes that may be of several units. */
function plainEnd(text: string, at: number): number | undefined {
  let first = at
  let code = text.charCodeAt(at)
  if (code === blank && at + 1 < text.length) {
    const next = text.charCodeAt(at + 1)
    if (unitKind(next) !== space) {
      first = at + 1
      code = next
    }
  }
  if (code === bracket) {
    linkHere.lastIndex = at
    if (linkHere.test(text)) return linkHere.lastIndex
  }
  const kind = unitKind(code)
  if (kind === several) return undefined
  const limit = Math.min(first + maxCharacters, text.length)
  for (let end = first + 1; end < limit; end++) {
    code = text.charCodeAt(end)
    if (unitKind(code) === kind && code !== bracket) continue
    return unitKind(code) === several ? undefined : end
  }
  return limit
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
