/**
 * As much of a text as there is room for. Room is counted in bytes of UTF-8, as on the wire.
 */

export interface Kept {
  /** Whole characters, from the start. */
  text: string
  bytes: number
  /** Bytes of the text that are not kept. */
  cut: number
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()
/** Encoding into this counts the bytes, without making them. */
const scratch = new Uint8Array(64 * 1024)

/** @param limit Bytes. */
export function keep(text: string, limit: number): Kept {
  let read = 0
  let bytes = 0
  while (read < text.length && bytes < limit) {
    const room = limit - bytes < scratch.length ? scratch.subarray(0, limit - bytes) : scratch
    const step = encoder.encodeInto(read === 0 ? text : text.slice(read), room)
    if (step.read === 0) break
    read += step.read
    bytes += step.written
  }
  if (read === text.length) return { text, bytes, cut: 0 }
  return { text: detached(text.slice(0, read)), bytes, cut: byteLength(text.slice(read)) }
}

/**
 * The same of a part that may be bytes already. They stay bytes: the garbage collector copies a long string that
 * lives as long as the journal does, twice, and bytes never.
 *
 * @param length Bytes of the part, where somebody has counted them.
 */
export function keepPart(
  part: string | Uint8Array,
  limit: number,
  length = typeof part === 'string' ? undefined : part.byteLength,
): { kept: string | Uint8Array; bytes: number; cut: number } {
  if (length !== undefined && length <= limit) return { kept: part, bytes: length, cut: 0 }
  const { text, bytes, cut } = keep(typeof part === 'string' ? part : toText(part), limit)
  return { kept: text, bytes, cut }
}

/** Bytes that are no text become what they would read as. */
export function toText(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}

export function byteLength(text: string): number {
  return encoder.encode(text).length
}

/** Engines keep a long string alive for any slice of it; this copy is on its own. */
function detached(slice: string): string {
  return decoder.decode(encoder.encode(slice))
}
