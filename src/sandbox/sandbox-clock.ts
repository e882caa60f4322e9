/** The clock of a sandbox as a caller sees it; `lib/clock.ts` keeps the time. */
import type { ClockReading } from '../lib/clock.ts'

/** The clock of a sandbox, as tests read and advance it. */
export interface SandboxClock {
  /** The time of the next call, and what has elapsed. */
  read(): ClockReading
  /**
   * Moves sandbox time forward at once: quotas refill, outages end, timestamps move on.
   *
   * @param ms Milliseconds, zero or more.
   */
  advance(ms: number): ClockReading
}
