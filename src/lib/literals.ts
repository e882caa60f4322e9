/**
 * Literals of shells and of JavaScript for code that people copy and paste: no text ends its own literal, acts on the
 * terminal that it is pasted into, or hides what follows.
 */

/** Control characters, invisible ones, those that change the direction of text, and line separators. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
const unseenOnes = new RegExp(unseen.source, 'gu')

const encoder = new TextEncoder()

/**
 * One word for a shell. Text with control characters or invisible ones is in the form `$'…'`, which bash, zsh, ksh and
 * POSIX 2024 read. Throws for text with a NUL, which no word can have.
 */
export function shellWord(text: string): string {
  if (text.includes('\0')) throw new TypeError('A shell command cannot have a NUL character')
  if (!unseen.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`
  // Without a plain quote inside, older shells read one word too, with other characters.
  return `$'${text.replace(/\\/g, '\\\\').replace(/['!]/g, octal).replace(unseenOnes, octal)}'`
}

function octal(characters: string): string {
  return Array.from(encoder.encode(characters), (byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')
}

/** A string in single quotes. */
export function stringLiteral(text: string): string {
  return `'${escaped(text).replaceAll("'", "\\'")}'`
}

/** The inside of a template literal. */
export function templateText(text: string): string {
  return escaped(text).replace(/`|\$(?=\{)/g, '\\$&')
}

/** A JSON value as an expression, in lines of their own. */
export function jsonLiteral(value: unknown): string {
  const lines = JSON.stringify(value, null, 2).replace(unseenButLines, unicode).replaceAll('</', '<\\/')
  // As a plain key it would set the prototype.
  return lines.replace(/^( *)"__proto__":/gm, '$1["__proto__"]:')
}

/** The key of a property. */
export function propertyKey(name: string): string {
  if (name === '__proto__') return `['__proto__']`
  return /^[a-z_]\w*$/i.test(name) ? name : stringLiteral(name)
}

/** `</` is escaped because a script element would end there. */
function escaped(text: string): string {
  return JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replace(unseenOnes, unicode)
    .replaceAll('</', '<\\/')
}

const unseenButLines = new RegExp(`(?!\\n)${unseen.source}`, 'gu')

/** The units of UTF-16. */
function unicode(characters: string): string {
  return characters
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
}
