/** Parses JSON request bodies, and limits their depth and their number of values. */
import { parseJson } from '../lib/json.ts'
import { invalidRequest } from './errors.ts'

/** Returns undefined if the text is not JSON or exceeds a limit. */
export function parseJsonBody(text: string): unknown {
  return excessOf(text) === undefined ? parseJson(text) : undefined
}

/** Throws 400 if the body is missing, is not JSON, or exceeds a limit. */
export function assertJsonBody(text: string, value: unknown): void {
  if (value !== undefined) return
  const message = text === '' ? 'A JSON body is required' : (excessOf(text) ?? reasonOf(text))
  throw invalidRequest([{ path: 'body', message, rule: text === '' ? 'required' : 'json' }], {
    assumption: 'requestBody',
  })
}

function reasonOf(text: string): string {
  try {
    JSON.parse(text)
    return ''
  } catch (error) {
    return `Malformed JSON: ${(error as Error).message}`
  }
}

/** Maximum depth of arrays and objects: far more than requests need, but far less than would overflow the stack. */
const maxDepth = 500
/** Maximum number of values. A parsed value takes up to 60 times the size of its text. */
const maxValues = 500_000
/** Weight of a number, low because a parsed number is small and embeddings requests may have a million token ids. */
const numberWeight = 0.4
const maxKeys = 250_000

/** Returns the limit that unparsed JSON exceeds, if any. */
function excessOf(text: string): string | undefined {
  if (text.length <= 2 * maxDepth) return undefined
  let depth = 0
  let values = 0
  let keys = 0
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]
    if (sign === '"') at = endOfString(text, at)
    else if (sign === '[' || sign === '{') depth++
    else if (sign === ']' || sign === '}') depth--
    else if (sign === ':') keys++
    else if (sign === ',') values += startsNumber(text, at + 1) ? numberWeight : 1
    else continue
    if (depth > maxDepth) return `Nested deeper than ${maxDepth} levels`
    if (values > maxValues) return `Has more than ${maxValues.toLocaleString('en')} values`
    if (keys > maxKeys) return `Has more than ${maxKeys.toLocaleString('en')} keys`
  }
  return undefined
}

/** Allows a space before the number, because Python's encoder writes one after each comma. */
function startsNumber(text: string, at: number): boolean {
  const sign = text[text[at] === ' ' ? at + 1 : at] ?? ''
  return sign >= '-' && sign <= '9'
}

/** Returns the index of a string's closing quote; the text's length if there is none. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end > 0; end = text.indexOf('"', end + 1)) {
    let before = end
    while (text[before - 1] === '\\') before--
    if ((end - before) % 2 === 0) return end
  }
  return text.length
}
