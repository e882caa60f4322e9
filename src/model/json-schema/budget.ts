/**
 * Limits the work that a schema can cause. Counts operations instead of time, so that a schema produces the same
 * result on every machine. A step takes well under a microsecond.
 */
const limits = {
  'schema parts': 100_000,
  /** Number of objects, arrays and scalars. */
  parts: 10_000,
  characters: 200_000,
  'steps to find a value': 500_000,
}

/** Thrown when a schema exceeds a limit. */
export class Exhausted extends Error {
  override name = 'Exhausted'
}

export class Budget {
  #used: Partial<Record<keyof typeof limits, number>> = {}

  get parts(): number {
    return this.#used.parts ?? 0
  }

  spend(unit: keyof typeof limits, count = 1): void {
    const used = (this.#used[unit] ?? 0) + count
    if (!(used <= limits[unit])) throw new Exhausted(`more than ${limits[unit]} ${unit}`)
    this.#used[unit] = used
  }

  step(count?: number): void {
    this.spend('steps to find a value', count)
  }

  restart(): void {
    this.#used = {}
  }
}
