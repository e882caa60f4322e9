/** Sandbox time. To be reproducible, body timestamps advance 1 ms per request. Elapsed time is scaled real time. */
import { type Duration, toMilliseconds } from './numbers.ts'
import { shown } from './schema-messages.ts'

/** Initial sandbox time. All fixture dates are earlier. */
const clockStart = Date.UTC(2026, 0, 1)

/** Maximum total advance. ISO dates after the year 9999 have a different format. */
const maxAdvancedMs = Date.UTC(9900, 0, 1) - clockStart

/** Maximum delay of a timer, almost 25 days. Longer timers fire immediately. */
export const maxTimerMs = 2 ** 31 - 1

export interface ClockReading {
  /** Sandbox time in ISO 8601 format. */
  now: string
  /** Milliseconds of sandbox time since the sandbox was created or reset. */
  elapsedMs: number
}

export class Clock {
  readonly #system: boolean
  readonly #timeScale: number
  #steps = 0
  #advanced = 0
  #origin = monotonic()
  #lastRead = this.#origin

  constructor({ clock, timeScale = 1 }: { clock?: 'fixed' | 'system'; timeScale?: number } = {}) {
    this.#system = clock === 'system'
    this.#timeScale = timeScale
  }

  step(): number {
    this.#steps++
    return this.now()
  }

  /** Returns sandbox time for bodies, as Unix time in milliseconds. */
  now(): number {
    return (this.#system ? Date.now() : clockStart + this.#steps) + this.#advanced
  }

  /** Returns milliseconds since the start: real time multiplied by `timeScale`, plus all advances. */
  elapsed(): number {
    const real = monotonic()
    // Fake timers restart at zero, but sandbox time continues from its last value.
    this.#origin -= Math.max(0, this.#lastRead - real)
    this.#lastRead = real
    return (real - this.#origin) * this.#timeScale + this.#advanced
  }

  read(): ClockReading {
    return { now: new Date(this.now()).toISOString(), elapsedMs: this.elapsed() }
  }

  /** Advances sandbox time at once. Throws a `RangeError` if the duration is invalid or extends past the year 9900. */
  advance(duration: Duration): ClockReading {
    const ms = toMilliseconds(duration)
    if (!(ms >= 0 && this.#advanced + ms <= maxAdvancedMs))
      throw new RangeError(
        `clock.advance(): expected 0 or more milliseconds, or a duration such as '1m', up to the year 9900, but got ${shown(duration)}`,
      )
    this.#advanced += ms
    return this.read()
  }

  /** Uses the current global timers, so a test runner's fake timers control it. Aborting `signal` ends the wait. */
  wait(ms: number, signal?: AbortSignal): Promise<void> | undefined {
    const real = ms * this.#timeScale
    if (!(real > 0) || signal?.aborted) return undefined
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, Math.min(real, maxTimerMs))
      signal?.addEventListener('abort', done)
    })
  }

  /** Begins consecutive waits. Each wait starts when the previous one was due, so delays do not accumulate. */
  pace() {
    const timeScale = this.#timeScale
    let due = monotonic()
    let current: { timer: ReturnType<typeof setTimeout>; done: () => void } | undefined
    let hasEnded = false
    return {
      /** Takes a callback, which costs less than a promise. If the result is 0 or less, `done` is not called. */
      begin(ms: number, done: () => void): number {
        const real = ms * timeScale
        // Real timers fire up to two milliseconds early. More indicates fake timers with a real performance.now().
        const early = due - monotonic()
        const left = early > 2 ? real : real + early
        due += real
        if (!(real > 0) || hasEnded) return 0
        if (left > 0) current = { done, timer: setTimeout(done, Math.min(left, maxTimerMs)) }
        return left
      },
      /** Ends the current wait, calls its callback immediately, and skips later waits. */
      end(): void {
        hasEnded = true
        clearTimeout(current?.timer)
        current?.done()
      },
    }
  }

  snapshot() {
    return { steps: this.#steps, advanced: this.#advanced, elapsed: this.elapsed() }
  }

  restore({ steps, advanced, elapsed }: ReturnType<Clock['snapshot']>): void {
    this.#steps = steps
    this.#advanced = advanced
    const real = this.#timeScale > 0 ? (elapsed - advanced) / this.#timeScale : 0
    this.#lastRead = monotonic()
    this.#origin = this.#lastRead - real
  }
}

export function monotonic(): number {
  return performance.now()
}

/** Returns the real time, which the mocked API's replies do not use. */
export function wallClock(): Date {
  return new Date()
}
