/** Stores bodies for the journal. Sizes are in UTF-8 bytes, as on the wire. */
import { toBytes } from '../http/encode.ts'
import { byteLength, joinBytes } from '../lib/bytes.ts'

/** Maximum number of parts to store separately: a one-byte part takes 200 bytes of memory. */
const maxParts = 1000

export class KeptBody {
  #parts: Uint8Array[] = []
  bytes = 0
  truncatedBytes = 0

  get text(): string {
    this.end()
    return decoder.decode(this.#parts[0])
  }

  /** Appends as many whole characters of a part as fit into a body of `limit` bytes. */
  add(part: string | Uint8Array, limit: number, length = byteLength(part)): void {
    const room = this.truncatedBytes > 0 ? 0 : limit - this.bytes
    const kept = length <= room ? toBytes(part) : beginning(part, room)
    this.truncatedBytes += length - kept.length
    if (kept.length === 0) return
    this.bytes += kept.length
    // A copy, so that the buffer behind a view can be collected.
    this.#parts.push(kept.length < kept.buffer.byteLength ? kept.slice() : kept)
    if (this.#parts.length > maxParts) this.end()
  }

  end(): void {
    if (this.#parts.length > 1) this.#parts = [joinBytes(this.#parts)]
  }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

function beginning(part: string | Uint8Array, bytes: number): Uint8Array {
  const kept = new Uint8Array(bytes)
  const text = typeof part === 'string' ? part : decoder.decode(part)
  return kept.subarray(0, new TextEncoder().encodeInto(text, kept).written)
}
