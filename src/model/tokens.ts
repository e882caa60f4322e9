/**
 * Splits input, output and stream deltas into tokens.
 *
 * A token has up to eight characters of one kind, with at most one space in front. The kinds are letters and
 * digits, white space, and everything else, in which `[` starts a new token. A Markdown link is a single
 * token, so that neither truncation nor deltas split it.
 *
 * Each Chinese, Japanese or Korean character is a token.
 *
 * A character is a grapheme cluster, so tokens never split an emoji, or an accent from its letter. Joining a
 * text's tokens restores the text.
 */

/** Matches a Markdown link. Its URL may contain one level of parentheses, as Wikipedia URLs do. */
const linkHere = / ?\[[^[\]\r\n]{1,200}\]\((?:[^\s()]|\([^\s()]*\))+\)/y

const maxCharacters = 8

export class Tokenizer {
  readonly #characters: Characters
  #at = 0

  constructor(text: string) {
    this.#characters = new Characters(text)
  }

  /** Returns the next token, or undefined at the end. */
  next(): string | undefined {
    const { text } = this.#characters
    const start = this.#at
    if (start >= text.length) return undefined
    this.#at = tokenEnd(this.#characters, start)
    return text.slice(start, this.#at)
  }
}

export function tokenize(text: string): readonly string[] {
  const tokenizer = new Tokenizer(text)
  const tokens: string[] = []
  for (let token = tokenizer.next(); token !== undefined; token = tokenizer.next()) tokens.push(token)
  return tokens
}

export function countTokens(text: string): number {
  const characters = new Characters(text)
  let count = 0
  for (let at = 0; at < text.length; count++) at = tokenEnd(characters, at)
  return count
}

function tokenEnd(characters: Characters, at: number): number {
  return linkEnd(characters, at) ?? runEnd(characters, at)
}

/**
 * Returns the end of a link that starts at this position and ends with a whole character, or undefined if there is
 * none.
 */
function linkEnd(characters: Characters, at: number): number | undefined {
  const { text } = characters
  const code = text.charCodeAt(at)
  if (code !== bracket && (code !== blank || text.charCodeAt(at + 1) !== bracket)) return undefined
  linkHere.lastIndex = at
  if (!linkHere.test(text)) return undefined
  let end = at
  while (end < linkHere.lastIndex) end = characters.end(end)
  return end === linkHere.lastIndex ? end : undefined
}

function runEnd(characters: Characters, at: number): number {
  const { text } = characters
  const next = characters.end(at)
  const isBlank = text.charCodeAt(at) === blank && next === at + 1 && next < text.length
  const first = isBlank && characters.kind(next) !== 'space' ? next : at
  const kind = characters.kind(first)
  let end = characters.end(first)
  if (kind === 'ideograph') return end
  for (let count = 1; count < maxCharacters && end < text.length; count++) {
    if (text.charCodeAt(end) === bracket || characters.kind(end) !== kind) break
    end = characters.end(end)
  }
  return end
}

const blank = 0x20
const bracket = 0x5b

type Kind = 'word' | 'ideograph' | 'space' | 'other'

/** A text's characters by start position. */
class Characters {
  readonly text: string
  /**
   * If true, the text is ASCII without carriage returns, so each code unit is a character. Segmentation would take
   * ten times as long.
   */
  readonly #isPlain: boolean
  readonly #asciiKinds: readonly Kind[]
  #segments: Intl.Segments | undefined

  constructor(text: string) {
    this.text = text
    this.#isPlain = !/[\r\u0080-\uffff]/.test(text)
    this.#asciiKinds = kindsOfAscii()
  }

  end(at: number): number {
    return this.#isPlain ? at + 1 : this.#clusterEnd(at)
  }

  kind(at: number): Kind {
    if (this.#isPlain) return this.#asciiKinds[this.text.charCodeAt(at)] as Kind
    return readKind(this.text.slice(at, this.#clusterEnd(at)))
  }

  #clusterEnd(at: number): number {
    this.#segments ??= segmenter().segment(this.text)
    // Positions are inside the text.
    return at + (this.#segments.containing(at) as Intl.SegmentData).segment.length
  }
}

let segmenterMade: Intl.Segmenter | undefined

/** Created on first use, because it loads large tables. */
function segmenter(): Intl.Segmenter {
  segmenterMade ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return segmenterMade
}

function readKind(character: string): Kind {
  if (/^\s+$/.test(character)) return 'space'
  if (/^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u.test(character)) return 'ideograph'
  return /^[\p{L}\p{N}]/u.test(character) ? 'word' : 'other'
}

let asciiKinds: readonly Kind[] | undefined

/** Created on first use, because the regular expression takes 3 ms. */
function kindsOfAscii(): readonly Kind[] {
  asciiKinds ??= Array.from({ length: 0x80 }, (_, code) => readKind(String.fromCharCode(code)))
  return asciiKinds
}
