/** Thrown when a schema exceeds a limit. */
export class Exhausted extends Error {}

const maxSteps = 300_000

/**
 * Limits the work that a schema can cause. Counts steps instead of time, so that a schema produces the same result on
 * every machine. A step takes well under a microsecond.
 */
export class Budget {
  #steps = 0

  get isLow(): boolean {
    return this.#steps > maxSteps / 10
  }

  spend(steps: number): void {
    this.#steps += steps
    if (!(this.#steps <= maxSteps))
      throw new Exhausted('a value is too large, or takes too many steps to find')
  }
}
