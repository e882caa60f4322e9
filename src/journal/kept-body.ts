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
   * The first part, as it is: most bodies have one. Bytes are kept as bytes: the garbage collector copies a long string
   * that the journal keeps, twice, and bytes never.
   */
  #only: string | Uint8Array | undefined
  #joined: Joined | undefined
  /** Bytes that are kept. */
  bytes = 0
  /** Bytes that are not. */
  cut = 0

  /** Bytes that are no text are what they would read as. */
  get text(): string {
    if (this.#joined) return this.#joined.text
    return typeof this.#only === 'object' ? decoder.decode(this.#only) : (this.#only ?? '')
  }

  /** Bytes of memory, those in reserve included. */
  get heldBytes(): number {
    return this.#joined?.heldBytes ?? this.bytes
  }

  /**
   * Adds a part, or the whole characters of it that there is room for. Returns how many more bytes of memory that takes.
   *
   * @param limit Bytes of the whole body.
   * @param length Bytes of the part. Default: counted.
   */
  add(part: string | Uint8Array, limit: number, length = sizeOf(part)): number {
    if (this.cut > 0) {
      this.cut += length ?? byteLength(part as string)
      return 0
    }
    const { heldBytes: before } = this
    const { kept, bytes, cut } = beginning(part, limit - this.bytes, length)
    this.#append(kept, bytes, limit)
    this.bytes += bytes
    this.cut = cut
    return this.heldBytes - before
  }

  #append(part: string | Uint8Array, bytes: number, limit: number): void {
    if (this.bytes === 0) {
      this.#only = typeof part === 'string' ? part : onItsOwn(part)
      return
    }
    if (!this.#joined) {
      this.#joined = new Joined()
      this.#joined.add(this.#only as string | Uint8Array, this.bytes, limit)
      this.#only = undefined
    }
    this.#joined.add(part, bytes, limit - this.bytes)
  }
}

/** Bytes that a block may have in advance. */
const reserve = 4096
const noBytes = new Uint8Array()

/**
 * Parts in blocks with room for more: a thousand small objects would weigh a hundred times as much. A block never grows,
 * as its copies would make the garbage collector go through the whole heap: five times in place of once for a thousand
 * streams of 100 deltas.
 */
class Joined {
  heldBytes = 0
  readonly #full: Uint8Array[] = []
  #last = noBytes
  /** Bytes of the last block that are in use. */
  #used = 0

  get text(): string {
    // A character may be split between two parts, and so between two blocks.
    const decoder = new TextDecoder()
    const blocks = [...this.#full, this.#last.subarray(0, this.#used)]
    return blocks.map((block) => decoder.decode(block, { stream: true })).join('') + decoder.decode()
  }

  /**
   * @param bytes Of the part.
   * @param most Bytes that may still come, with those of the part.
   */
  add(part: string | Uint8Array, bytes: number, most: number): void {
    if (this.#used + bytes > this.#last.length) {
      this.#full.push(this.#last.subarray(0, this.#used))
      this.#last = new Uint8Array(Math.max(bytes, Math.min(most, bytes + reserve)))
      this.#used = 0
      this.heldBytes += this.#last.length
    }
    const place = this.#last.subarray(this.#used)
    if (typeof part === 'string') encoder.encodeInto(part, place)
    else place.set(part)
    this.#used += bytes
  }
}

/** A small view of a large buffer would keep all of that alive. */
function onItsOwn(part: Uint8Array): Uint8Array {
  return part.byteLength < part.buffer.byteLength ? part.slice() : part
}

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
