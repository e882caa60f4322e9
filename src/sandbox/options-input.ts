/**
 * The options of `createGateway`, all optional. Editors show these comments on hover, and the table in the README is
 * generated from them.
 */

import type { Duration } from '../lib/numbers.ts'
import type { CollectionName, Rows, SizedCollectionName } from '../resources/collections.ts'
import type { BundledScenarioName } from '../scenarios/bundled.ts'
import type { ScenarioPath } from '../scenarios/names.ts'
import type { RuleInput, ScenarioInput } from '../scenarios/scenario.ts'
import type { LatencyInput, LatencyProfileInput, LatencyProfileName } from './latency.ts'

/** Groups of operations that the specification mentions but does not describe. */
export const extensionNames = ['chat', 'messages', 'models', 'embeddings', 'account'] as const
export type ExtensionName = (typeof extensionNames)[number]

/** A custom operation, as far as this layer needs it; `src/operations` has the full type. */
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
  // Accepts computed names and paths. Editors still complete the bundled names.
  | (string & {})
  | ScenarioInput
  | RuleInput
  | RecordingInput

export interface GatewayOptionsInput {
  /** Seed for all generated data. Default: 1. */
  seed?: string | number
  /** Number of records per collection: the first fixtures, then generated records. Default: the fixtures. */
  recordCounts?: { [Name in SizedCollectionName]?: number }
  /** Custom records by collection, replacing the canonical ones. Default: none. */
  fixtures?: { [Name in CollectionName]?: readonly Rows[Name][] }
  /** Base URL of the gateway; must end in `/api/v1`. Default: any origin. */
  baseUrl?: string
  /** Valid API keys. Default: any key. */
  apiKeys?: string[]
  /** If true, unknown request fields get a 400. Default: false. */
  strict?: boolean
  /**
   * Source of timestamps: `fixed` starts at a fixed time and advances 1 ms per request, `system` uses the system clock.
   * Default: `fixed`.
   */
  clock?: 'fixed' | 'system'
  /** Factor for delays and elapsed time; 0 makes delays instant. Default: 1. */
  timeScale?: number
  /** Enabled groups of operations outside the specification. Default: none. */
  extensions?: ExtensionName[]
  /** Custom operations, from `defineOperation`. Default: none. */
  operations?: CustomOperation[]
  /** Scenarios active from the start: names, file paths, scenarios or rules. Default: none. */
  scenarios?: (BundledScenarioName | ScenarioPath | ScenarioInput | RuleInput)[]
  /** If true, a prompt prefix shared with an earlier prompt of the sandbox counts as cached tokens. Default: false. */
  promptCache?: boolean
  /**
   * If true, responses are stored unless `store` is false, so that `previous_response_id` can continue them. If false,
   * `store: true` and `previous_response_id` get a 400. Default: false.
   */
  storedResponses?: boolean
  /** Event streams. */
  stream?: {
    /**
     * Events in a stream: `all` sends every event that published clients know, `documented` only those in the
     * specification. Default: `all`.
     */
    events?: 'all' | 'documented'
  }
  /**
   * Simulated latency: time until the first event (milliseconds or `'2s'`), quantiles for all models, or a profile by
   * model (a bundled name, the path of a JSON file from the `profile` command, or an object). Default: none.
   */
  latency?: Duration | LatencyProfileName | (string & {}) | LatencyInput | LatencyProfileInput
  /** Web search. */
  search?: {
    /** Search engine that limits `max_results` to 20; null for none. Default: `engine_c`. */
    limitedEngine?: 'engine_a' | 'engine_b' | 'engine_c' | null
  }
  /** Known models, as globs. Other models log a warning, or get a 400 with `strict`. Default: any model. */
  models?: string[]
  /** Limits on request sizes, the journal and sandboxes. */
  limits?: {
    /** Maximum request body size in bytes. Larger bodies get a 413. Default: 10 MiB. */
    requestBodyBytes?: number
    /** Maximum number of calls in the journal, across all sandboxes. The oldest are evicted first. Default: 3,000. */
    journalEntries?: number
    /** Maximum total size of bodies in the journal, in bytes. Default: 32 MiB. */
    journalBytes?: number
    /** Maximum size of one body in the journal, in bytes. The rest is truncated. Default: 64 KiB. */
    journalBodyBytes?: number
    /** Maximum number of sandboxes. Default: 100,000. */
    sandboxes?: number
    /** Time after which an idle sandbox is disposed: milliseconds or `'30m'`. Default: 1 hour. */
    sandboxIdleMs?: Duration
  }
  /** Sandboxes. */
  sandboxes?: {
    /** Name of this node among several, such as `n3`, used as a prefix of sandbox ids. Default: none. */
    node?: string
    /** If false, requests that name no sandbox get a 410 instead of using the default one. Default: true. */
    default?: boolean
  }
}
