/**
 * Operations are declared values. Routing, request validation, MSW handlers, fault matching, journal names, the OpenAPI
 * document and the table in the README derive from them.
 */
import type * as z from 'zod'
import type { AssumptionName } from './assumptions.ts'
import type { Database } from './database/database.ts'
import type { Reply } from './http/reply.ts'
import type { CallUsage } from './journal/ledger.ts'
import type { Conversation } from './resources/conversation.ts'
import type { Protocol } from './resources/protocol.ts'
import type { SandboxState } from './sandbox/sandbox-state.ts'
import type { ScriptedReplyInput } from './scenarios/scripted-reply.ts'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** Validated request and its context, for a resolver. */
export interface ResolverContext<Params = unknown, Query = unknown, Body = unknown> {
  /** Path parameters, parsed by `input.params`. */
  params: Params
  /** Query parameters, parsed by `input.query`. */
  query: Query
  /** Body, parsed by `input.body`. */
  body: Body
  /** The sandbox of the request. */
  sandbox: RequestSandbox
  /** Sandbox time of this request, in milliseconds since 1970. */
  now: number
  /** Unique key of the request in its sandbox, even among identical requests. Deterministic for a seed. */
  requestKey: string
  /** Reply scripted by a rule, if any. */
  script: ScriptedReplyInput | undefined
  /** Marks the reply as dependent on an assumption. */
  assume(name: AssumptionName): void
  /** Adds a warning to the journal entry. */
  warn(message: string): void
  /** Records the usage of the reply, for rate limits, budgets and the usage of the sandbox. */
  used(usage: CallUsage): void
}

/** Sandbox of a request, in its state at the arrival of the request. */
export interface RequestSandbox {
  /** Id of the sandbox, such as `s1`. */
  readonly sandboxId: string
  /** Seed of all generated data. */
  readonly seed: string | number
  /** The collections. */
  readonly db: Database
}

/** Additional context for built-in operations. */
export interface RequestContext<Params = unknown, Query = unknown, Body = unknown>
  extends ResolverContext<Params, Query, Body> {
  readonly sandbox: SandboxState
  /** Request headers. Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Conversation in the body, parsed once by the operation's protocol. */
  readonly conversation: Conversation
}

/**
 * Declaration of an operation. `Params`, `Query` and `Body` are the validated parts of a request, `Output` is the JSON of a
 * successful reply, and `Context` is the argument of the resolver.
 */
export interface Operation<Params, Query, Body, Output, Context = RequestContext<Params, Query, Body>> {
  /** Operation id, verb first: `listProviders`. */
  readonly id: string
  readonly method: Method
  /** Path below the base URL, with parameters in braces: `/workspaces/{id}`. */
  readonly path: string
  readonly doc?: OperationDoc
  /** Schemas of the request. Parts without a schema are not passed to the resolver. */
  readonly input?: OperationInput<Params, Query, Body>
  /** Schema of a successful reply. Every reply is validated. */
  readonly output: z.ZodType<unknown, Output>
  /** Error statuses of valid requests. Default: none. */
  readonly errors?: readonly number[]
  /**
   * Assumption that every reply depends on or, by field of the body (`a` or `a.b`), assumptions that an error in the field
   * depends on. Default: none.
   */
  readonly assumes?: AssumptionName | Readonly<Record<string, AssumptionName>>
  readonly marks?: OperationMarks
  /** Protocol of a model operation. */
  readonly protocol?: Protocol<Body, Output>
  /** Set for other operations that can reply with an event stream, so that rules can use stream faults. */
  readonly stream?: { readonly eventSchema?: z.ZodType | undefined }
  /** Responds to a validated request. Throws a `GatewayError` for an error reply. */
  resolve(context: Context): OperationReply<Output> | Promise<OperationReply<Output>>
}

/** Description of an operation in the OpenAPI document. */
export interface OperationDoc {
  readonly summary?: string
  readonly tag?: string
  /** If true, the operation may change in breaking ways. Spec: Versioning, 4. */
  readonly beta?: true
  /** Status of a successful reply. Default: 200, or 204 without a body. */
  readonly status?: number
  /** Content type of a successful reply. Default: `application/json`. */
  readonly type?: string
  /** If true, the extra that provides the operation describes it. */
  readonly isDescribed?: true
  /** Returns schemas for the document. Default: the schemas in `input` and `output`. */
  readonly schemas?: () => DocumentedSchemas
}

/** JSON Schemas of an operation. */
export interface DocumentedSchemas {
  readonly params?: Record<string, unknown> | undefined
  readonly query?: Record<string, unknown> | undefined
  readonly body?: Record<string, unknown> | undefined
  readonly output: Record<string, unknown>
  readonly event?: Record<string, unknown> | undefined
}

export interface OperationInput<Params, Query, Body> {
  readonly params?: z.ZodType<Params>
  readonly query?: z.ZodType<Query>
  /** Header names in lower case. */
  readonly headers?: z.ZodType
  readonly body?: z.ZodType<Body>
  /** If true, the body is optional. */
  readonly bodyIsOptional?: true
  /** Parses the query string for `query`. Default: one string per name; repeated names are rejected. */
  readonly readQuery?: (search: string) => Record<string, unknown>
  /** Accepts bodies that are not JSON, which `body` receives as undefined. Default: they get a 415. */
  readonly otherBody?: OtherBody
}

export interface OperationMarks {
  /** If true, the operation is outside the specification, and its replies name the assumption `extension`. */
  readonly extension?: true
  /** If true, the operation writes to the database. Writes run one at a time. */
  readonly writes?: true
}

/** An operation with any type parameters. The gateway validates requests before it calls `resolve`. */
// biome-ignore lint/suspicious/noExplicitAny: parameters and results vary in opposite directions
export type AnyOperation = Operation<any, any, any, any, any>

export interface OtherBody {
  /** Content types in lower case; `audio/*` matches all subtypes. */
  readonly types: readonly string[]
  /** If true, JSON is accepted too. */
  readonly isJsonToo: boolean
}

/** Reply whose JSON body matches the output schema. It may contain frozen rows of the database. */
export type OperationReply<Output> = Reply<Frozen<Output>>

/** Type of frozen database rows. */
export type Frozen<Value> = Value extends object
  ? { readonly [Field in keyof Value]: Frozen<Value[Field]> }
  : Value

/**
 * Declares an operation.
 *
 * @example
 * export const listProviders = defineOperation({
 *   id: 'listProviders', method: 'get', path: '/providers', …
 *   resolve: async ({ sandbox }) => ok({ data: await sandbox.db.providers.list() }),
 * })
 */
export function defineOperation<const Id extends string, Params, Query, Body, Output>(
  operation: Operation<Params, Query, Body, Output> & { readonly id: Id },
): Operation<Params, Query, Body, Output> & { readonly id: Id } {
  return operation
}
