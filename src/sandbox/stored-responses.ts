/** Stores responses that later requests can continue. */

const maxResponses = 1000
/** Maximum total size of stored conversations, in characters of JSON. */
const maxCharacters = 16 * 1024 * 1024

interface Stored {
  /** The conversation, including the response. Stored as JSON, so that no caller can modify it. */
  readonly items: string
  readonly ids: readonly string[]
}

interface StoredItem {
  readonly id?: unknown
}

export class StoredResponses {
  readonly #stored: Map<string, Stored>
  #characters: number

  constructor(stored: Iterable<[string, Stored]> = [], characters = 0) {
    this.#stored = new Map(stored)
    this.#characters = characters
  }

  /** @param items The whole conversation, including this response's output. */
  keep(id: string, items: readonly StoredItem[]): void {
    this.#drop(id)
    const ids = items.flatMap((item) => (typeof item.id === 'string' ? [item.id] : []))
    const stored = { items: JSON.stringify(items), ids }
    this.#stored.set(id, stored)
    this.#characters += stored.items.length
    for (const [oldest] of this.#stored) {
      if (this.#stored.size <= maxResponses && this.#characters <= maxCharacters) break
      this.#drop(oldest)
    }
  }

  find(id: string): unknown[] | undefined {
    const stored = this.#stored.get(id)
    return stored && JSON.parse(stored.items)
  }

  /** Maps each id to the item directly before the item with that id. */
  before(ids: Iterable<string>): Map<string, unknown> {
    return this.items(ids, -1)
  }

  /** Finds items by id, in the newest conversation that contains them. Unknown ids are omitted. */
  items(ids: Iterable<string>, distance = 0): Map<string, unknown> {
    const missing = new Set(ids)
    const result = new Map<string, unknown>()
    for (const stored of [...this.#stored.values()].reverse()) {
      if (!stored.ids.some((id) => missing.has(id))) continue
      const items = JSON.parse(stored.items) as StoredItem[]
      for (const [place, { id }] of items.entries())
        if (typeof id === 'string' && missing.delete(id)) result.set(id, items[place + distance])
    }
    return result
  }

  copy(): StoredResponses {
    return new StoredResponses(this.#stored, this.#characters)
  }

  #drop(id: string): void {
    this.#characters -= this.#stored.get(id)?.items.length ?? 0
    this.#stored.delete(id)
  }
}
