/**
 * Bytes in the forms that a recording needs. As "latin1" a string has one character for each byte, 0 to 255, so that
 * text tools work on any bytes and lengths stay as they are.
 */

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()

/** At most so many arguments are given to a function at once. */
const step = 8192

export function toLatin1(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += step)
    text += String.fromCharCode(...bytes.subarray(at, at + step))
  return text
}

export function fromLatin1(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at)
  return bytes
}

/** The UTF-8 of a text, one character for each byte. */
export function utf8AsLatin1(text: string): string {
  return toLatin1(encoder.encode(text))
}

/** The text of UTF-8, a byte order mark included; undefined for bytes that are none, a split character for example. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

export function toBase64(bytes: Uint8Array): string {
  return btoa(toLatin1(bytes))
}

/** Throws for text that is no base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return fromLatin1(atob(text))
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}

/** The number of bytes that a string takes in UTF-8, or of the bytes themselves. */
export function byteLength(content: string | Uint8Array): number {
  if (typeof content !== 'string') return content.byteLength
  return globalThis.Buffer ? Buffer.byteLength(content) : encoder.encode(content).length
}
