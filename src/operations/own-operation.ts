/**
 * Operations of a person's own, checked when the gateway is made.
 */

import type * as z from 'zod'
import { shapeOf } from '../http/openapi-document.ts'
import type { Reply } from '../http/reply.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import type { AnyOperation, Frozen, ResolverContext } from '../operation.ts'
import type { OwnOperation } from '../sandbox/options-input.ts'
import type { OwnOperationId } from '../scenarios/names.ts'

/** A schema of zod 4, whichever copy of it. */
export interface Schema {
  readonly _zod: { readonly input: unknown; readonly output: unknown }
}

/** An operation as a person declares it. */
export interface OwnDeclaration<
  Params extends Schema = Schema,
  Query extends Schema = Schema,
  Body extends Schema = Schema,
  Response extends Schema = Schema,
> {
  /** Verb first: `listReports`. Rules and the journal know it by this. */
  readonly id: string
  /** Of HTTP, in small letters. */
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** Below the base address, with parameters in braces: `/reports/{id}`. */
  readonly path: string
  /** What it does, in a few words. */
  readonly summary: string
  /** Under which it stands in the document. */
  readonly tag: string
  /** Changes the database, so it waits for its turn. Default: false. */
  readonly writes?: boolean
  /** May answer with an event stream, so rules may use the faults of streams. Default: false. */
  readonly streams?: boolean
  /** The events of its stream, for the document. Default: anything. */
  readonly events?: Schema
  /** Statuses by which it refuses requests that its schemas accept, for the document. Default: none. */
  readonly refuses?: readonly number[]
  /** Checks the parameters of the path. Default: they are not checked. */
  readonly params?: Params
  /** Checks the query, a text for each name. Default: it is not checked. */
  readonly query?: Query
  /** Checks the headers; names in lower case. Default: they are not checked. */
  readonly headers?: Schema
  /** Checks the body. Default: it takes none. */
  readonly body?: Body
  /** Whether a request may come without its body. Default: false. */
  readonly bodyIsOptional?: boolean
  /** What a 200 holds; every answer of `resolve` is checked against it. */
  readonly response: Response
  /** Answers a checked request. Throws a `GatewayError` to refuse. */
  resolve(
    context: ResolverContext<Params['_zod']['output'], Query['_zod']['output'], Body['_zod']['output']>,
  ): Reply<Frozen<Response['_zod']['input']>> | Promise<Reply<Frozen<Response['_zod']['input']>>>
}

/** The same, declared: rules name it by `on: getReport.id`. */
export interface DeclaredOperation<Id extends string = string> extends OwnOperation {
  /** For rules and the journal: `on: getReport.id`. */
  readonly id: Id & OwnOperationId
}

/**
 * Declares an operation of your own, for `createGateway({ operations: [getReport] })`, which checks it.
 *
 * @example
 * const getReport = defineOperation({
 *   id: 'getReport', method: 'get', path: '/reports/{id}', …
 *   resolve: ({ params }) => ok({ data: { id: params.id } }),
 * })
 */
export function defineOperation<
  const Id extends string,
  Params extends Schema,
  Query extends Schema,
  Body extends Schema,
  Response extends Schema,
>(operation: OwnDeclaration<Params, Query, Body, Response> & { readonly id: Id }): DeclaredOperation<Id> {
  // A brand that only the compiler knows.
  return operation as typeof operation & DeclaredOperation<Id>
}

const methods = ['get', 'post', 'put', 'patch', 'delete']
const texts = ['id', 'method', 'path', 'summary', 'tag']
const schemas = ['params', 'query', 'headers', 'body', 'response', 'events']

/** Returns the declaration as an operation. Throws one clear line for what is wrong with it. */
export function ownOperation(given: object, known: readonly AnyOperation[]): AnyOperation {
  const own = given as Readonly<Record<string, unknown>>
  const name = typeof own['id'] === 'string' && own['id'] !== '' ? `operation '${own['id']}'` : 'an operation'
  const problem = shapeProblem(own) ?? nameProblem(given as Checked, known)
  if (problem !== undefined) throw new TypeError(`createGateway: ${name}: ${problem}`)
  return toOperation(given as Checked)
}

/** A declaration whose schemas are known to be zod's. */
type Checked = OwnDeclaration<z.ZodType, z.ZodType, z.ZodType, z.ZodType> & {
  readonly headers?: z.ZodType
  readonly events?: z.ZodType
}

function toOperation(own: Checked): AnyOperation {
  const { id, method, path, summary, tag, params, query, headers, body, bodyIsOptional } = own
  return {
    id,
    method,
    path,
    doc: { summary, tag },
    input: { params, query, headers, body, bodyIsOptional: bodyIsOptional || undefined },
    output: own.response,
    errors: own.refuses,
    marks: { writes: own.writes || undefined },
    ...(own.streams && { stream: { eventSchema: own.events } }),
    resolve: (context) => own.resolve(context),
  }
}

function shapeProblem(own: Readonly<Record<string, unknown>>): string | undefined {
  for (const field of texts)
    if (typeof own[field] !== 'string' || own[field] === '')
      return `${field} must be a string, and is missing`
  if (!methods.includes(String(own['method'])))
    return `method '${own['method']}' is none of ${methods.join(', ')}${didYouMean(String(own['method']).toLowerCase(), methods)}`
  if (!/^\/[^\s?#]*$/.test(String(own['path'])))
    return `path '${own['path']}' must begin with a slash, below the base address, as /reports/{id}`
  if (typeof own['resolve'] !== 'function')
    return 'resolve must be a function that returns a reply, as ok({ … })'
  if (own['response'] === undefined) return 'response is missing: the zod schema of what it answers'
  for (const field of schemas)
    if (own[field] !== undefined && !isSchema(own[field])) return `${field} must be a schema of zod 4`
  return undefined
}

/** Also one of another copy of zod. */
function isSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null && '_zod' in value && 'safeParse' in value
}

function nameProblem({ id, method, path }: Checked, known: readonly AnyOperation[]): string | undefined {
  if (known.some((other) => other.id === id)) return 'there is an operation of this id already'
  const same = known.find((other) => other.method === method && shapeOf(other.path) === shapeOf(path))
  return same && `${method.toUpperCase()} ${path} is answered by '${same.id}' already`
}
