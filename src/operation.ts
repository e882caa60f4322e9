/**
 * The one central idea: an operation is a declared value, and everything derives from it: routing, request
 * checks, MSW handlers, fault matching, journal names, the OpenAPI document and the table in the README.
 */
import type * as z from 'zod'
import type { AssumptionName } from './assumptions.ts'
import type { StreamProtocol } from './faults/protocol.ts'
import type { Reply } from './http/reply.ts'
import type { CallUsage } from './journal/ledger.ts'
import type { Conversation } from './rules/conversation.ts'
import type { ScriptedReply } from './rules/scripted-reply.ts'
import type { SandboxState } from './sandbox/sandbox-state.ts'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** What a resolver may know of one request. Everything in it has passed the operation's schemas. */
export interface ResolverContext<Params = unknown, Query = unknown, Body = unknown> {
  /** Path parameters, as `params` makes them. */
  params: Params
  /** Query parameters, as `query` makes them. */
  query: Query
  /** The body, as `body` makes it. */
  body: Body
  /** The sandbox in the state in which the request arrived. */
  sandbox: SandboxState
  /** Sandbox time of this request, in milliseconds since 1970. */
  now: number
  /** Tells this request from every other of the sandbox, the same ones included; stable for a seed. */
  requestKey: string
  /** What a rule scripts instead of the default answer, if one does. */
  script: ScriptedReply | undefined
  /** Says that this answer rests on something that the specification leaves open. */
  assume(name: AssumptionName): void
  /** Says in the journal what a caller should know, without refusing. */
  warn(message: string): void
  /** Says what the reply uses, for quotas, budgets and the ledger of the sandbox. */
  used(usage: CallUsage): void
}

export interface Operation<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
> {
  /** Verb first: `listProviders`. */
  readonly id: string
  readonly method: Method
  /** Below the base address, with parameters in braces: `/workspaces/{id}`. */
  readonly path: string
  readonly summary: string
  readonly tag: string
  /** Outside the specification: every reply is marked with the assumption `extension`. Default: false. */
  readonly extension?: boolean
  /** What every answer of it rests on, refusals by its schemas included. Default: nothing. */
  readonly assumption?: AssumptionName
  /** In beta, so it may change in breaking ways. Default: false. Spec: Versioning, 4. */
  readonly beta?: boolean
  /** Changes the database, so it waits for its turn. Default: false. */
  readonly writes?: boolean
  /** May answer with an event stream, so rules may use the faults of streams. Default: false. */
  readonly streams?: boolean
  /** The events of its stream. */
  readonly events?: z.ZodType
  /** Statuses by which it refuses requests that its schemas accept. Default: none. */
  readonly refuses?: readonly number[]
  /** What its events are, where they are not those of Responses: faults find their places by it. */
  readonly streamProtocol?: StreamProtocol
  /** Reads a request, checked or not, as a conversation, for scripts. Default: it has none. */
  readonly readConversation?: (body: unknown, state?: SandboxState) => Conversation
  /** The models that a request names, checked or not, in the order in which they are asked. Default: `model` alone. */
  readonly modelsOf?: (body: unknown) => readonly string[] | undefined
  /** An error in the envelope of its own protocol. Default: that of the specification. */
  toError?(status: number, message: string, requestId: string): object
  readonly params?: Params
  readonly query?: Query
  /** Reads the query for `query`. Default: one text for each name, and a repeated name is refused. */
  readonly readQuery?: (search: string) => Record<string, unknown>
  /** Checks the headers; names in lower case. Default: they are not checked. */
  readonly headers?: z.ZodType
  readonly body?: Body
  /** Whether a request may come without its body. Default: false. */
  readonly bodyIsOptional?: boolean
  /** Bodies that are not JSON. Default: they are refused with 415. */
  readonly otherBody?: OtherBody
  /** The body in its place where responses are stored, or where a rule scripts the reply. Default: `body`. */
  readonly storingBody?: z.ZodType
  /** Fields of the body, `a` or `a.b`, whose rules rest on an assumption: a refusal of one names it. */
  readonly restsOn?: Readonly<Record<string, AssumptionName>>
  /** What a 200 holds; every answer of the resolver is checked against it. */
  readonly response: Response
  /** Answers a checked request; a promise only where it waits for something. Throws a `GatewayError` to refuse. */
  resolve(
    context: ResolverContext<z.infer<Params>, z.infer<Query>, z.infer<Body>>,
  ): Answer<Response> | Promise<Answer<Response>>
}

export interface OtherBody {
  /** Content types in lower case; `audio/*` stands for all of a kind. */
  readonly types: readonly string[]
  /** Whether JSON is taken too. */
  readonly isJsonToo: boolean
  /** What `body` checks. @param type The content type as sent. */
  read(text: string, type: string): unknown
}

/** A reply whose JSON body is what the response schema takes; it may hold frozen rows of the database. */
export type Answer<Response extends z.ZodType> = Reply<Frozen<z.input<Response>>>

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
export function defineOperation<
  const Id extends string,
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Response extends z.ZodType,
>(
  operation: Operation<Params, Query, Body, Response> & { readonly id: Id },
): Operation<Params, Query, Body, Response> & { readonly id: Id } {
  return operation
}
