/**
 * Splits text into tokens: up to eight graphemes of one kind (letters and digits, white space, or others) after at most
 * one space, a whole Markdown link, or one Chinese, Japanese or Korean character. Joining the tokens restores it.
 */

/** A Markdown link. The link's URL may contain one level of parentheses, as Wikipedia URLs do. */
const link = / ?\[[^[\]\r\n]{1,200}\]\((?:[^\s()]|\([^\s()]*\))+\)/

const ideograph = '字'

const plainTokens = new RegExp(
  `${link.source}| ?[0-9A-Za-z]{1,8}| ?${ideograph}| ?[^\\s0-9A-Za-z${ideograph}][^\\s0-9A-Za-z${ideograph}[]{0,7}|\\s{1,8}`,
  'g',
)

export function tokenize(text: string): readonly string[] {
  if (isPlain(text)) return text.match(plainTokens) ?? []
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  const characters = Array.from(segmenter.segment(text), ({ segment }) => segment)
  let end = 0
  return Array.from(characters.map(toPlain).join('').match(plainTokens) ?? [], ({ length }) => {
    end += length
    return characters.slice(end - length, end).join('')
  })
}

export function countTokens(text: string): number {
  return tokenize(text).length
}

/** Returns true for ASCII without carriage returns. Segmenting such text would take twenty times as long. */
function isPlain(text: string): boolean {
  return !/[\r\u0080-\uffff]/.test(text)
}

let segmenter: Intl.Segmenter | undefined

/** Returns one code unit of the same kind as the character. */
function toPlain(character: string): string {
  if (isPlain(character)) return character
  if (/^\s+$/.test(character)) return character.startsWith('\r') ? '\n' : '\t'
  if (/^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u.test(character)) return ideograph
  return /^[\p{L}\p{N}]/u.test(character) ? 'a' : '!'
}
