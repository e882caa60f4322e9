/** Parses JSON request bodies, and limits their depth and their number of values. */
import { parseJson, readJson } from '../lib/json.ts'
import { invalidRequest } from './errors.ts'

/** Maximum number of values and keys. A parsed value takes up to 60 times the size of its text. */
const maxParts = 500_000

/** Returns undefined if the text is not JSON or exceeds a limit. */
export function parseJsonBody(text: string): unknown {
  return parseJson(text, maxParts)
}

/** Throws 400 if the body is missing, is not JSON, or exceeds a limit. */
export function assertJsonBody(text: string, value: unknown): void {
  if (value !== undefined) return
  const message = text === '' ? 'A JSON body is required' : reasonOf(text)
  throw invalidRequest([{ path: 'body', message, rule: text === '' ? 'required' : 'json' }], {
    assumption: 'requestBody',
  })
}

function reasonOf(text: string): string {
  try {
    readJson(text, maxParts)
    return ''
  } catch (error) {
    return error instanceof RangeError ? error.message : `Malformed JSON: ${(error as Error).message}`
  }
}
