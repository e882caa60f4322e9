/**
 * Writes shell and JavaScript literals for code that users copy and paste. Text cannot end its literal, control a
 * terminal, or hide what follows.
 */

/** Control characters, invisible and bidirectional formatting characters, and line separators. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
const unseenOnes = new RegExp(unseen.source, 'gu')

const encoder = new TextEncoder()

/**
 * Quotes text as one shell word. Text with control or invisible characters is written as `$'…'`, which bash, zsh, ksh
 * and POSIX 2024 support. Throws if the text contains NUL, which shell words cannot contain.
 */
export function shellWord(text: string): string {
  if (text.includes('\0')) throw new TypeError('A shell command cannot contain a NUL character')
  if (!unseen.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`
  // Quotes are escaped in octal, so that shells without `$'…'` still see a single word, though with different
  // characters.
  return `$'${text.replace(/\\/g, '\\\\').replace(/['!]/g, octal).replace(unseenOnes, octal)}'`
}

function octal(characters: string): string {
  return Array.from(encoder.encode(characters), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')
}

/** Returns a JavaScript string literal in single quotes. */
export function stringLiteral(text: string): string {
  return `'${escaped(text).replaceAll("'", "\\'")}'`
}

/** Returns text as the content of a template literal. */
export function templateText(text: string): string {
  return escaped(text).replace(/`|\$(?=\{)/g, '\\$&')
}

/** Returns a JSON value as a multi-line expression. */
export function jsonLiteral(value: unknown): string {
  const lines = JSON.stringify(value, null, 2).replace(unseenButLines, unicode).replaceAll('</', '<\\/')
  // A plain `__proto__` key would set the prototype.
  return lines.replace(/^( *)"__proto__":/gm, '$1["__proto__"]:')
}

/** Returns a property key, quoted if necessary. */
export function propertyKey(name: string): string {
  if (name === '__proto__') return `['__proto__']`
  return /^[a-z_]\w*$/i.test(name) ? name : stringLiteral(name)
}

/** Escapes text for a JavaScript literal, including `</`, which could end a script element. */
function escaped(text: string): string {
  return JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replace(unseenOnes, unicode)
    .replaceAll('</', '<\\/')
}

const unseenButLines = new RegExp(`(?!\\n)${unseen.source}`, 'gu')

/** Escapes each UTF-16 code unit as `\uXXXX`. */
function unicode(characters: string): string {
  return characters
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
}
