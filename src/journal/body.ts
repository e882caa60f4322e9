/**
 * Stores bodies for the journal: their first bytes, the number of truncated bytes, and a timeline of chunks.
 * Sizes are in UTF-8 bytes, as on the wire.
 */
import { byteLength } from '../lib/bytes.ts'

export class KeptBody {
  /**
   * The only part so far, unchanged, because most bodies have a single part. Bytes are not decoded, because
   * the garbage collector copies long strings twice but never copies bytes.
   */
  #single: string | Uint8Array | undefined
  #blocks: BlockBuffer | undefined
  /** Number of bytes stored. */
  bytes = 0
  /** Number of truncated bytes. */
  truncatedBytes = 0
  #isDropped = false

  /** The body as text. Invalid UTF-8 decodes to U+FFFD. */
  get text(): string {
    if (this.#blocks) return this.#blocks.text
    return typeof this.#single === 'object' ? decoder.decode(this.#single) : (this.#single ?? '')
  }

  /**
   * Appends as many whole characters of a part as fit. Returns the number of bytes added.
   *
   * @param limit Maximum size of the whole body in bytes.
   * @param length Part size in bytes.
   */
  add(part: string | Uint8Array, limit: number, length = byteLength(part)): number {
    if (this.truncatedBytes > 0 || this.#isDropped) {
      this.truncatedBytes += length
      return 0
    }
    const { kept, bytes, truncatedBytes } = truncate(part, limit - this.bytes, length)
    this.#append(kept, bytes)
    this.bytes += bytes
    this.truncatedBytes = truncatedBytes
    return bytes
  }

  /** Drops the body, including parts that are still to come. */
  drop(): void {
    this.#isDropped = true
    this.truncatedBytes += this.bytes
    this.bytes = 0
    this.#single = undefined
    this.#blocks = undefined
  }

  #append(part: string | Uint8Array, bytes: number): void {
    if (this.bytes === 0) {
      this.#single = typeof part === 'string' ? part : copyIfView(part)
      return
    }
    if (!this.#blocks) {
      this.#blocks = new BlockBuffer()
      this.#blocks.add(this.#single as string | Uint8Array, this.bytes)
      this.#single = undefined
    }
    this.#blocks.add(part, bytes)
  }
}

/** Number of spare bytes in a new block. */
const reserve = 4096
const noBytes = new Uint8Array()

/**
 * Stores parts in preallocated blocks, because a thousand small objects would take a hundred times the memory. Blocks
 * never grow: copying them makes the garbage collector scan the heap five times as often (measured with a thousand
 * streams of 100 deltas).
 */
class BlockBuffer {
  readonly #full: Uint8Array[] = []
  #last = noBytes
  /** Number of bytes used in the last block. */
  #used = 0

  get text(): string {
    // A character may be split across two parts, and therefore across two blocks.
    const decoder = new TextDecoder()
    const blocks = [...this.#full, this.#last.subarray(0, this.#used)]
    return blocks.map((block) => decoder.decode(block, { stream: true })).join('') + decoder.decode()
  }

  /** @param bytes Part size. */
  add(part: string | Uint8Array, bytes: number): void {
    if (this.#used + bytes > this.#last.length) {
      this.#full.push(this.#last.subarray(0, this.#used))
      this.#last = new Uint8Array(bytes + reserve)
      this.#used = 0
    }
    const place = this.#last.subarray(this.#used)
    if (typeof part === 'string') encoder.encodeInto(part, place)
    else place.set(part)
    this.#used += bytes
  }
}

/** Copies a view of a larger buffer, so that the buffer can be collected. */
function copyIfView(part: Uint8Array): Uint8Array {
  return part.byteLength < part.buffer.byteLength ? part.slice() : part
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

interface Truncated {
  kept: string | Uint8Array
  bytes: number
  /** Number of truncated bytes. */
  truncatedBytes: number
}

function truncate(part: string | Uint8Array, limit: number, length: number): Truncated {
  if (length <= limit) return { kept: part, bytes: length, truncatedBytes: 0 }
  return truncateText(typeof part === 'string' ? part : decoder.decode(part), limit)
}

function truncateText(text: string, limit: number): Truncated {
  const kept = new Uint8Array(limit)
  const { read, written } = encoder.encodeInto(text, kept)
  return { kept: kept.subarray(0, written), bytes: written, truncatedBytes: byteLength(text.slice(read)) }
}

/** A chunk of a reply body. */
export interface TimedPart {
  /** Real time since the request arrived, in milliseconds. */
  ms: number
  /** Offset in the body, in bytes. */
  offset: number
}

/** Maximum number of chunks to record. Later chunks are merged into the last one. */
const maxParts = 2000

/** Times at which a stream's chunks were sent. Chunks sent within the same millisecond are merged. */
export class Timeline {
  /** Each chunk's time in milliseconds and offset, alternating. */
  readonly #marks: number[]

  /** @param parts First chunk, or all chunks. */
  constructor(parts: readonly TimedPart[]) {
    this.#marks = parts.flatMap(({ ms, offset }) => [ms, offset])
  }

  /** Memory used, in bytes. */
  get bytes(): number {
    return this.#marks.length * 8
  }

  /** Records the start of a chunk. */
  mark(offset: number, ms: number): void {
    const last = this.#marks.at(-2) as number
    if (ms - last >= 1 && this.#marks.length < maxParts * 2) this.#marks.push(ms, offset)
  }

  parts(): TimedPart[] {
    const parts: TimedPart[] = []
    for (let index = 0; index < this.#marks.length; index += 2)
      parts.push({ ms: this.#marks[index] as number, offset: this.#marks[index + 1] as number })
    return parts
  }
}
