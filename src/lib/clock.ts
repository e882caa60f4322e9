/**
 * Sandbox time. The only file that reads a real clock.
 *
 * Two times: the time of bodies (`now`), fixed and stepping by one millisecond a request, so that it can be
 * repeated; and elapsed time, for windows, outages and idle ages, which is real, scaled, and can be advanced.
 */

import { type Duration, toMilliseconds } from './numbers.ts'

/** 2026-01-01T00:00:00Z; all fixture dates lie before it. */
const start = Date.UTC(2026, 0, 1)

/** Ten years, the longest step of a clock. */
export const maxAdvanceMs = 10 * 366 * 24 * 60 * 60 * 1000

/** Dates after the year 9999 have another form; a century is left for steps and for the machine's own time. */
export const maxAdvancedMs = Date.UTC(9900, 0, 1) - start

/** Timers fire at once where they are given more: 25 days. */
export const maxTimerMs = 2 ** 31 - 1

export interface ClockOptions {
  /** `fixed` starts at 2026-01-01T00:00:00Z and steps 1 ms a request; `system` is the machine's. Default: `fixed`. */
  clock?: 'fixed' | 'system' | undefined
  /** Factor on waits and on elapsed real time; 0 makes every wait instant. Default: 1. */
  timeScale?: number | undefined
}

export interface ClockReading {
  /** ISO 8601. */
  now: string
  /** Milliseconds of sandbox time since the sandbox was made or reset. */
  elapsedMs: number
}

export interface ClockSnapshot {
  readonly steps: number
  readonly advanced: number
  readonly elapsed: number
}

export class Clock {
  readonly #system: boolean
  readonly #timeScale: number
  #steps = 0
  #advanced = 0
  #origin = monotonic()
  #lastRead = this.#origin

  constructor({ clock = 'fixed', timeScale = 1 }: ClockOptions = {}) {
    this.#system = clock === 'system'
    this.#timeScale = timeScale
  }

  /** Moves on by one request and tells the time, in milliseconds since 1970. */
  step(): number {
    this.#steps++
    return this.now()
  }

  /** The time that bodies carry, in milliseconds since 1970. */
  now(): number {
    return (this.#system ? Date.now() : start + this.#steps) + this.#advanced
  }

  /** Milliseconds of sandbox time since the start: real time times `timeScale`, plus what was advanced. */
  elapsed(): number {
    const real = monotonic()
    // The fake timers of a test runner begin at zero again; sandbox time goes on from where it was.
    if (real < this.#lastRead) this.#origin -= this.#lastRead - real
    this.#lastRead = real
    return (real - this.#origin) * this.#timeScale + this.#advanced
  }

  read(): ClockReading {
    return { now: new Date(this.now()).toISOString(), elapsedMs: this.elapsed() }
  }

  /**
   * Moves sandbox time forward at once: quotas refill, outages end, timestamps move on.
   *
   * @param duration Milliseconds or `'1m'`, ten years at most. Throws a `RangeError` for others, and where no calendar
   * has such a day any more; the clock then stays where it was.
   */
  advance(duration: Duration): ClockReading {
    const ms = toMilliseconds(duration)
    if (!(ms >= 0 && ms <= maxAdvanceMs))
      throw new RangeError(
        `clock.advance takes milliseconds from 0 to ten years, or a duration such as '1m', not ${duration}`,
      )
    if (this.#advanced + ms > maxAdvancedMs)
      throw new RangeError('clock.advance has come to the end of the calendar')
    this.#advanced += ms
    return this.read()
  }

  /**
   * Waits in sandbox time. Uses the timers of the moment, so the fake timers of a test runner drive it.
   *
   * @param ms Milliseconds, zero or more; multiplied by `timeScale`.
   * @param signal Ends the wait early; the promise then resolves all the same.
   */
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

  /** Waits that follow on one another, by callback. */
  pace(): Waits {
    return new Waits(this.#timeScale)
  }

  /**
   * The same by promise; undefined where there is nothing to wait for.
   *
   * @param signal Ends the wait that is under way, and every later one.
   */
  waits(signal?: AbortSignal): (ms: number) => Promise<void> | undefined {
    const waits = this.pace()
    let isFirst = true
    return (ms) => {
      if (signal?.aborted) return undefined
      if (isFirst) signal?.addEventListener('abort', () => waits.end(), { once: true })
      isFirst = false
      const { promise, resolve } = Promise.withResolvers<void>()
      return waits.begin(ms, resolve) > 0 ? promise : undefined
    }
  }

  /** This moment, to go back to or to begin from. */
  snapshot(): ClockSnapshot {
    return { steps: this.#steps, advanced: this.#advanced, elapsed: this.elapsed() }
  }

  restore({ steps, advanced, elapsed }: ClockSnapshot): void {
    this.#steps = steps
    this.#advanced = advanced
    const real = this.#timeScale > 0 ? (elapsed - advanced) / this.#timeScale : 0
    this.#lastRead = monotonic()
    this.#origin = this.#lastRead - real
  }

  reset(): void {
    this.#steps = 0
    this.#advanced = 0
    this.#lastRead = monotonic()
    this.#origin = this.#lastRead
  }
}

/**
 * Waits that follow on one another, as those of a stream do. Each begins when the one before was due, not when that
 * was noticed, so that a busy machine delays single events and not the whole stream more and more.
 */
export class Waits {
  readonly #timeScale: number
  #due = monotonic()
  #timer: ReturnType<typeof setTimeout> | undefined
  #done: (() => void) | undefined
  #hasEnded = false

  /** @param timeScale Factor on every wait. */
  constructor(timeScale: number) {
    this.#timeScale = timeScale
  }

  /**
   * Calls back when so much time has passed. A thousand streams wait at a time: a callback costs them less than a
   * promise.
   *
   * @param ms Milliseconds of sandbox time.
   * @returns The real milliseconds that are left. It does not call back where they are 0, as there is nothing to wait
   * for, or less, as the wait should be over by now.
   */
  begin(ms: number, done: () => void): number {
    const real = ms * this.#timeScale
    // A timer of the machine ends up to two milliseconds early, which the next one makes up for. One that ends sooner is
    // a test runner's, while this clock is the machine's.
    const early = this.#due - monotonic()
    const left = early > 2 ? real : real + early
    this.#due += real
    if (!(real > 0) || this.#hasEnded) return 0
    if (!(left > 0)) return left
    this.#done = done
    this.#timer = setTimeout(done, Math.min(left, maxTimerMs))
    return left
  }

  /** Ends the wait that is under way, which calls back at once, and every later one. */
  end(): void {
    this.#hasEnded = true
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#done?.()
  }
}

/** Real milliseconds since some fixed moment, for durations. */
export function monotonic(): number {
  return performance.now()
}

/** Real time of day, for those who need one in a log or a HAR file: never in a reply. */
export function wallClock(): Date {
  return new Date()
}

let second = Number.NaN
let untilSecond = ''

/**
 * Real time of day at a moment of `monotonic()`, ISO 8601; the same for the same moment, whenever it is asked. Those who
 * watch the calls ask it of each: what many of them have in common is written once (0.05 µs in the place of 0.45).
 */
export function timeOfDayAt(moment: number): string {
  const ms = Math.floor(performance.timeOrigin + moment)
  const rest = ms % 1000
  if (ms - rest !== second) {
    second = ms - rest
    untilSecond = new Date(second).toISOString().slice(0, -4)
  }
  return `${untilSecond}${String(rest).padStart(3, '0')}Z`
}
