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
  /** The ids of its items. */
  readonly ids: readonly string[]
}

/** An item of a conversation, as far as it is looked at here. */
interface StoredItem {
  readonly id?: unknown
}

export class StoredResponses {
  readonly #stored: Map<string, Stored>
  /** The newest response whose conversation has the item, by the id of the item. */
  readonly #holders = new Map<string, string>()
  #characters: number

  constructor(stored: Iterable<[string, Stored]> = [], characters = 0) {
    this.#stored = new Map(stored)
    for (const [id, { ids }] of this.#stored) for (const item of ids) this.#holders.set(item, id)
    this.#characters = characters
  }

  /** @param items The conversation, from its beginning to the output of this response. */
  keep(id: string, items: readonly StoredItem[]): void {
    this.#drop(id)
    const ids = items.flatMap((item) => (typeof item.id === 'string' ? [item.id] : []))
    const stored = { items: JSON.stringify(items), ids }
    this.#stored.set(id, stored)
    for (const item of ids) this.#holders.set(item, id)
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

  /** Items of kept conversations by their ids; those that are not kept are left out. */
  items(ids: Iterable<string>): Map<string, unknown> {
    const found = new Map<string, unknown>()
    for (const id of ids) {
      if (found.has(id)) continue
      const holder = this.#holders.get(id)
      // One conversation has many of the items that are asked for together.
      // mutation: equivalent: for the types; the holder of an item is stored
      for (const item of (holder === undefined ? [] : (this.find(holder) ?? [])) as StoredItem[])
        if (typeof item.id === 'string') found.set(item.id, item)
    }
    return found
  }

  copy(): StoredResponses {
    return new StoredResponses(this.#stored, this.#characters)
  }

  #drop(id: string): void {
    const { items = '', ids = [] } = this.#stored.get(id) ?? {}
    this.#characters -= items.length
    for (const item of ids) if (this.#holders.get(item) === id) this.#holders.delete(item)
    this.#stored.delete(id)
  }
}
