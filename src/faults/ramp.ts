/**
 * A number that may grow, or shrink, over the sandbox's elapsed time: for outages that build up.
 */
import * as z from 'zod'

/** A plain number, or one that goes from `from` to `to` in the first `overMs` milliseconds and stays there. */
export function rampOf<Limits extends z.ZodNumber>(number: Limits) {
  return z.union([
    number,
    z.strictObject({
      from: number.describe('At the start of the sandbox.'),
      to: number.describe('From the end of `overMs` on.'),
      overMs: z.number().positive().describe('Milliseconds of sandbox time on the way.'),
    }),
  ])
}

export type Ramp = number | { from: number; to: number; overMs: number }

export function valueAt(ramp: Ramp, elapsedMs: number): number {
  if (typeof ramp === 'number') return ramp
  const share = Math.min(1, Math.max(0, elapsedMs / ramp.overMs))
  return ramp.from + (ramp.to - ramp.from) * share
}
