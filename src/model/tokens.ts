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

/** Matches the tokens of plain text, one after the other. */
const plainTokens = new RegExp(
  `${linkHere.source}| ?[0-9A-Za-z]{1,8}| ?[^\\s0-9A-Za-z][^\\s0-9A-Za-z[]{0,7}|\\s{1,8}`,
  'g',
)

const maxCharacters = 8
const blank = 0x20
const bracket = 0x5b

type Kind = 'word' | 'ideograph' | 'space' | 'other'

export function tokenize(text: string): readonly string[] {
  if (isPlain(text)) return text.match(plainTokens) ?? []
  const characters = new Characters(text)
  const tokens: string[] = []
  for (let at = 0; at < text.length; ) {
    const end = characters.tokenEnd(at)
    tokens.push(text.slice(at, end))
    at = end
  }
  return tokens
}

export function countTokens(text: string): number {
  if (!isPlain(text)) return tokenize(text).length
  let count = 0
  while (plainTokens.test(text)) count++
  return count
}

/**
 * Returns true for ASCII without carriage returns, in which each code unit is a character. Segmentation would take
 * twenty times as long.
 */
function isPlain(text: string): boolean {
  return !/[\r\u0080-\uffff]/.test(text)
}

/** A text as grapheme clusters. */
class Characters {
  readonly #text: string
  readonly #segments: Intl.Segments

  constructor(text: string) {
    segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
    this.#text = text
    this.#segments = segmenter.segment(text)
  }

  /** Returns the end of the token that starts at this position. */
  tokenEnd(at: number): number {
    return this.#linkEnd(at) ?? this.#runEnd(at)
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
