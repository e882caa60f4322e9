/** JavaScript literals whose text cannot end them, control a terminal, or hide the code that follows. */
import { unseen } from '../../lib/shell-word.ts'

const unseenOnes = new RegExp(unseen.source, 'gu')

export function stringLiteral(text: string): string {
  return `'${escaped(text).replaceAll("'", "\\'")}'`
}

export function templateText(text: string): string {
  return escaped(text).replace(/`|\$(?=\{)/g, '\\$&')
}

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
