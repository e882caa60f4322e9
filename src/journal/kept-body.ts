/**
 * A body as the journal keeps it: its first bytes, and how many more there were. Sizes are in bytes of UTF-8, as on
 * the wire.
 */

/** A text that may have been too long to keep. */
export interface KeptText {
  /** The text, or as much of it as is kept. */
  text: string
  /** How many bytes of it were not kept. */
  cut: number
}

export class KeptBody {
  /**
   * Bytes are kept as bytes: the garbage collector copies a long string that the journal keeps, twice, and bytes
   * never.
   */
  #parts: Array<string | Uint8Array> = noParts
  /** Bytes that are kept. */
  bytes = 0
  /** Bytes that are not. */
  cut = 0

  /** Bytes that are no text are what they would read as. */
  get text(): string {
    return this.#parts.map((part) => (typeof part === 'string' ? part : decoder.decode(part))).join('')
  }

  /**
   * Adds a part, or the whole characters of it that there is room for. Returns how many bytes that was.
   *
   * @param limit Bytes of the whole body.
   * @param length Bytes of the part. Default: counted.
   */
  add(part: string | Uint8Array, limit: number, length = sizeOf(part)): number {
    if (this.cut > 0) {
      this.cut += length ?? byteLength(part as string)
      return 0
    }
    const { kept, bytes, cut } = beginning(part, limit - this.bytes, length)
    this.#append(kept)
    this.bytes += bytes
    this.cut = cut
    return bytes
  }

  #append(part: string | Uint8Array): void {
    const last = this.#parts.at(-1)
    if (last === undefined) this.#parts = [part]
    else if (typeof part === 'string' && typeof last === 'string')
      this.#parts[this.#parts.length - 1] = last + part
    else this.#parts.push(part)
  }
}

/** Shared by all bodies that are empty, as most requests' are. */
const noParts: never[] = []
const encoder = new TextEncoder()
const decoder = new TextDecoder()
/** Encoding into this counts the bytes, without making them. */
const scratch = new Uint8Array(64 * 1024)

/** Undefined for a text: its bytes have to be counted. */
function sizeOf(part: string | Uint8Array): number | undefined {
  return typeof part === 'string' ? undefined : part.byteLength
}

function byteLength(text: string): number {
  return encoder.encode(text).length
}

interface Beginning {
  kept: string | Uint8Array
  bytes: number
  /** Bytes of the part that are not kept. */
  cut: number
}

function beginning(part: string | Uint8Array, limit: number, length: number | undefined): Beginning {
  if (length !== undefined && length <= limit) return { kept: part, bytes: length, cut: 0 }
  return cutText(typeof part === 'string' ? part : decoder.decode(part), limit)
}

function cutText(text: string, limit: number): Beginning {
  let read = 0
  let bytes = 0
  while (read < text.length && bytes < limit) {
    const room = limit - bytes < scratch.length ? scratch.subarray(0, limit - bytes) : scratch
    const step = encoder.encodeInto(read === 0 ? text : text.slice(read), room)
    if (step.read === 0) break
    read += step.read
    bytes += step.written
  }
  if (read === text.length) return { kept: text, bytes, cut: 0 }
  return { kept: detached(text.slice(0, read)), bytes, cut: byteLength(text.slice(read)) }
}

/** A copy: an engine keeps the whole string in memory for as long as any slice of it is in use. */
function detached(slice: string): string {
  return decoder.decode(encoder.encode(slice))
}
