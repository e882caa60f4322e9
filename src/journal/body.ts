/** Stores bodies for the journal. Sizes are in UTF-8 bytes, as on the wire. */
import { byteLength } from '../lib/bytes.ts'

/** Maximum number of parts to store separately: a part of one byte takes 200 bytes of memory. */
const maxParts = 1000

export class KeptBody {
  #parts: (string | Uint8Array)[] = []
  bytes = 0
  truncatedBytes = 0

  get text(): string {
    this.end()
    const [body = ''] = this.#parts
    return typeof body === 'string' ? body : decoder.decode(body)
  }

  /** Appends as many whole characters of a part as fit into a body of `limit` bytes. */
  add(part: string | Uint8Array, limit: number, length = byteLength(part)): void {
    const room = this.truncatedBytes > 0 ? 0 : limit - this.bytes
    const kept = length <= room ? part : beginning(part, room)
    const bytes = length <= room ? length : kept.length
    this.truncatedBytes += length - bytes
    if (bytes === 0) return
    this.bytes += bytes
    // A copy, so that the buffer behind a view can be collected.
    this.#parts.push(typeof kept === 'object' && kept.length < kept.buffer.byteLength ? kept.slice() : kept)
    if (this.#parts.length > maxParts) this.end()
  }

  /** Joins the parts as bytes, because the garbage collector copies long strings, but never bytes. */
  end(): void {
    if (this.#parts.length < 2) return
    const body = new Uint8Array(this.bytes)
    let used = 0
    for (const part of this.#parts) {
      if (typeof part === 'string') used += encoder.encodeInto(part, body.subarray(used)).written
      else {
        body.set(part, used)
        used += part.length
      }
    }
    this.#parts = [body]
  }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

function beginning(part: string | Uint8Array, bytes: number): Uint8Array {
  const kept = new Uint8Array(bytes)
  const text = typeof part === 'string' ? part : decoder.decode(part)
  return kept.subarray(0, encoder.encodeInto(text, kept).written)
}
