/**
 * Splits text into tokens: up to eight graphemes of one kind (letters and digits, white space, or others) after at most
 * one space, a whole Markdown link, or one Chinese, Japanese or Korean character. Joining the tokens restores the text.
 */

/** A Markdown link. The link's URL may contain one level of parentheses, as Wikipedia URLs do. */
const link = / ?\[[^[\]\r\n]{1,200}\]\((?:[^\s()]|\([^\s()]*\))+\)/

const ideographs = '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}'
const other = `^\\s\\p{L}\\p{N}${ideographs}`

const tokens = new RegExp(
  `${link.source}| ?(?:(?![${ideographs}])[\\p{L}\\p{N}]){1,8}| ?[${ideographs}]| ?[${other}][${other}[]{0,7}|\\s{1,8}`,
  'gu',
)

/** Characters that form graphemes with others, such as combining marks and joined emoji. */
const joining =
  /\u200c|\u200d|[\r\p{M}\p{RI}\p{Emoji_Modifier}\u0600-\u0605\u0e33\u0eb3\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff\uff9e\uff9f\u{e0020}-\u{e007f}]/u

export function tokenize(text: string): readonly string[] {
  // Segmenting takes twenty times as long.
  if (!joining.test(text)) return text.match(tokens) ?? []
  const graphemes = graphemesIn(text, (grapheme) => grapheme)
  let end = 0
  return Array.from(graphemes.map(firstOf).join('').match(tokens) ?? [], (token) => {
    const start = end
    end += Array.from(token).length
    return graphemes.slice(start, end).join('')
  })
}

/** Number of characters to count at once, because a text's only combining mark slows down the rest. */
const countedAtOnce = 1024 * 1024

/** Returns the number of tokens without collecting them, because they can take forty times the text's size. */
export function countTokens(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at += countedAtOnce) {
    const slice = text.slice(at, at + countedAtOnce)
    const plain = joining.test(slice) ? graphemesIn(slice, firstOf).join('') : slice
    for (tokens.lastIndex = 0; tokens.test(plain); ) count++
  }
  return count
}

let segmenter: Intl.Segmenter | undefined

function graphemesIn(text: string, change: (grapheme: string) => string): string[] {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return Array.from(segmenter.segment(text), ({ segment }) => change(segment))
}

/** Returns one code point of the same kind. */
function firstOf(grapheme: string): string {
  return grapheme.startsWith('\r') ? '\n' : String.fromCodePoint(Number(grapheme.codePointAt(0)))
}
