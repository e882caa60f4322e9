/**
 * The options of a gateway as a person gives them: everything optional. The sentences are those that an editor shows,
 * and those of the table in the README.
 */
import type { CollectionName, Rows, SizedCollectionName } from '../resources/collections.ts'
import type { BundledScenarioName } from '../scenarios/bundled.ts'
import type { ScenarioPath } from '../scenarios/names.ts'
import type { RuleInput, ScenarioInput } from '../scenarios/scenario.ts'
import type { LatencyInput, LatencyProfileInput, LatencyProfileName } from './latency.ts'

/** Groups of operations that the specification names and does not describe. */
export const extensionNames = ['chat', 'messages', 'models', 'embeddings', 'account'] as const
export type ExtensionName = (typeof extensionNames)[number]

/** An operation of a person's own; what it is exactly is known above. */
export interface CustomOperation {
  /** Verb first: `listReports`. */
  readonly id: string
  readonly method: string
  readonly path: string
}

/** A recording, as `parseRecording` returns it. */
export interface RecordingInput {
  readonly head: object
  readonly chunks: readonly unknown[]
}

/** What `use()` takes: scenarios, rules and recordings, bundled scenarios by name, and files by path. */
export type ScenarioOrRule =
  | BundledScenarioName
  | ScenarioPath
  // Names and paths that are computed. Editors still complete the known ones.
  | (string & {})
  | ScenarioInput
  | RuleInput
  | RecordingInput

export interface GatewayOptionsInput {
  /** Fixes everything random. Default: 1. */
  seed?: string | number
  /** How many records a collection has: the first so many fixtures, filled up from the seed. Default: the fixtures. */
  recordCounts?: { [Name in SizedCollectionName]?: number }
  /** Your own records in place of the canonical ones, by collection. Default: none. */
  fixtures?: { [Name in CollectionName]?: readonly Rows[Name][] }
  /** Where the gateway lives, ending in /api/v1. Default: any origin. */
  baseUrl?: string
  /** The valid keys. Default: any key. */
  apiKeys?: string[]
  /** Whether unknown request fields are refused with 400. Default: false. */
  strict?: boolean
  /** What timestamps come from: a fixed start and 1 ms a request, or the machine. Default: `fixed`. */
  clock?: 'fixed' | 'system'
  /** Factor on waits and elapsed time; 0 makes waits instant. Default: 1. */
  timeScale?: number
  /** Groups of operations outside the specification that are answered too. Default: none. */
  extensions?: ExtensionName[]
  /** Operations of your own, from `defineOperation`. Default: none. */
  operations?: CustomOperation[]
  /** In force from the start: names, paths of files, scenarios or rules. Default: none. */
  scenarios?: (BundledScenarioName | ScenarioPath | ScenarioInput | RuleInput)[]
  /** Whether input that an earlier prompt of the sandbox began with counts as cached tokens. Default: false. */
  promptCache?: boolean
  /** Whether responses are stored unless `store` is false, so that `previous_response_id` goes on from one; otherwise both are refused. Default: false. */
  storedResponses?: boolean
  /** Event streams. */
  stream?: {
    /** Events of a stream: all that published clients know, or those that the specification shows. Default: `all`. */
    events?: 'all' | 'documented'
  }
  /** How long answers take: milliseconds until the first event, times for all models, or a profile by model: bundled, the path of a JSON file as `profile` prints it, or data. Default: no time. */
  latency?: number | LatencyProfileName | (string & {}) | LatencyInput | LatencyProfileInput
  /** Web search. */
  search?: {
    /** The engine whose `max_results` ends at 20; null for none. Default: `engine_c`. */
    limitedEngine?: 'engine_a' | 'engine_b' | 'engine_c' | null
  }
  /** Globs of the models there are: another one is warned of, or refused with `strict`. Default: any. */
  models?: string[]
  /** Limits of what the gateway accepts and keeps. */
  limits?: {
    /** Maximum size of a request body in bytes. Larger ones get a 413. Default: 10 MiB. */
    requestBodyBytes?: number
    /** Maximum number of calls in the journal, for all sandboxes together. The oldest are evicted first. Default: 3,000. */
    journalEntries?: number
    /** Maximum size of their bodies together, in bytes. Default: 32 MiB. */
    journalBytes?: number
    /** Maximum size of a body in the journal, in bytes; the rest is cut. Default: 64 KiB. */
    journalBodyBytes?: number
    /** Maximum number of sandboxes. Default: 100,000. */
    sandboxes?: number
    /** Milliseconds after which an idle sandbox is disposed. Default: 1 hour. */
    sandboxIdleMs?: number
  }
  /** Sandboxes of the gateway. */
  sandboxes?: {
    /** The name of this server among several, as in `n3`: ids of sandboxes begin with it. Default: none. */
    node?: string
    /** Whether requests that name no sandbox see the default one; else they are refused. Default: true. */
    default?: boolean
  }
}
