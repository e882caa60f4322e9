/**
 * What one gateway holds for its callers, in estimated bytes: journals, rows, rules, handles, of all its sandboxes.
 * Counted as things are kept; the memory of the process says little about it. The oldest records of calls go first;
 * where they are not enough, whoever wants to keep more is refused.
 */
import { GatewayError } from '../http/errors.ts'

/** What is let go to make room. */
export interface Droppable {
  dropOldest(): void
}

export class HeldBytes {
  readonly #limit: number
  #bytes = 0
  /** The records of calls, oldest first, and who keeps each. */
  readonly #records = new Map<object, Droppable>()
  /** Goes through who keeps them, by the age of the records: a new iterator would pass the places of all that are gone. */
  #byAge: Iterator<Droppable> | undefined
  /** Whatever else is held. */
  readonly #weights = new Map<object, number>()

  /** @param limit Bytes. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Estimated bytes. */
  get bytes(): number {
    return this.#bytes
  }

  /** The record of a call is kept from now on. */
  addRecord(record: object, keeper: Droppable): void {
    this.#records.set(record, keeper)
  }

  removeRecord(record: object): void {
    this.#records.delete(record)
  }

  /** More is held than before, or less. */
  grow(bytes: number): void {
    this.#bytes += bytes
    if (bytes > 0 && this.#bytes > this.#limit) this.#makeRoom(0)
  }

  /** Sets what something weighs as a whole. */
  weigh(thing: object, bytes: number): void {
    const before = this.#weights.get(thing) ?? 0
    if (bytes === 0) this.#weights.delete(thing)
    else this.#weights.set(thing, bytes)
    this.grow(bytes - before)
  }

  /** Throws 503 where so many more bytes would not find room. */
  assertRoom(bytes: number): void {
    this.#makeRoom(bytes)
    if (this.#bytes + bytes <= this.#limit) return
    const limit = `${Math.round(this.#limit / 1024 / 1024)} MB`
    throw new GatewayError(
      503,
      `This gateway holds as much as it may, ${limit}: reset or dispose of sandboxes, or raise maxHeldBytes (--max-memory)`,
    )
  }

  #makeRoom(bytes: number): void {
    while (this.#bytes + bytes > this.#limit) {
      this.#byAge ??= this.#records.values()
      const { value: keeper, done } = this.#byAge.next()
      if (done) {
        this.#byAge = undefined
        return
      }
      keeper.dropOldest()
    }
  }
}
