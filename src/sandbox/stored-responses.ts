/**
 * Responses that a sandbox keeps, for requests that go on from one: with the option `storedResponses` only.
 */

/** How many are kept; then the oldest go. */
const maxResponses = 1000
/** How many characters of conversations, as JSON. */
const maxCharacters = 16 * 1024 * 1024

interface Stored {
  /** The conversation up to and with the response, as JSON: what is kept is nobody else's object. */
  readonly items: string
}

export class StoredResponses {
  readonly #stored: Map<string, Stored>
  #characters: number

  constructor(stored: Iterable<[string, Stored]> = [], characters = 0) {
    this.#stored = new Map(stored)
    this.#characters = characters
  }

  /** Estimated bytes. */
  get weight(): number {
    return 100 * this.#stored.size + 2 * this.#characters
  }

  /** @param items The conversation, from its beginning to the output of this response. */
  keep(id: string, items: readonly unknown[]): void {
    this.#drop(id)
    const stored = { items: JSON.stringify(items) }
    this.#stored.set(id, stored)
    this.#characters += stored.items.length
    for (const [oldest] of this.#stored) {
      if (this.#stored.size <= maxResponses && this.#characters <= maxCharacters) break
      this.#drop(oldest)
    }
  }

  /** The conversation that a response ends; undefined for one that is not kept, or not any more. */
  find(id: string): unknown[] | undefined {
    const stored = this.#stored.get(id)
    return stored && JSON.parse(stored.items)
  }

  copy(): StoredResponses {
    return new StoredResponses(this.#stored, this.#characters)
  }

  #drop(id: string): void {
    this.#characters -= this.#stored.get(id)?.items.length ?? 0
    this.#stored.delete(id)
  }
}
