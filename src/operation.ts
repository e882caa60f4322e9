/**
 * Operations are declared as values, from which routing, request validation, MSW handlers, fault matching, journal
 * names, the OpenAPI document and the README's table are derived.
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

/** A resolver's context. All parts have been validated against the operation's schemas. */
export interface ResolverContext<Params = unknown, Query = unknown, Body = unknown> {
  /** Path parameters, parsed with the operation's `params` schema. */
  params: Params
  /** Query parameters, parsed with the operation's `query` schema. */
  query: Query
  /** Request body, parsed with the operation's `body` schema. */
  body: Body
  /** Sandbox that received the request. */
  sandbox: RequestSandbox
  /** Sandbox time of this request, as Unix time in milliseconds. */
  now: number
  /** Key of this request, which is unique even among identical requests and stable for a seed. */
  requestKey: string
  /** The matched rule's scripted reply, if any. */
  script: ScriptedReplyInput | undefined
  /** Records that the reply depends on an assumption. */
  assume(name: AssumptionName): void
  /** Adds a warning to the journal entry, without rejecting the request. */
  warn(message: string): void
  /** Reports usage for rate limits and the sandbox's totals. */
  used(usage: CallUsage): void
}

/**
 * A request's sandbox. If it is reset or restored during the request, the request still sees the earlier state, and
 * its changes are lost.
 */
export interface RequestSandbox {
  /** Sandbox id, such as `s1`. */
  readonly sandboxId: string
  /** Seed for all generated data. */
  readonly seed: string | number
  /** The sandbox's collections. */
  readonly db: Database
}

/** Additional context for built-in operations. */
export interface RequestContext<Params = unknown, Query = unknown, Body = unknown>
  extends ResolverContext<Params, Query, Body> {
  readonly sandbox: SandboxState
  /** Request headers; names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Conversation that the operation's protocol read from the body. */
  readonly conversation: Conversation
}

/**
 * An operation. `Params`, `Query` and `Body` are the validated parts of a request, `Output` is a successful reply's
 * JSON, and `Context` is the resolver's argument.
 */
export interface Operation<Params, Query, Body, Output, Context = RequestContext<Params, Query, Body>> {
  /** Id starting with a verb, such as `listProviders`. */
  readonly id: string
  readonly method: Method
  /** Path relative to the base URL, with parameters in braces: `/workspaces/{id}`. */
  readonly path: string
  readonly doc?: OperationDoc
  /** Request schemas. Parts without a schema are not passed to the resolver. */
  readonly input?: OperationInput<Params, Query, Body>
  /** Schema of a successful reply. The resolver's JSON replies with a status below 300 are checked against it. */
  readonly output: z.ZodType<unknown, Output>
  /** Error statuses that valid requests can receive. Default: none. */
  readonly errors?: readonly number[]
  /**
   * Assumption behind every reply, or, for each body field (`a` or `a.b`), the assumption behind its errors. Default:
   * none.
   */
  readonly assumes?: AssumptionName | Readonly<Record<string, AssumptionName>>
  readonly marks?: OperationMarks
  /** Protocol of an operation that replies to prompts. */
  readonly protocol?: Protocol<Body, Output>
  /** Set if the operation has no protocol but can return an event stream, so that rules can use stream faults. */
  readonly stream?: { readonly eventSchema?: z.ZodType | undefined }
  /** Responds to a validated request. Throws a `GatewayError` to reject it. */
  resolve(context: Context): OperationReply<Output> | Promise<OperationReply<Output>>
}

/** An operation's description in the OpenAPI document. */
export interface OperationDoc {
  readonly summary?: string
  readonly tag?: string
  /** If true, the operation is in beta and may have breaking changes. Spec: Versioning, 4. */
  readonly beta?: true
  /** A successful reply's status. Default: 200, or 204 without a body. */
  readonly status?: number
  /** Content type of a successful reply. Default: `application/json`. */
  readonly type?: string
  /** Returns the operation's schemas if they are not in `input` and `output`. */
  readonly schemas?: () => DocumentedSchemas
}

/** An operation's JSON schemas for the OpenAPI document. */
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
  /** Schema of the request headers, whose names are in lower case. */
  readonly headers?: z.ZodType
  readonly body?: z.ZodType<Body>
  /** If true, the body may be missing. */
  readonly bodyIsOptional?: true
  /** Parses the query string for `query`. Default: one string per name; repeated names are rejected. */
  readonly readQuery?: (search: string) => Record<string, unknown>
  /** Accepts bodies that are not JSON, which `body` validates as undefined. Default: they get a 415. */
  readonly otherBody?: OtherBody
}

export interface OperationMarks {
  /** If true, the operation is outside the specification, and its replies have the `extension` assumption. */
  readonly extension?: true
  /** If true, the operation changes the database, so no other write runs at the same time. */
  readonly writes?: true
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

/** Removes the parameter names from a path. Paths of the same shape match the same URLs. */
export function shapeOf(path: string): string {
  return path.replace(/\{[^}]*\}/g, '{}')
}
