/**
 * Bytes of a request as text, the same through every adapter.
 */
import { invalidRequest } from './errors.ts'

const decoder = new TextDecoder('utf-8', { fatal: true })

const lenient = new TextDecoder('utf-8')

/**
 * Text of UTF-8, without a byte order mark. Throws 400 for bytes that are none: JSON is nothing else.
 *
 * @param isText Whether it has to be text; otherwise such bytes become U+FFFD.
 */
export function decodeBody(bytes: Uint8Array | ArrayBuffer, isText = true): string {
  try {
    return (isText ? decoder : lenient).decode(bytes)
  } catch {
    throw invalidRequest([{ path: 'body', message: 'Must be UTF-8', rule: 'utf8' }], {
      assumption: 'requestBody',
    })
  }
}
