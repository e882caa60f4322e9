export class Exhausted extends Error {}

/** Maximum number of steps, enough for a schema with 2,500 required fields. */
const maxSteps = 150_000

/** Limits steps instead of time, so that the result is the same on every machine. */
export class Budget {
  #steps = 0

  /** If true, the rest of the value should be as small as possible. */
  get isLow(): boolean {
    return this.#steps > 20_000
  }

  spend(steps: number): void {
    this.#steps += steps
    if (!(this.#steps <= maxSteps))
      throw new Exhausted('a value is too large, or takes too many steps to find')
  }
}
