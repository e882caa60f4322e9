/**
 * What one generated value may cost. Everything is counted, nothing is timed, so the same schema ends the same way on
 * every machine. One step takes well under a microsecond.
 */

/** A list, an object, a string: what the value consists of. */
const maxNodes = 10_000
const maxCharacters = 200_000
/** Levels of the value, and of references that lead on without adding one. */
const maxDepth = 400
const maxSteps = 500_000

/** Thrown where a schema asks for more than the double gives. */
export class Exhausted extends Error {
  override name = 'Exhausted'
}

export class Budget {
  nodes = 0
  #characters = 0
  #steps = 0
  #depth = 0

  node(): void {
    if (++this.nodes > maxNodes) throw new Exhausted(`a value of more than ${maxNodes} parts`)
  }

  characters(count: number): void {
    this.#characters += count
    if (!(this.#characters <= maxCharacters)) throw new Exhausted(`more than ${maxCharacters} characters`)
  }

  step(count = 1): void {
    this.#steps += count
    if (!(this.#steps <= maxSteps)) throw new Exhausted(`more than ${maxSteps} steps to find a value`)
  }

  /** Runs something one level deeper. */
  deeper<Result>(run: () => Result): Result {
    if (++this.#depth > maxDepth) throw new Exhausted(`more than ${maxDepth} levels`)
    try {
      return run()
    } finally {
      this.#depth--
    }
  }
}
