/** Types that local and remote sandboxes share: `createSandbox` options, snapshots and clocks. */
import type { ClockReading } from '../lib/clock.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import type { Duration } from '../lib/numbers.ts'
import type { ScenarioName } from '../scenarios/bundled.ts'
import type { ScenarioPath } from '../scenarios/names.ts'
import type { Rule, Scenario } from '../scenarios/scenario.ts'
import type { GatewayOptionsInput } from './options.ts'

/** A recording, as returned by `parseRecording`. */
export interface RecordingInput {
  readonly head: object
  readonly chunks: readonly unknown[]
}

/** Argument of `use()`: scenarios, rules, recordings, names of bundled scenarios and faults, and file paths. */
export type ScenarioOrRule =
  | ScenarioName
  | ScenarioPath
  // Accepts computed names and paths, while editors still complete bundled names.
  | (string & NotRule)
  | (Scenario & NotRule)
  | Rule
  | (RecordingInput & NotRule)

/** Makes the compiler treat objects with one of these effects as rules only, so that it suggests rule fields. */
interface NotRule {
  /** A property that strings also have. Without it, the compiler would reject strings for this type. */
  readonly length?: number
  readonly fault?: undefined
  readonly script?: undefined
  readonly sequence?: undefined
  readonly rateLimit?: undefined
}

export interface SandboxOptions {
  /**
   * Custom id: 1 to 64 lowercase letters and digits, with single hyphens in between. If a live sandbox has this id, it
   * is returned unchanged. Default: a generated id.
   */
  id?: string | undefined
  /** Name to show next to the id, such as a test's title: up to 200 characters, not necessarily unique. Default: none. */
  name?: string | undefined
  /** Sandbox to fork, or its id. Default: none; the sandbox starts from the seed. */
  fork?: string | SandboxSnapshot | undefined
  /** Seed for all generated data. Default: the gateway's seed. */
  seed?: string | number | undefined
  /** Custom records by collection. All other collections have the gateway's records. */
  fixtures?: GatewayOptionsInput['fixtures'] | undefined
}

/** Maximum length of a sandbox's name in characters. */
export const maxSandboxName = 200

export const sandboxOptionNames: readonly (keyof SandboxOptions)[] = [
  'id',
  'name',
  'fork',
  'seed',
  'fixtures',
]

/** Opaque, serialisable snapshot handle for `restore()`. */
export interface SandboxSnapshot {
  /** Id that starts with the sandbox's id, such as `s1-2`. */
  readonly id: string
}

export function assertNames(options: object, names: readonly string[], caller: string): void {
  const unknown = Object.keys(options).find((name) => !names.includes(name))
  if (unknown === undefined) return
  throw new TypeError(`${caller}: unknown option '${unknown}'${didYouMean(unknown, names)}`)
}

/** A sandbox clock, which tests can read and advance. @typeParam Reading A promise in remote clients. */
export interface SandboxClock<Reading = ClockReading> {
  /** Returns the current sandbox time and the elapsed time. */
  read(): Reading
  /** Advances sandbox time immediately: rate limits refill, outages end, timestamps increase. */
  advance(duration: Duration): Reading
}
