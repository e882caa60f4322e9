/**
 * Counts what others hold on to, and never say when they let go of it: until it has been collected.
 */
export class UntilCollected {
  #bytes = 0
  /** Made for the first thing: most have none. */
  #registry: FinalizationRegistry<number> | undefined
  readonly #known = new WeakSet<object>()

  /** Estimated bytes. */
  get bytes(): number {
    return this.#bytes
  }

  /** Counts a thing, once. */
  add(thing: object, bytes: number): void {
    if (this.#known.has(thing)) return
    this.#known.add(thing)
    this.#bytes += bytes
    this.#registry ??= new FinalizationRegistry((freed) => {
      this.#bytes -= freed
    })
    this.#registry.register(thing, bytes)
  }

  /** Leaves out what is counted elsewhere. */
  skip(thing: object): void {
    this.#known.add(thing)
  }
}
