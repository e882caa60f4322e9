/**
 * A dialect: how one vendor's gateway says what the specification says, as data. The neutral form is the default and
 * the authority; a dialect puts other words, and fields beside those of the specification, on the wire.
 */
import type { ExtensionName } from '../../sandbox/options-input.ts'

export interface Dialect {
  /** As the option `dialect` names it. */
  readonly name: string
  /** One line on where its facts come from. */
  readonly source: string
  /** Extensions that are on with it. */
  readonly extensions: readonly ExtensionName[]
  /** Words that the vendor has for ours. */
  readonly words: readonly Word[]
  /** Fields that a request gets where it has none of them, by operation. */
  readonly requests?: Readonly<Record<string, Fields>>
  /** Fields beside those of the specification in the JSON of a reply, by operation. */
  readonly replies?: Readonly<Record<string, Fields>>
  /**
   * The same in the events of a stream that have a response, a message or a usage, by operation; or in the events of one
   * type, by both: `createMessage message_stop`.
   */
  readonly events?: Readonly<Record<string, Fields>>
  /** Further fields of replies and events that a request asks for by a header. */
  readonly onRequest?: readonly RequestedFields[]
  /** What its clients send beside the headers of the specification; taken, and without effect. */
  readonly headers?: readonly string[]
  /** Texts of refusals that say no more than their status, by status. */
  readonly errors?: Readonly<Record<number, string>>
  /** What the vendor calls `gateway_metadata` in the error envelope. */
  readonly errorMetadata?: string
  /** Sent as a comment line before the first event of a stream. */
  readonly comment?: string
}

/** One word, and where it stands: paths such as `body.tools.*.type`. */
export interface Word {
  readonly ours: string
  readonly theirs: string
  /** In a request, from `body` or `query`. */
  readonly request?: readonly string[]
  /** In a reply, and in each event of a stream. */
  readonly reply?: readonly string[]
}

export interface RequestedFields {
  /** Names in lower case; one of them is enough. */
  readonly headers: readonly string[]
  readonly value: string
  readonly replies?: Readonly<Record<string, Fields>>
  readonly events?: Readonly<Record<string, Fields>>
}

/** Values by path, added in their order; `*` in a path stands for every item that is there. */
export type Fields = Readonly<Record<string, FieldValue>>

/** A value as it is, or one that is worked out for each reply. */
export type FieldValue = { readonly value: unknown } | { readonly from: WorkedOut }

/**
 * - `cost`: dollars, as the ledger of the sandbox counts the call
 * - `promptCost`, `completionCost`: dollars, from the tokens of the reply and the prices of its model
 * - `count`: how many items `data` has
 * - `uuid`: one that stays the same for the `id` of the object in which it stands
 * - `asked`: the model that the request names first
 * - `model`: the model that answers
 * - `provider`: the name of the provider where that model runs
 * - `attempt`: which of the models of the request answers, from 1
 * - `route`: `direct`, or `fallback` where another than the first model answers
 */
export type WorkedOut =
  | 'cost'
  | 'promptCost'
  | 'completionCost'
  | 'count'
  | 'uuid'
  | 'asked'
  | 'model'
  | 'provider'
  | 'attempt'
  | 'route'
