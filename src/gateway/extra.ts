/**
 * Extras: optional features, which the core knows by these interfaces only. `extras/index.ts` lists them.
 */
import type { Command } from 'commander'
import type { Reply, StreamEvent } from '../http/reply.ts'
import type { CallListener, CallRecord } from '../journal/call-record.ts'
import type { JournalEntry } from '../journal/entry.ts'
import type { AnyOperation } from '../operation.ts'
import { optionNames as coreOptionNames } from '../sandbox/options.ts'
import type { ExtensionName } from '../sandbox/options-input.ts'
import type { SandboxState } from '../sandbox/sandbox-state.ts'
import type { Sandboxes } from '../sandbox/sandboxes.ts'
import type { KnownOperation } from '../scenarios/check-scenario.ts'
import type { ScenarioInput } from '../scenarios/scenario.ts'

/** Declares an extra. Its module is loaded with every entry: it imports lazily what a gateway may not need. */
export interface ExtraDefinition<Options extends object = object> {
  readonly name: string
  /** Schemas of its options. Each is built when the option is given. */
  readonly options?: { readonly [Name in keyof Options]-?: () => OptionSchema<Options[Name]> }
  /** Options that name a file. In a configuration file, they are relative to it. @internal */
  readonly paths?: readonly (keyof Options & string)[]
  /** Flags of `serve`. @internal */
  readonly flags?: readonly Flag[]
  /**
   * Returns its options from the flags of `serve` and from the options of a configuration file. Default: the flags of
   * the same names. Throws a `UsageError` for flags that do not fit together. @internal
   */
  readonly readFlags?: (flags: Readonly<Record<string, any>>, options: Options) => object
  /** Adds commands to the command line. @internal */
  readonly commands?: (program: Command) => Promise<void>
  /** Reads a scenario from another form; undefined for any other value. @internal */
  readonly readScenario?: (given: unknown, operations: readonly KnownOperation[]) => ScenarioInput | undefined
  /** Called once for each gateway; undefined if the options do not use the extra. Throws one clear line. @internal */
  readonly create?: (options: Options, host: ExtraHost) => Extra | undefined
}

/** An extra with any options: they are checked before it gets them. */
// biome-ignore lint/suspicious/noExplicitAny: an extra takes its own options only
export type AnyExtra = ExtraDefinition<any>

/** The options of one of several extras, all together. */
export type OptionsOf<Definition> = (
  Definition extends ExtraDefinition<infer Options>
    ? (options: Options) => void
    : never
) extends (options: infer All extends object) => void
  ? All
  : never

interface OptionSchema<Value> {
  readonly _zod: { readonly output: Exclude<Value, undefined> }
}

/** A flag of `serve`, in Commander's syntax. */
export interface Flag {
  /** `--on-unmatched-recording <what>` */
  readonly flags: string
  readonly description: string
  /** Group in the help text. */
  readonly group: 'Behaviour' | 'Recordings'
  readonly choices?: readonly string[]
  /** Description of the same flag of the command `openapi`. Default: only `serve` has the flag. */
  readonly ofDocument?: string
}

/** The gateway, as an extra sees it. */
export interface ExtraHost {
  readonly sandboxes: Sandboxes
  /** Calls the listener for each call of any sandbox. Returns a function that removes the listener. */
  observe(listener: CallListener): () => void
}

/** One gateway's part of an extra. */
export interface Extra {
  readonly dialect?: Dialect
  /** Returns its operations. Called once, with those that the gateway has already. */
  operations?(known: readonly AnyOperation[]): readonly AnyOperation[]
  /** Adds its operations to the OpenAPI document of the API. */
  describe?(document: Record<string, unknown>): Record<string, unknown>
  /**
   * Returns a recorded reply at its time; undefined if the operation is to respond. Throws to refuse the request.
   *
   * @param refusal The error of an earlier step, if one refused the request.
   */
  replay?(record: CallRecord<SandboxState>, refusal: unknown, left: AbortSignal): Promise<Reply | undefined>
  /** Loads its control operations. */
  control?(): Promise<readonly AnyOperation[]>
  /** Forms in which it exports a journal entry, by name. They throw for an entry that cannot have the form. */
  readonly exports?: Readonly<Record<string, (entry: JournalEntry) => Promise<string>>>
  /** Returns a file of the server; undefined for a path that it does not serve. The token is not required. */
  file?(path: string): Promise<Reply> | undefined
}

/** One vendor's form of the API. Each function returns its argument if there is nothing to change. */
export interface Dialect {
  /** Name of the vendor. */
  readonly name: string
  /** Extensions that are active with it. Default: none. */
  readonly extensions?: readonly ExtensionName[]
  /** Comment line before the first event of a stream. Default: none. */
  readonly comment?: string
  /** Translates a request before it is checked. */
  request?(request: SentRequest, operation: string): SentRequest
  /** Translates the JSON of a successful reply. */
  reply?(value: unknown, call: AnsweredCall): unknown
  /** Translates an event of a stream. */
  event?(event: StreamEvent, call: AnsweredCall): StreamEvent
  /** Translates the error envelope. */
  error?(envelope: object, status: number): object
}

export interface SentRequest {
  /** The query with its question mark, or the empty string. */
  readonly search: string
  readonly body: unknown
}

/** Facts of an answered call, for the fields of a dialect. */
export interface AnsweredCall {
  readonly operation: string
  /** Headers of the request; names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly seed: string | number
  /** The model that answered, and the name of its provider. */
  readonly model: string
  readonly provider: string
  /** The models that were tried, in order; the last one answered. */
  readonly asked: readonly string[]
  /** Dollars, as the ledger of the sandbox counts the call. */
  readonly cost: number
  /** Dollars per token. */
  readonly prices: { readonly prompt: number; readonly completion: number }
}

/** The names of all options of a gateway with these extras. */
export function optionNames(extras: readonly AnyExtra[]): string[] {
  return [...coreOptionNames, ...extras.flatMap(({ options = {} }) => Object.keys(options))]
}
