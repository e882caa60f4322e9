/**
 * Options of `createGateway`, all optional. Editors show these comments on hover, and the README's table is generated
 * from them.
 */

import type { Duration } from '../lib/numbers.ts'
import type { CollectionName, Rows, SizedCollectionName } from '../resources/collections.ts'
import type { BundledScenarioName } from '../scenarios/bundled.ts'
import type { ScenarioPath } from '../scenarios/names.ts'
import type { RuleInput, ScenarioInput } from '../scenarios/scenario.ts'
import type { LatencyName } from './latency.ts'

/** Groups of operations that the specification names but does not describe. */
export const extensionNames = ['chat', 'messages', 'models', 'management'] as const
export type ExtensionName = (typeof extensionNames)[number]

/** The part of a custom operation that this layer needs. `src/operations` has the full type. */
export interface CustomOperation {
  /** Id starting with a verb, such as `listReports`. */
  readonly id: string
  readonly method: string
  readonly path: string
}

/** A recording, as returned by `parseRecording`. */
export interface RecordingInput {
  readonly head: object
  readonly chunks: readonly unknown[]
}

/** Argument of `use()`: scenarios, rules, recordings, names of bundled scenarios and file paths. */
export type ScenarioOrRule =
  | BundledScenarioName
  | ScenarioPath
  // Accepts computed names and paths, while editors still complete bundled names.
  | (string & NotRule)
  | (ScenarioInput & NotRule)
  | RuleInput
  | (RecordingInput & NotRule)

/**
 * Makes the compiler compare objects that have one of these effects only with rules, so that it suggests rule
 * fields.
 */
interface NotRule {
  /** A property that strings have, too. Without one, the compiler would accept no string for this type. */
  readonly length?: number
  readonly fault?: undefined
  readonly faults?: undefined
  readonly script?: undefined
  readonly sequence?: undefined
  readonly rateLimit?: undefined
}

export interface GatewayOptionsInput {
  /** Seed for all generated data. Default: 1. */
  seed?: string | number
  /**
   * Number of records per collection. Fixtures come first, followed by generated records. Default: the fixtures only.
   */
  recordCounts?: { [Name in SizedCollectionName]?: number }
  /** Custom records by collection, replacing the canonical ones. Default: none. */
  fixtures?: { [Name in CollectionName]?: readonly Rows[Name][] }
  /** The gateway's base URL, which must end in `/api/v1`. Default: any origin. */
  baseUrl?: string
  /** Valid API keys. Default: any key. */
  apiKeys?: string[]
  /** If true, requests with unknown fields get a 400. Default: false. */
  strict?: boolean
  /**
   * Source of timestamps: `fixed` starts at a fixed time and advances 1 ms per request, `system` uses the system clock.
   * Default: `fixed`.
   */
  clock?: 'fixed' | 'system'
  /** Factor for delays and elapsed time. 0 makes delays instant. Default: 1. */
  timeScale?: number
  /** Enabled groups of operations outside the specification. Default: none. */
  extensions?: ExtensionName[]
  /** Custom operations, from `defineOperation`. Default: none. */
  operations?: CustomOperation[]
  /** Scenarios active from the start: names, file paths, scenarios or rules. Default: none. */
  scenarios?: (BundledScenarioName | ScenarioPath | ScenarioInput | RuleInput)[]
  /**
   * If true, a prefix that a prompt shares with one of the sandbox's earlier prompts counts as cached tokens. Default:
   * false.
   */
  promptCache?: boolean
  /**
   * If true, responses are stored unless `store` is false, so that `previous_response_id` can continue them. If false,
   * `store: true` and `previous_response_id` get a 400. Default: false.
   */
  storedResponses?: boolean
  /** Options for event streams. */
  stream?: {
    /** Events to stream: `all` events that published clients know, or only the `documented` ones. Default: `all`. */
    events?: 'all' | 'documented'
  }
  /**
   * Simulated latency: time to the first event (milliseconds or `'2s'`), that and the time per token, or typical
   * figures. Default: none.
   */
  latency?: Duration | { firstToken?: Duration; perToken?: Duration } | LatencyName
  /** Options for the simulated web search. */
  search?: {
    /** Search engine that limits `max_results` to 20, or null for none. Default: `engine_c`. */
    limitedEngine?: 'engine_a' | 'engine_b' | 'engine_c' | null
  }
  /**
   * Known models, as globs. Requests for other models log a warning or, with `strict`, get a 400. Default: any model.
   */
  models?: string[]
  /** Limits on request bodies, the journal and sandboxes. */
  limits?: {
    /** Maximum request body size in bytes. Larger bodies get a 413. Default: 10 MiB. */
    requestBodyBytes?: number
    /** Maximum number of calls in the journal, across all sandboxes. The oldest are evicted first. Default: 3,000. */
    journalEntries?: number
    /** Maximum total size of the journal's calls, in bytes. The oldest lose their bodies first. Default: 128 MiB. */
    journalBytes?: number
    /** Maximum size of one body in the journal, in bytes. Longer bodies are truncated. Default: 1 MiB. */
    journalBodyBytes?: number
    /** Maximum number of sandboxes. Default: 100,000. */
    sandboxes?: number
    /** Time after which an idle sandbox is disposed: milliseconds or `'30m'`. Default: 1 hour. */
    sandboxIdleMs?: Duration
  }
  /** Options for sandboxes. */
  sandboxes?: {
    /** If false, requests that do not name a sandbox get a 410 instead of using the default sandbox. Default: true. */
    default?: boolean
  }
}
