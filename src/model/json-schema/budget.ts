/**
 * Limits the work that a schema can cause. Counts operations instead of time, so that a schema produces the same
 * result on every machine. A step takes well under a microsecond.
 */
const limits = {
  'schema parts': 100_000,
  /** Number of objects, arrays and scalars. */
  parts: 10_000,
  characters: 200_000,
  /** Nesting depth of the value, including references and alternatives. */
  levels: 200,
  'steps to find a value': 500_000,
}

/** Thrown when a schema exceeds a limit. */
export class Exhausted extends Error {
  override name = 'Exhausted'
}

export class Budget {
  readonly #used = { 'schema parts': 0, parts: 0, characters: 0, levels: 0, 'steps to find a value': 0 }

  get parts(): number {
    return this.#used.parts
  }

  spend(unit: keyof typeof limits, count = 1): void {
    this.#used[unit] += count
    if (!(this.#used[unit] <= limits[unit])) throw new Exhausted(`more than ${limits[unit]} ${unit}`)
  }

  step(count?: number): void {
    this.spend('steps to find a value', count)
  }

  /** Forgets everything spent, except on reading the schema. */
  restart(): void {
    Object.assign(this.#used, { parts: 0, characters: 0, levels: 0, 'steps to find a value': 0 })
  }

  /** Runs a function one or more nesting levels deeper. */
  deeper<Result>(run: () => Result, levels = 1): Result {
    this.spend('levels', levels)
    try {
      return run()
    } finally {
      this.#used.levels -= levels
    }
  }
}
