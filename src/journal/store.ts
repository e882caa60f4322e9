/**
 * All calls that a gateway keeps, whatever their sandbox. The oldest are evicted first.
 */
import type { CallRecord } from './call-record.ts'

export interface JournalLimits {
  /** Maximum number of calls. */
  entries: number
  /** Maximum number of bytes of their bodies together. */
  bytes: number
  /** Maximum number of bytes of one body; the rest is cut, and counted. */
  bodyBytes: number
}

/** Lists some of the calls, in the same order. */
interface Evictable {
  /** Removes its oldest call. */
  evict(): void
}

export class JournalStore {
  readonly limits: JournalLimits
  /** Oldest first, each with the journal that lists it. */
  readonly #kept = new Map<CallRecord, Evictable>()
  /** Walks the journals by the age of their calls: a new iterator would pass the places of all removed calls. */
  #byAge: Iterator<Evictable> | undefined
  #bytes = 0

  constructor(limits: JournalLimits) {
    this.limits = limits
  }

  add(record: CallRecord, journal: Evictable): void {
    this.#kept.set(record, journal)
    this.grow(record.bodyBytes)
  }

  /** A kept call has more bytes than before. */
  grow(bytes: number): void {
    this.#bytes += bytes
    const { limits } = this
    while (this.#kept.size > limits.entries || (this.#bytes > limits.bytes && this.#kept.size > 1))
      this.#evict()
  }

  remove(record: CallRecord): void {
    if (this.#kept.delete(record)) this.#bytes -= record.bodyBytes
  }

  #evict(): void {
    this.#byAge ??= this.#kept.values()
    const { value, done } = this.#byAge.next()
    if (done) this.#byAge = undefined
    else value.evict()
  }
}
