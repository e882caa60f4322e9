/** Control characters, invisible and bidirectional formatting characters, and line separators. */
export const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
const unseenOnes = new RegExp(unseen.source, 'gu')

const encoder = new TextEncoder()

/** Quotes text as one shell word, with invisible characters as `$'…'`. Throws for NUL. */
export function shellWord(text: string): string {
  if (text.includes('\0')) throw new TypeError('A shell command cannot contain a NUL character')
  if (!unseen.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`
  // Quotes are escaped in octal, so that shells without `$'…'` still see a single word.
  return `$'${text.replace(/\\/g, '\\\\').replace(/['!]/g, octal).replace(unseenOnes, octal)}'`
}

function octal(characters: string): string {
  return Array.from(encoder.encode(characters), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')
}
