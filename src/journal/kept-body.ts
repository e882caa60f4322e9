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
  /** Several parts in one piece, with room for more: a thousand small objects would weigh a hundred times as much. */
  #joined: Uint8Array | undefined
  /** Bytes that are kept. */
  bytes = 0
  /** Bytes that are not. */
  cut = 0

  /** Bytes that are no text are what they would read as. */
  get text(): string {
    if (this.#joined) return decoder.decode(this.#joined.subarray(0, this.bytes))
    return typeof this.#only === 'object' ? decoder.decode(this.#only) : (this.#only ?? '')
  }

  /** Bytes of memory, those in reserve included. */
  get heldBytes(): number {
    return this.#joined?.byteLength ?? this.bytes
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
    const { bytes: before } = this
    let joined = this.#joined
    if (!joined || joined.byteLength < before + bytes) {
      const bigger = new Uint8Array(Math.max(before + bytes, Math.min(limit, 2 * before, before + reserve)))
      write(joined ?? (this.#only as string | Uint8Array), bigger, 0)
      joined = bigger
      this.#joined = bigger
      this.#only = undefined
    }
    write(part, joined, before)
  }
}

/** Bytes that a body may be given in advance. */
const reserve = 4096

function write(part: string | Uint8Array, into: Uint8Array, at: number): void {
  if (typeof part === 'string') encoder.encodeInto(part, into.subarray(at))
  else into.set(part.length > into.length - at ? part.subarray(0, into.length - at) : part, at)
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
