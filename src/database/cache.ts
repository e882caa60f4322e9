/**
 * Values derived from one version of some rows, by name. The oldest goes when there are too many.
 */
const capacity = 200

export class Cache {
  readonly #values = new Map<string, unknown>()

  /** The value of this name, made when it is first asked for. */
  recall<Value>(name: string, make: () => Value): Value {
    if (this.#values.has(name)) return this.#values.get(name) as Value
    const value = make()
    const [oldest] = this.#values.size < capacity ? [] : this.#values.keys()
    if (oldest !== undefined) this.#values.delete(oldest)
    this.#values.set(name, value)
    return value
  }
}
