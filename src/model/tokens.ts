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

/** Matches a token of plain text. */
const plainToken = new RegExp(
  `${linkHere.source}| ?[0-9A-Za-z]{1,8}| ?[^\\s0-9A-Za-z][^\\s0-9A-Za-z[]{0,7}|\\s{1,8}`,
  'y',
)

const maxCharacters = 8
const blank = 0x20
const bracket = 0x5b

type Kind = 'word' | 'ideograph' | 'space' | 'other'

export function tokenize(text: string): readonly string[] {
  const tokenizer = new Tokenizer(text)
  const tokens: string[] = []
  for (let token = tokenizer.next(); token !== undefined; token = tokenizer.next()) tokens.push(token)
  return tokens
}

export function countTokens(text: string): number {
  const tokenizer = new Tokenizer(text)
  let count = 0
  while (tokenizer.advance()) count++
  return count
}

export class Tokenizer {
  readonly #text: string
  /**
   * If true, the text is ASCII without carriage returns, so each code unit is a character. Segmentation would take
   * twenty times as long.
   */
  readonly #isPlain: boolean
  #segments: Intl.Segments | undefined
  #at = 0

  constructor(text: string) {
    this.#text = text
    this.#isPlain = !/[\r\u0080-\uffff]/.test(text)
  }

  /** Returns the next token, or undefined at the end. */
  next(): string | undefined {
    const start = this.#at
    return this.advance() ? this.#text.slice(start, this.#at) : undefined
  }

  /** Skips a token. Returns false at the end. */
  advance(): boolean {
    if (this.#at >= this.#text.length) return false
    if (this.#isPlain) {
      plainToken.lastIndex = this.#at
      plainToken.test(this.#text)
      this.#at = plainToken.lastIndex
    } else this.#at = this.#linkEnd(this.#at) ?? this.#runEnd(this.#at)
    return true
  }

  /** Returns the end of a link that starts at this position and ends with a whole character, if there is one. */
  #linkEnd(at: number): number | undefined {
    const code = this.#text.charCodeAt(at)
    if (code !== bracket && (code !== blank || this.#text.charCodeAt(at + 1) !== bracket)) return undefined
    linkHere.lastIndex = at
    if (!linkHere.test(this.#text)) return undefined
    let end = at
    while (end < linkHere.lastIndex) end = this.#characterEnd(end)
    return end === linkHere.lastIndex ? end : undefined
  }

  #runEnd(at: number): number {
    const text = this.#text
    const next = this.#characterEnd(at)
    const isBlank = text.charCodeAt(at) === blank && next === at + 1 && next < text.length
    const first = isBlank && this.#kind(next) !== 'space' ? next : at
    const kind = this.#kind(first)
    let end = this.#characterEnd(first)
    if (kind === 'ideograph') return end
    for (let count = 1; count < maxCharacters && end < text.length; count++) {
      if (text.charCodeAt(end) === bracket || this.#kind(end) !== kind) break
      end = this.#characterEnd(end)
    }
    return end
  }

  #kind(at: number): Kind {
    return readKind(this.#text.slice(at, this.#characterEnd(at)))
  }

  #characterEnd(at: number): number {
    segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
    this.#segments ??= segmenter.segment(this.#text)
    // Positions are inside the text.
    return at + (this.#segments.containing(at) as Intl.SegmentData).segment.length
  }
}

/** Created on first use, because it loads large tables. */
let segmenter: Intl.Segmenter | undefined

function readKind(character: string): Kind {
  if (/^\s+$/.test(character)) return 'space'
  if (/^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u.test(character)) return 'ideograph'
  return /^[\p{L}\p{N}]/u.test(character) ? 'word' : 'other'
}
