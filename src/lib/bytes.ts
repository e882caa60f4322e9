/** Converts between bytes and strings. Latin-1 has one character per byte, so string functions work on any bytes. */

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()

export function toLatin1(bytes: Uint8Array): string {
  // 50 MB take 0.1 s instead of 6 s.
  if (globalThis.Buffer) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
  let text = ''
  // Longer lists of arguments overflow the stack.
  for (let at = 0; at < bytes.length; at += 8192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8192))
  return text
}

export function fromLatin1(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at)
  return bytes
}

/** Keeps a byte order mark. Returns undefined for invalid bytes, such as a split character. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
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

export function byteLength(content: string | Uint8Array): number {
  if (typeof content !== 'string') return content.byteLength
  return globalThis.Buffer ? Buffer.byteLength(content) : encoder.encode(content).length
}
