/** Parses JSON request bodies, and limits their depth. */
import { invalidRequest } from './errors.ts'

/** Returns the parsed value, or undefined if the text is not JSON or is nested too deeply. */
export function parseJsonBody(text: string): unknown {
  if (text === '') return undefined
  try {
    const value: unknown = JSON.parse(text)
    // Each level takes two characters, so short bodies need no check.
    return text.length > 2 * maxDepth && isDeeper(value, maxDepth) ? undefined : value
  } catch {
    return undefined
  }
}

/** Throws 400 if the body is missing, is not JSON, or is nested too deeply. */
export function assertJsonBody(text: string, value: unknown): void {
  if (value !== undefined) return
  const message = text === '' ? 'A JSON body is required' : reasonOf(text)
  throw invalidRequest([{ path: 'body', message, rule: text === '' ? 'required' : 'json' }], {
    assumption: 'requestBody',
  })
}

function reasonOf(text: string): string {
  try {
    JSON.parse(text)
    return `Nested deeper than ${maxDepth} levels`
  } catch (error) {
    return `Malformed JSON: ${(error as Error).message}`
  }
}

/** Maximum depth of arrays and objects: far more than requests need, but far less than would overflow the stack. */
const maxDepth = 500

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1))
}
