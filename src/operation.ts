/** Defines operations as values; routes, checks, handlers, journal names and documents are derived from them. */
import type { AssumptionName } from './assumptions.ts'
import type { Database } from './database/database.ts'
import type { Reply } from './http/reply.ts'
import type { UsageOfSent } from './journal/call-record.ts'
import type { CallUsage } from './journal/ledger.ts'
import type { Conversation } from './resources/conversation.ts'
import type { Protocol } from './resources/protocol.ts'
import type { SandboxState } from './sandbox/sandbox-state.ts'
import type { CustomOperationId } from './scenarios/names.ts'
import type { ScriptedReply } from './scenarios/scripted-reply.ts'

/** A Standard Schema, for example from zod, Valibot or ArkType. May be asynchronous. */
export interface Schema<Input = unknown, Output = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => Validation<Output> | Promise<Validation<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    /** Converters for the OpenAPI document, which otherwise shows `{}`. */
    readonly jsonSchema?: { readonly input: ToJsonSchema; readonly output: ToJsonSchema } | undefined
  }
}

type ToJsonSchema = (options: { readonly target: string }) => Record<string, unknown>

/** Result of a Standard Schema's validation: the value or the issues. */
type Validation<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] }

interface Issue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** A resolver's context. All parts have been validated against the operation's schemas. */
export interface RequestContext<Params = unknown, Query = unknown, Body = unknown> {
  /** Path parameters, parsed with the operation's `params` schema. */
  readonly params: Params
  /** Query parameters, parsed with the operation's `query` schema. */
  readonly query: Query
  /** Request body, parsed with the operation's `body` schema. */
  readonly body: Body
  /** Request headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Conversation that the operation's protocol read from the body. @internal */
  readonly conversation: Conversation
  /** Sandbox that received the request. */
  readonly sandbox: RequestSandbox
  /** Sandbox time of this request, as Unix time in milliseconds. */
  readonly now: number
  /** Key of this request, which is unique even among identical requests and stable for a seed. */
  readonly requestKey: string
  /** The matched rule's scripted reply, if any. */
  readonly script: ScriptedReply | undefined
  /** Records that the reply depends on an assumption. */
  assume(name: AssumptionName): void
  /** Adds a warning to the journal entry, without rejecting the request. */
  warn(message: string): void
  /** Reports usage for rate limits and the sandbox's totals. @internal */
  used(usage: CallUsage, cut?: UsageOfSent): void
}

/**
 * A request's sandbox. If the sandbox is reset or restored during the request, the request still sees the
 * earlier state, and its changes are lost.
 */
export interface RequestSandbox {
  /** Sandbox id, such as `s1`. */
  readonly id: string
  /** Seed for all generated data. */
  readonly seed: string | number
  /** The sandbox's collections. */
  readonly db: Database
}
/** Built-in operations can access the whole state. @internal */
export interface RequestSandbox extends SandboxState {}

/** An operation. `Params`, `Query` and `Body` are validated, and `Output` is the JSON of a successful reply. */
export interface Operation<Params, Query, Body, Output, Context = RequestContext<Params, Query, Body>> {
  /** Operation id in rules and the journal. By convention, it starts with a verb: `listReports`. */
  readonly id: string
  readonly method: Method
  /** Path relative to the base URL, with parameters in braces: `/workspaces/{id}`. */
  readonly path: string
  readonly doc?: OperationDoc
  /** Request schemas. Parts without a schema are not passed to the resolver. */
  readonly input?: OperationInput<Params, Query, Body>
  /** Schema of a successful reply. The resolver's JSON replies with a status below 300 are checked against it. */
  readonly output: Schema<Output>
  /** Error statuses that valid requests can receive, for the OpenAPI document. Default: none. */
  readonly errors?: readonly number[]
  /**
   * If true, the operation changes the database, so no other write runs at the same time. Changes made through
   * `sandbox.db` outside the operation wait until it ends. If `resolve` throws, its changes are undone. Default: false.
   */
  readonly writes?: boolean
  /**
   * If set, the operation can return an event stream, and rules can use stream faults. A schema describes the events
   * in the OpenAPI document. Default: false.
   */
  readonly streams?: boolean | Schema
  /** Protocol of an operation that replies to prompts. @internal */
  readonly protocol?: Protocol<Body, Output>
  /** Protocol that determines the error envelope and headers. Default: `protocol`. @internal */
  readonly errorProtocol?: Pick<Protocol<never, never>, 'error' | 'errorSchema' | 'idHeader'>
  /**
   * Assumption behind every reply, or, for each body field (`a` or `a.b`), the assumption behind its errors. Default:
   * none. @internal
   */
  readonly assumes?: AssumptionName | Readonly<Record<string, AssumptionName>>
  /** Set for custom operations. @internal */
  readonly isCustom?: true
  /** Responds to a validated request. Throw a `GatewayError` to reject it. */
  resolve(context: Context): OperationReply<Output> | Promise<OperationReply<Output>>
}

/** An operation's description in the OpenAPI document. */
export interface OperationDoc {
  readonly summary?: string
  /** Name of the operation's group. */
  readonly tag?: string
  /** If true, the operation is in beta and may have breaking changes. Spec: Versioning, 4. @internal */
  readonly beta?: true
  /** A successful reply's status. Default: 200, or 204 without a body. */
  readonly status?: number
  /** Content type of a successful reply. Default: `application/json`. */
  readonly type?: string
}

export interface OperationInput<Params, Query, Body> {
  /** Schema of the path parameters. Default: not validated. */
  readonly params?: Schema<unknown, Params>
  /** Schema of the query, which has one string per name. Default: not validated. */
  readonly query?: Schema<unknown, Query>
  /** Schema of the headers, with names in lower case. Default: not validated. */
  readonly headers?: Schema
  /** Schema of the body. Default: no body. */
  readonly body?: Schema<unknown, Body>
  /** If true, the body may be missing. Default: false. @internal */
  readonly bodyIsOptional?: boolean
  /** Parses the query string for `query`. Default: one string per name; repeated names are rejected. @internal */
  readonly readQuery?: (search: string) => Record<string, unknown>
  /** Accepts bodies other than JSON, which `body` validates as undefined. Default: such bodies get a 415. @internal */
  readonly otherBody?: OtherBody
}

/** An operation of any type. The gateway validates requests itself, so it does not need the type parameters. */
// biome-ignore lint/suspicious/noExplicitAny: parameters and results vary in opposite directions
export type AnyOperation = Operation<any, any, any, any, any>

export interface OtherBody {
  /** Content types in lower case. `audio/*` matches every audio type. */
  readonly types: readonly string[]
  /** If true, JSON is also accepted. */
  readonly isJsonToo: boolean
}

/** A reply whose JSON body matches the output schema. It can contain frozen database rows. */
export type OperationReply<Output> = Reply<Frozen<Output>>

/** Makes a type readonly at every depth, because database rows are frozen. */
export type Frozen<Value> = Value extends object
  ? { readonly [Field in keyof Value]: Frozen<Value[Field]> }
  : Value

/**
 * Declares an operation. Pass it to `createGateway({ operations: [getReport] })`, which validates the
 * declaration.
 *
 * @example
 * const getReport = defineOperation({
 *   id: 'getReport', method: 'get', path: '/reports/{id}', …
 *   resolve: ({ params }) => ok({ data: { id: params.id } }),
 * })
 */
export function defineOperation<const Id extends string, Params, Query, Body, Output>(
  operation: Operation<Params, Query, Body, Output> & { readonly id: Id },
): Operation<Params, Query, Body, Output> & { readonly id: Id & CustomOperationId } {
  // The id's brand exists only at compile time.
  return operation as typeof operation & { readonly id: Id & CustomOperationId }
}

/** Removes the parameter names from a path. Paths of the same shape match the same URLs. */
export function shapeOf(path: string): string {
  return path.replace(/\{[^}]*\}/g, '{}')
}
