/**
 * The body of a request as JSON.
 */
import { invalidRequest } from './errors.ts'

/** The value; undefined where the text is no JSON, or nested too deep to be worked with. */
export function parseJsonBody(text: string): unknown {
  if (text === '') return undefined
  try {
    const value = mayNamePrototype.test(text) ? JSON.parse(text, withoutPrototype) : JSON.parse(text)
    // Each level takes two characters, so a short body needs no look.
    // mutation: equivalent: spares a look into a short body
    return text.length > 2 * maxDepth && isDeeper(value, maxDepth) ? undefined : value
  } catch {
    return undefined
  }
}

/** Throws 400 for a body that is needed and is not there, is not JSON, or is too deep. */
export function assertJsonBody(text: string, value: unknown): void {
  if (value !== undefined) return
  const message = text === '' ? 'A JSON body is needed' : reasonOf(text)
  throw invalidRequest([{ path: 'body', message, rule: text === '' ? 'required' : 'json' }], {
    assumption: 'requestBody',
  })
}

/** Also in its escaped forms; a false alarm only costs time. */
const mayNamePrototype = /__proto__|\\u005f/i

/** A key `__proto__` is data to JSON, but an assignment of it would change what an object inherits. */
function withoutPrototype(key: string, value: unknown): unknown {
  return key === '__proto__' ? undefined : value
}

function reasonOf(text: string): string {
  try {
    JSON.parse(text)
    return `Nested deeper than ${maxDepth} levels`
  } catch (error) {
    return `Malformed JSON: ${(error as Error).message}`
  }
}

/** Levels of arrays and objects. Far more than a request has, far fewer than would use up the stack. */
const maxDepth = 500

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1))
}
