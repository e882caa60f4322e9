/** Extras are optional features. The core uses only these interfaces; `extras/index.ts` lists the extras. */
import type { Command } from 'commander'
import type * as z from 'zod'
import type { Reply } from '../http/reply.ts'
import type { BrokenRule, CallListener, CallRecord } from '../journal/call-record.ts'
import type { JournalEntry } from '../journal/entry.ts'
import type { AnyOperation } from '../operation.ts'
import type { CollectionDeclaration } from '../resources/collection.ts'
import type { Conversation } from '../resources/conversation.ts'
import type { SentFields } from '../resources/sent-fields.ts'
import type { Options } from '../sandbox/option.ts'
import { gatewayOptions } from '../sandbox/options.ts'
import type { SandboxState } from '../sandbox/sandbox-state.ts'
import type { Sandboxes } from '../sandbox/sandboxes.ts'
import type { ScenarioProgress } from '../scenarios/activation.ts'
import type { KnownOperation } from '../scenarios/check-scenario.ts'
import type { RecordedAnswer } from '../scenarios/compose.ts'
import type { Scenario } from '../scenarios/scenario.ts'

/** Declares an extra. Every entry point loads the declaring module, so it imports optional code lazily. */
export interface ExtraDefinition<Input extends object = object, RequestBodies extends object = object>
  extends Extra {
  readonly name: string
  /** Type of its operations' request bodies, by operation id. Never set. @internal */
  readonly bodies?: RequestBodies
  /** @internal */
  readonly options?: Options
  /** Adds commands to the command line. @internal */
  readonly commands?: (program: Command, extras: readonly AnyExtra[]) => Promise<void>
  /** Converts another format to a scenario. Returns undefined for any other value. @internal */
  readonly readScenario?: (value: unknown, operations: readonly KnownOperation[]) => Scenario | undefined
  /** Returns the members that depend on a gateway's options. Throws a one-line error for invalid options. @internal */
  readonly create?: (options: Input) => Extra | undefined
}

/** An extra with options of any type, already validated. */
// biome-ignore lint/suspicious/noExplicitAny: each extra has its own option type
export type AnyExtra = ExtraDefinition<any, any>

export type OptionsOf<Definition> = Intersection<
  Definition extends ExtraDefinition<infer Input, infer _> ? (options: Input) => void : never
>

export type BodiesOf<Definition> = Intersection<
  Definition extends ExtraDefinition<infer _, infer RequestBodies> ? (bodies: RequestBodies) => void : never
>

type Intersection<Functions> = [Functions] extends [(all: infer All extends object) => void] ? All : never

export interface Extra {
  /** If a list, `onlySpecified` disables the extra. A function returns operations that the user requested. @internal */
  readonly operations?:
    | readonly AnyOperation[]
    | ((existing: readonly AnyOperation[]) => readonly AnyOperation[])
  /** @internal */
  readonly collections?: readonly CollectionDeclaration[]
  /** @internal */
  readonly dialect?: Dialect
  /** Observes the calls of all sandboxes. @internal */
  readonly listener?: CallListener
  /** Accepts or rejects an API key. Returns undefined to apply the `apiKeys` option. @internal */
  readonly isValidKey?: (key: string, state: SandboxState) => boolean | undefined
  /** Finds a reply to a request that no rule answers. Returns undefined to leave the request to its operation. @internal */
  readonly answer?: (record: CallRecord<SandboxState>, rejection: unknown) => FoundAnswer | undefined
  /** Returns true if `answer` can reply to a request that no operation handles. @internal */
  readonly handles?: (method: string, path: string) => boolean
  /** Returns the vendor rules that a valid request breaks. @internal */
  readonly brokenRules?: (request: ValidRequest) => Promise<readonly BrokenRule[]>
  /** @internal */
  readonly control?: (gateway: ExtraHost) => Promise<readonly AnyOperation[]>
  /** Returns what the application did wrong. @internal */
  readonly findings?: (facts: SandboxFacts) => Promise<readonly { name: string; message: string }[]>
  /** Returns a file to serve, or undefined for other paths. Files do not require the token. @internal */
  readonly files?: (path: string, gateway: ExtraHost) => Promise<Reply | undefined> | undefined
}

/** A request that matches its operation's schemas, as translated by the dialect. */
export interface ValidRequest {
  readonly body: unknown
  readonly conversation: Conversation
  readonly record: CallRecord<SandboxState>
  /** If true, the gateway uses a vendor's names and fields. */
  readonly isVendor: boolean
}

/** A sandbox's calls, with or without a reply, from which extras judge the application. */
export interface SandboxFacts {
  readonly entries: readonly JournalEntry[]
  readonly operations: readonly Pick<AnyOperation, 'id' | 'protocol'>[]
  /** Active scenarios. Default: unknown. */
  readonly scenarios?: readonly ScenarioProgress[]
}

export interface FoundAnswer {
  /** The recording to reply with; undefined if the reply is not recorded. */
  readonly recorded?: RecordedAnswer
  /** Returns undefined to leave the request to its operation. Throws to reject it. */
  reply(disconnected: AbortSignal): Promise<Reply | undefined>
}

export interface ExtraHost {
  readonly sandboxes: Sandboxes
  readonly operations: readonly AnyOperation[]
}

/** A vendor's variant of the API. Translating functions return their argument if they change nothing. */
export interface Dialect {
  /** Comment to send before a stream's first event. Default: none. */
  readonly comment?: string
  request?(request: SentRequest, record: CallRecord<SandboxState>): Promise<SentRequest>
  /** Returns a translated body's schema, derived from the operation's. */
  body?(schema: z.ZodType, operation: string): z.ZodType
  /** Fields that the vendor's clients send, but that have no effect here. */
  readonly fields?: SentFields
  /** Returns the models to try, in order, for an operation whose protocol has no fallback models. */
  models?(body: unknown): readonly string[] | undefined
  warning?(text: string): string
  reply?(reply: Reply, record: CallRecord<SandboxState>): Promise<Reply>
  error?(envelope: object, status: number, record: CallRecord): object
}

export interface SentRequest {
  /** Query including the question mark, or an empty string. */
  readonly search: string
  readonly body: unknown
  /** Warnings about the request. Default: none. */
  readonly warnings?: readonly string[]
}

export function optionsOf(extras: readonly AnyExtra[]): Options {
  return Object.assign({}, gatewayOptions, ...extras.map(({ options }) => options))
}

export function operationsOutside(extras: readonly AnyExtra[]): AnyOperation[] {
  return extras.flatMap(({ operations }) => (typeof operations === 'object' ? operations : []))
}

export async function findingsOf(extras: readonly Extra[], facts: SandboxFacts) {
  const lists = await Promise.all(extras.map(({ findings }) => findings?.(facts) ?? []))
  return lists.flat()
}
