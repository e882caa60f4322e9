/**
 * How often the same request came before: what tells equal requests apart without asking when they came.
 */

/** Distinct requests that are remembered; the one that came first goes first, and would then count anew. */
const capacity = 100_000

export class Occurrences {
  /** Counts that a fork looks at too, and so nobody changes. */
  #shared: ReadonlyMap<string, number> | undefined
  /** Made for the first request: many a fork gets none. */
  #counts: Map<string, number> | undefined
  /** Goes through the counts, the oldest first: a new iterator would pass the places of all that are forgotten. */
  #byAge: Iterator<string> | undefined

  /** How often this came before; 0 the first time. */
  next(contentKey: string): number {
    this.#counts ??= new Map()
    const before = this.#counts.get(contentKey) ?? this.#shared?.get(contentKey) ?? 0
    if (before === 0 && this.#counts.size >= capacity) {
      this.#byAge ??= this.#counts.keys()
      this.#counts.delete(this.#byAge.next().value)
    }
    this.#counts.set(contentKey, before + 1)
    return before
  }

  /** The counts, as data. */
  toJSON(): Record<string, number> {
    return Object.fromEntries([...(this.#shared ?? []), ...(this.#counts ?? [])])
  }

  static from(counts: Readonly<Record<string, number>>): Occurrences {
    const occurrences = new Occurrences()
    occurrences.#counts = new Map(Object.entries(counts).slice(-capacity))
    return occurrences
  }

  /** The same counts, which go their own way from now on. */
  fork(): Occurrences {
    if (this.#counts) this.#shared = this.#shared ? newest(this.#shared, this.#counts) : this.#counts
    this.#counts = undefined
    this.#byAge = undefined
    const fork = new Occurrences()
    fork.#shared = this.#shared
    return fork
  }
}

function newest(older: ReadonlyMap<string, number>, newer: ReadonlyMap<string, number>): Map<string, number> {
  const merged = new Map([...older, ...newer])
  for (const key of merged.keys()) {
    if (merged.size <= capacity) break
    merged.delete(key)
  }
  return merged
}
