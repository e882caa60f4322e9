/** A map that forgets its oldest keys. A key is as old as its last `set`. */
export class RecentMap<Value> {
  readonly #capacity: number
  readonly #values: Map<string, Value>

  constructor(capacity: number, values: Iterable<readonly [string, Value]> = []) {
    this.#capacity = capacity
    this.#values = new Map(values)
  }

  get isEmpty(): boolean {
    return this.#values.size === 0
  }

  get(key: string): Value | undefined {
    return this.#values.get(key)
  }

  /** Forgets half of the keys at once, because finding the oldest takes time in proportion to the forgotten ones. */
  set(key: string, value: Value): void {
    this.#values.delete(key)
    if (this.#values.size >= this.#capacity)
      for (const old of [...this.#values.keys()].slice(0, this.#capacity / 2)) this.#values.delete(old)
    this.#values.set(key, value)
  }

  copy(): RecentMap<Value> {
    return new RecentMap(this.#capacity, this.#values)
  }
}
