/** Reads unvalidated JSON. Missing values and values of the wrong type are read as empty. */

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Returns a string unchanged, or the text and refusals in content parts, one per line. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return listOf(value)
    .map((part) => {
      const { text, refusal } = fieldsOf(part)
      return typeof text === 'string' ? text : typeof refusal === 'string' ? refusal : ''
    })
    .join('\n')
}

/** Returns a table's entry. Names that every object inherits, such as `constructor`, are not found. */
export function lookUp<Entry>(table: Readonly<Record<string, Entry>>, name: unknown): Entry | undefined {
  return typeof name === 'string' && Object.hasOwn(table, name) ? table[name] : undefined
}

export type Json = string | number | boolean | null | Json[] | { [field: string]: Json }

/** Returns undefined for text that is not JSON, or exceeds a limit. */
export function parseJson(text: string | undefined, maxParts?: number): unknown {
  try {
    return text === undefined ? undefined : readJson(text, maxParts)
  } catch {
    return undefined
  }
}

export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1)))
      : inner,
  )
}

/** Maximum depth of arrays and objects: far more than requests need, but far less than would overflow the stack. */
const maxDepth = 500

/** Throws a `RangeError` for too many values and keys or too deep nesting: parsed JSON can take 70 times its size. */
export function readJson(text: string, maxParts = Infinity): unknown {
  const end = text.length > 2 * maxDepth ? text.length : 0
  let depth = 0
  let parts = 0
  for (let at = 0; at < end; at++) {
    const sign = text[at]
    if (sign === '"') at = endOfString(text, at)
    else if (sign === ',') parts += weightAt(text, at + 1)
    else if (sign === ':' || sign === '[') parts++
    if (sign === '[' || sign === '{') depth++
    else if (sign === ']' || sign === '}') depth--
    if (depth > maxDepth) throw new RangeError(`Nested deeper than ${maxDepth} levels`)
    if (parts > maxParts)
      throw new RangeError(`Has more than ${maxParts.toLocaleString('en')} values and keys`)
  }
  return JSON.parse(text)
}

/** Numbers take the least memory; a request can hold a million. Python's encoder writes a space after each comma. */
function weightAt(text: string, at: number): number {
  const sign = text[text[at] === ' ' ? at + 1 : at] ?? ''
  return sign >= '-' && sign <= '9' ? 0.4 : 1
}

/** Returns the index of a string's closing quote, or the text's length if there is none. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end > 0; end = text.indexOf('"', end + 1)) {
    let before = end
    while (text[before - 1] === '\\') before--
    if ((end - before) % 2 === 0) return end
  }
  return text.length
}
