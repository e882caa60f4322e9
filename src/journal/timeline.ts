/**
 * When the parts of a reply left: what shows a stream at its own pace. Parts that left within one millisecond are one.
 */

/** A part of a reply's body. */
export interface TimedPart {
  /** Real milliseconds from the arrival of the request. */
  ms: number
  /** Bytes of the body before it. */
  offset: number
}

/** Of one reply; later parts are not told apart. */
const maxParts = 2000
/** What one part takes in memory. */
const bytesOfPart = 16

export class Timeline {
  /** Milliseconds and offset of each part, in turn. */
  readonly #marks: number[]

  constructor(firstMs: number) {
    this.#marks = [firstMs, 0]
  }

  /** Estimated bytes of memory. */
  get heldBytes(): number {
    return (this.#marks.length / 2 - 1) * bytesOfPart
  }

  /** A part begins. Returns how many bytes it takes to remember that. */
  mark(offset: number, ms: number): number {
    const last = this.#marks.at(-2) ?? 0
    if (ms - last < 1 || this.#marks.length >= maxParts * 2) return 0
    this.#marks.push(ms, offset)
    return bytesOfPart
  }

  parts(): TimedPart[] {
    const parts: TimedPart[] = []
    for (let index = 0; index < this.#marks.length; index += 2)
      parts.push({ ms: this.#marks[index] as number, offset: this.#marks[index + 1] as number })
    return parts
  }
}
