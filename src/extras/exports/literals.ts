/** JavaScript literals whose text cannot end the literal, control a terminal, or hide the code that follows. */
import { unseen } from '../../lib/shell-word.ts'

const unseenOnes = new RegExp(unseen.source, 'gu')

export function stringLiteral(text: string): string {
  return `'${escaped(text).replaceAll("'", "\\'")}'`
}

export function templateText(text: string): string {
  return escaped(text).replace(/`|\$(?=\{)/g, '\\$&')
}

/** Code between literals. */
export class Code {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Writes a value on one line if it is short, otherwise with one line per member. Undefined members are omitted. */
export function literal(value: unknown, indent = '  '): string {
  if (value instanceof Code) return value.text
  if (typeof value === 'string') return stringLiteral(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const [start, end, space] = Array.isArray(value) ? '[]' : ['{', '}', ' ']
  const members = Object.entries(value).flatMap(([name, member]) => {
    if (member === undefined) return []
    return `${space ? `${propertyKey(name)}: ` : ''}${literal(member, `${indent}  `)}`
  })
  if (members.length === 0) return `${start}${end}`
  const line = [start, members.join(', '), end].join(space ?? '')
  if (indent.length + line.length <= 90 && !line.includes('\n')) return line
  return `${start}\n${members.map((member) => `${indent}  ${member},\n`).join('')}${indent}${end}`
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

/** Escapes each UTF-16 code unit as `\uXXXX`. */
function unicode(characters: string): string {
  return characters
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')
}
