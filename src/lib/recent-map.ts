/** A map that forgets old keys and shares its entries with its copies. Values must not be modified. */
export class RecentMap<Value> {
  /** Maximum number of keys per generation. Two generations are kept. */
  readonly #capacity: number
  /** Layers shared with copies and never modified, newest last. Each is less than half as large as the previous one. */
  #layers: readonly ReadonlyMap<string, Value>[]
  #newest = new Map<string, Value>()

  constructor(capacity: number, layers: readonly ReadonlyMap<string, Value>[] = []) {
    this.#capacity = capacity
    this.#layers = layers
  }

  get isEmpty(): boolean {
    return this.#newest.size + this.#layers.length === 0
  }

  get(key: string): Value | undefined {
    return this.#newest.get(key) ?? this.#layers.findLast((layer) => layer.has(key))?.get(key)
  }

  set(key: string, value: Value): void {
    if (this.#newest.size >= this.#capacity) {
      this.#layers = [this.#newest]
      this.#newest = new Map()
    }
    this.#newest.set(key, value)
  }

  copy(): RecentMap<Value> {
    if (this.#newest.size > 0) {
      const size = this.#layers.reduce((sum, layer) => sum + layer.size, this.#newest.size)
      const layers = size > 2 * this.#capacity ? [] : [...this.#layers]
      let newest: ReadonlyMap<string, Value> = this.#newest
      while ((layers.at(-1)?.size ?? Infinity) <= 2 * newest.size)
        newest = new Map([...(layers.pop() ?? []), ...newest])
      this.#layers = [...layers, newest]
      this.#newest = new Map()
    }
    return new RecentMap(this.#capacity, this.#layers)
  }
}
