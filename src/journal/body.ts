/**
 * A body in the journal: its first bytes, the number of bytes that were cut, and the time line of its parts. Sizes are
 * in bytes of UTF-8, as on the wire.
 */
import { byteLength } from '../lib/bytes.ts'

/** A body as an entry shows it. */
export interface KeptText {
  /** The body, or its beginning. */
  text: string
  /** Number of bytes that were cut. */
  cut: number
}

export class KeptBody {
  /**
   * The first part as it is: most bodies have one. Bytes stay bytes: the garbage collector would copy a long string
   * twice, and never copies bytes.
   */
  #only: string | Uint8Array | undefined
  #joined: Joined | undefined
  /** Bytes that are kept. */
  bytes = 0
  /** Bytes that were cut. */
  cut = 0

  /** Bytes that are not UTF-8 are read as U+FFFD. */
  get text(): string {
    if (this.#joined) return this.#joined.text
    return typeof this.#only === 'object' ? decoder.decode(this.#only) : (this.#only ?? '')
  }

  /**
   * Adds a part, or as many whole characters of it as fit. Returns the number of bytes added.
   *
   * @param limit Maximum bytes of the whole body.
   * @param length Bytes of the part.
   */
  add(part: string | Uint8Array, limit: number, length = byteLength(part)): number {
    if (this.cut > 0) {
      this.cut += length
      return 0
    }
    const { kept, bytes, cut } = beginning(part, limit - this.bytes, length)
    this.#append(kept, bytes, limit)
    this.bytes += bytes
    this.cut = cut
    return bytes
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

/** Bytes that a block may have in reserve. */
const reserve = 4096
const noBytes = new Uint8Array()

/**
 * Parts in blocks with room for more: a thousand small objects would take a hundred times the memory. A block never
 * grows, as its copies would make the garbage collector scan the whole heap: five times instead of once for a thousand
 * streams of 100 deltas.
 */
class Joined {
  readonly #full: Uint8Array[] = []
  #last = noBytes
  /** Bytes in use of the last block. */
  #used = 0

  get text(): string {
    // A character may be split between two parts, and so between two blocks.
    const decoder = new TextDecoder()
    const blocks = [...this.#full, this.#last.subarray(0, this.#used)]
    return blocks.map((block) => decoder.decode(block, { stream: true })).join('') + decoder.decode()
  }

  /**
   * @param bytes Bytes of the part.
   * @param most Maximum bytes still to come, including the part.
   */
  add(part: string | Uint8Array, bytes: number, most: number): void {
    if (this.#used + bytes > this.#last.length) {
      this.#full.push(this.#last.subarray(0, this.#used))
      this.#last = new Uint8Array(Math.max(bytes, Math.min(most, bytes + reserve)))
      this.#used = 0
    }
    const place = this.#last.subarray(this.#used)
    if (typeof part === 'string') encoder.encodeInto(part, place)
    else place.set(part)
    this.#used += bytes
  }
}

/** Copies a view of a larger buffer, which would keep all of that alive. */
function onItsOwn(part: Uint8Array): Uint8Array {
  return part.byteLength < part.buffer.byteLength ? part.slice() : part
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()
/** Encoding into this counts the bytes, without making them. */
const scratch = new Uint8Array(64 * 1024)

interface Beginning {
  kept: string | Uint8Array
  bytes: number
  /** Bytes of the part that are cut. */
  cut: number
}

function beginning(part: string | Uint8Array, limit: number, length: number): Beginning {
  if (length <= limit) return { kept: part, bytes: length, cut: 0 }
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

/** Copies a slice: an engine keeps the whole string in memory as long as a slice of it is in use. */
function detached(slice: string): string {
  return decoder.decode(encoder.encode(slice))
}

/** A part of a reply's body. */
export interface TimedPart {
  /** Real milliseconds since the request arrived. */
  ms: number
  /** Offset in the body, in bytes. */
  offset: number
}

/** Maximum number of parts; later ones count as one. */
export const maxParts = 2000

/** When the parts of a stream were sent. Parts sent within a millisecond are one. */
export class Timeline {
  /** Milliseconds and offset of each part, alternating. */
  readonly #marks: number[]

  constructor(firstMs: number) {
    this.#marks = [firstMs, 0]
  }

  static from(parts: readonly TimedPart[]): Timeline {
    const timeline = new Timeline(0)
    timeline.#marks.splice(0, 2, ...parts.flatMap(({ ms, offset }) => [ms, offset]))
    return timeline
  }

  /** Adds the beginning of a part. */
  mark(offset: number, ms: number): void {
    const last = this.#marks.at(-2) ?? 0
    if (ms - last >= 1 && this.#marks.length < maxParts * 2) this.#marks.push(ms, offset)
  }

  parts(): TimedPart[] {
    const parts: TimedPart[] = []
    for (let index = 0; index < this.#marks.length; index += 2)
      parts.push({ ms: this.#marks[index] as number, offset: this.#marks[index + 1] as number })
    return parts
  }
}
