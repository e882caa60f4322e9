/**
 * An operation is a declared value, and everything derives from it: routing, request checks, MSW handlers, fault
 * matching, journal names, the OpenAPI document and the table in the README.
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

/** What a resolver may know of one request. Everything in it has passed the operation's schemas. */
export interface ResolverContext<Params = unknown, Query = unknown, Body = unknown> {
  /** Path parameters, as `params` makes them. */
  params: Params
  /** Query parameters, as `query` makes them. */
  query: Query
  /** The body, as `body` makes it. */
  body: Body
  /** The sandbox of the request. */
  sandbox: RequestSandbox
  /** Sandbox time of this request, in milliseconds since 1970. */
  now: number
  /** Tells this request from every other of the sandbox, the same ones included; stable for a seed. */
  requestKey: string
  /** What a rule scripts instead of the default answer, if one does. */
  script: ScriptedReplyInput | undefined
  /** Says that this answer rests on something that the specification leaves open. */
  assume(name: AssumptionName): void
  /** Says in the journal what a caller should know, without refusing. */
  warn(message: string): void
  /** Says what the reply uses, for quotas, budgets and the ledger of the sandbox. */
  used(usage: CallUsage): void
}

/** The sandbox of a request, in the state in which the request arrived. */
export interface RequestSandbox {
  /** Name of the sandbox, such as `s1`. */
  readonly sandboxId: string
  /** Seed of all generated data. */
  readonly seed: string | number
  /** The collections. */
  readonly db: Database
}

/** What the operations of this package see in addition. */
export interface RequestContext<Params = unknown, Query = unknown, Body = unknown>
  extends ResolverContext<Params, Query, Body> {
  readonly sandbox: SandboxState
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The conversation in the body, as the operation's protocol reads it; read once for a request. */
  readonly conversation: Conversation
}

/**
 * `Params`, `Query` and `Body` are the checked parts of a request, `Output` is the JSON of a successful reply, `Context`
 * is what the resolver gets.
 */
export interface Operation<Params, Query, Body, Output, Context = RequestContext<Params, Query, Body>> {
  /** Verb first: `listProviders`. */
  readonly id: string
  readonly method: Method
  /** Below the base address, with parameters in braces: `/workspaces/{id}`. */
  readonly path: string
  readonly doc?: OperationDoc
  /** Schemas of a request. The resolver gets no parameters, query or body without a schema. */
  readonly input?: OperationInput<Params, Query, Body>
  /** Schema of a successful reply; every reply of the resolver is checked against it. */
  readonly output: z.ZodType<unknown, Output>
  /** Statuses of refusals of requests that match the schemas. Default: none. */
  readonly errors?: readonly number[]
  /**
   * The assumption that every reply rests on, or, by field of the body (`a` or `a.b`), those that a refusal of the field
   * rests on. Default: none.
   */
  readonly assumes?: AssumptionName | Readonly<Record<string, AssumptionName>>
  readonly marks?: OperationMarks
  /** The protocol of an operation that answers prompts. */
  readonly protocol?: Protocol<Body, Output>
  /** Set for any other operation that may reply with an event stream: rules may use the faults of streams. */
  readonly stream?: { readonly eventSchema?: z.ZodType | undefined }
  /** Responds to a checked request. Throws a `GatewayError` to refuse it. */
  resolve(context: Context): OperationReply<Output> | Promise<OperationReply<Output>>
}

/** The operation in the OpenAPI document. */
export interface OperationDoc {
  readonly summary?: string
  readonly tag?: string
  /** If true, the operation may change in breaking ways. Spec: Versioning, 4. */
  readonly beta?: true
  /** Status of a successful reply. Default: 200, or 204 without a body. */
  readonly status?: number
  /** Content type of a successful reply. Default: `application/json`. */
  readonly type?: string
  /** If true, the extra that has the operation describes it. */
  readonly isDescribed?: true
  /** Returns the schemas of the operation, if `input` and `output` do not have them. */
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
  /** If true, a request may come without a body. */
  readonly bodyIsOptional?: true
  /** Reads the query string for `query`. Default: one string for each name, and a repeated name is refused. */
  readonly readQuery?: (search: string) => Record<string, unknown>
  /** Accepts bodies that are not JSON; `body` checks them as undefined. Default: they are refused with 415. */
  readonly otherBody?: OtherBody
}

export interface OperationMarks {
  /** If true, the operation is outside the specification, and its replies name the assumption `extension`. */
  readonly extension?: true
  /** If true, the operation changes the database, and waits for its turn. */
  readonly writes?: true
}

/** An operation of any types. The gateway checks a request before it calls `resolve`, and needs none of them. */
// biome-ignore lint/suspicious/noExplicitAny: parameters and results vary in opposite directions
export type AnyOperation = Operation<any, any, any, any, any>

export interface OtherBody {
  /** Content types in lower case; `audio/*` matches all subtypes. */
  readonly types: readonly string[]
  /** If true, JSON is accepted too. */
  readonly isJsonToo: boolean
}

/** A reply whose JSON body matches the output schema; it may contain frozen rows of the database. */
export type OperationReply<Output> = Reply<Frozen<Output>>

/** Rows of the database come frozen. */
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
