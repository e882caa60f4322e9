/**
 * Texts as filler of the same shape, for `--redact-text`: every letter becomes an x, every digit a 1, and a character
 * beyond ASCII another one of as many bytes. Spaces, punctuation and escapes stay, so lengths, offsets, links and split
 * points stay too.
 */

/** JSON fields that hold what people and models write. */
const textFields = new Set([
  'arguments',
  'content',
  'delta',
  'description',
  'input',
  'instructions',
  'output',
  'output_text',
  'partial_json',
  'prompt',
  'query',
  'reasoning',
  'refusal',
  'signature',
  'suffix',
  'summary',
  'system',
  'text',
  'thinking',
  'title',
  'token',
  'url',
])

/** A copy of a JSON value whose texts are filler. */
export function fillValue(value: unknown, isText = false): unknown {
  if (typeof value === 'string') return isText ? filler(value) : value
  if (Array.isArray(value)) return value.map((item) => fillValue(item, isText))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, fillValue(inner, textFields.has(name))]),
  )
}

/** The same in text with JSON in it, the lines of an event stream for example, one character for each byte. */
export function fillText(latin1: string): string {
  const name = [...textFields].join('|')
  const field = new RegExp(`("(?:${name})"\\s*:\\s*")((?:\\\\.|[^"\\\\])+)(?=")`, 'g')
  return latin1
    .replace(field, (_, before: string, text: string) => before + filler(text))
    .replace(
      /("bytes"\s*:\s*\[)([\d,\s]+)\]/g,
      (_, before: string, bytes: string) => `${before}${bytes.replace(/\d/g, '1')}]`,
    )
}

/** Words of JSON stay, so that the arguments of a function stay JSON. */
const kept =
  /\\u[0-9a-fA-F]{4}|\\.|\b(?:true|false|null)\b|[a-z]|[A-Z]|\d|[\xc0-\xff][\x80-\xbf]+|[^\0-\x7f]/gu

/** Characters of two, three and four bytes. */
const wide = ['é', '€', '😀'] as const
const encoder = new TextEncoder()

function filler(text: string): string {
  return text.replace(kept, (found) => {
    if (found.startsWith('\\u')) return '\\u0078'
    if (found.startsWith('\\') || /^(true|false|null)$/.test(found)) return found
    if (/[a-z]/.test(found)) return 'x'
    if (/[A-Z]/.test(found)) return 'X'
    if (/\d/.test(found)) return '1'
    return wideFiller(found)
  })
}

/** Beyond ASCII a text is characters, and bytes as latin1 are groups of two to four. */
function wideFiller(found: string): string {
  const isLatin1 = /^[\xc0-\xff][\x80-\xbf]+$/.test(found)
  const size = isLatin1 ? found.length : encoder.encode(found).length
  const character = wide[Math.min(size, 4) - 2] ?? found
  return isLatin1 ? String.fromCharCode(...encoder.encode(character)) : character
}
