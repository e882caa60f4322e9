/**
 * Sandboxes as callers create them, their snapshots and clocks. The remote client shares these.
 */

import type { ClockReading } from '../lib/clock.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import type { Duration } from '../lib/numbers.ts'
import type { GatewayOptionsInput } from './options-input.ts'

/** A sandbox as it is asked for; everything has a default. */
export interface SandboxOptions {
  /**
   * A name to choose yourself: 1 to 64 small letters and digits, with single hyphens between them. The living sandbox
   * of this name is returned as it is. Default: the gateway gives one.
   */
  id?: string | undefined
  /** A sandbox to begin like, or its id. Default: begin from the seed. */
  fork?: string | SandboxSnapshot | undefined
  /** Default: the gateway's. */
  seed?: string | number | undefined
  /** Own records, instead of the gateway's, for the collections named. */
  fixtures?: GatewayOptionsInput['fixtures'] | undefined
}

/** What a sandbox may be asked for with. */
export const sandboxOptionNames: readonly (keyof SandboxOptions)[] = ['id', 'fork', 'seed', 'fixtures']

/** A state to go back to. Opaque, so that it travels: whoever took it keeps the state, the others its id. */
export interface SandboxSnapshot {
  /** Of this snapshot, and no other. */
  readonly id: string
}

/** Throws a `TypeError` for a name that there is none of. */
export function assertNames(given: object, names: readonly string[], caller: string): void {
  const unknown = Object.keys(given).find((name) => !names.includes(name))
  if (unknown === undefined) return
  throw new TypeError(`${caller}: options.${unknown}: Unknown field${didYouMean(unknown, names)}`)
}

/** The clock of a sandbox, as tests read and advance it. */
export interface SandboxClock {
  /** The time of the next call, and what has elapsed. */
  read(): ClockReading
  /**
   * Moves sandbox time forward at once: quotas refill, outages end, timestamps move on.
   *
   * @param duration Milliseconds, or a duration such as `'1m'`.
   */
  advance(duration: Duration): ClockReading
}
