/**
 * Operations of a person's own, checked when the gateway is made.
 */

import * as z from 'zod'
import { invalidRequest, SchemaViolation, type Violation } from '../http/errors.ts'
import { shapeOf } from '../http/openapi-document.ts'
import type { Reply } from '../http/reply.ts'
import { pathOf, toViolations } from '../http/violations.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import type {
  AnyOperation,
  DocumentedSchemas,
  Frozen,
  Method,
  RequestContext,
  ResolverContext,
} from '../operation.ts'
import type { CustomOperation } from '../sandbox/options-input.ts'
import { type CustomOperationId, textOperations } from '../scenarios/names.ts'

/** A Standard Schema: of zod, Valibot, ArkType, or your own. It may validate asynchronously. */
export interface Schema<Input = unknown, Output = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => Validation<Output> | Promise<Validation<Output>>
    readonly types?: { readonly input: Input; readonly output: Output } | undefined
    /** For the OpenAPI document. Default: `{}`. */
    readonly jsonSchema?: { readonly input: ToJsonSchema; readonly output: ToJsonSchema } | undefined
  }
}

type ToJsonSchema = (options: { readonly target: string }) => Record<string, unknown>

/** The checked value, or the issues that refuse it. */
type Validation<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] }

interface Issue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

type InputOf<Of extends Schema> = NonNullable<Of['~standard']['types']>['input']
type OutputOf<Of extends Schema> = NonNullable<Of['~standard']['types']>['output']

/** An operation as a person declares it. */
export interface OperationDefinition<
  Params extends Schema = Schema,
  Query extends Schema = Schema,
  Body extends Schema = Schema,
  Response extends Schema = Schema,
> {
  /** Verb first: `listReports`. Rules and the journal know it by this. */
  readonly id: string
  /** Of HTTP, in lower or upper case. */
  readonly method: Method | Uppercase<Method>
  /** Below the base address, with parameters in braces: `/reports/{id}`. */
  readonly path: string
  /** What it does, in a few words, for the document. Default: none. */
  readonly summary?: string
  /** Group of the operation in the document. Default: none. */
  readonly tag?: string
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
    context: ResolverContext<OutputOf<Params>, OutputOf<Query>, OutputOf<Body>>,
  ): Reply<Frozen<InputOf<Response>>> | Promise<Reply<Frozen<InputOf<Response>>>>
}

/** The same, declared: rules name it by `on: getReport.id`. */
export interface DeclaredOperation<Id extends string = string> extends CustomOperation {
  /** For rules and the journal: `on: getReport.id`. */
  readonly id: Id & CustomOperationId
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
>(
  operation: OperationDefinition<Params, Query, Body, Response> & { readonly id: Id },
): DeclaredOperation<Id> {
  // A brand that only the compiler knows.
  return operation as typeof operation & DeclaredOperation<Id>
}

const methods = ['get', 'post', 'put', 'patch', 'delete']
const schemas = ['params', 'query', 'headers', 'body', 'response', 'events'] as const

/** Returns the declaration as an operation. Throws one clear line for what is wrong with it. */
export function ownOperation(given: object, known: readonly AnyOperation[]): AnyOperation {
  const own = given as Readonly<Record<string, unknown>>
  const name = typeof own['id'] === 'string' && own['id'] !== '' ? `operation '${own['id']}'` : 'an operation'
  const operation = () => toOperation(given as OperationDefinition)
  const problem = shapeProblem(own) ?? nameProblem(operation(), known)
  if (problem !== undefined) throw new TypeError(`createGateway: ${name}: ${problem}`)
  return operation()
}

/** The schemas of a declaration check a request when it resolves, as they may be asynchronous: until then it is open. */
const anything = z.lazy(() => z.unknown())

function toOperation(own: OperationDefinition): AnyOperation {
  const { id, path, summary, tag, params, query, body, bodyIsOptional } = own
  return {
    id,
    method: own.method.toLowerCase() as Method,
    path,
    doc: { summary, tag, schemas: () => documented(own) },
    input: {
      params: params && anything,
      query: query && anything,
      body: body && anything,
      bodyIsOptional: bodyIsOptional || undefined,
    },
    output: anything,
    errors: own.refuses,
    marks: { writes: own.writes || undefined },
    ...(own.streams && { stream: {} }),
    resolve: (context: RequestContext) => resolve(own, context),
  }
}

async function resolve(own: OperationDefinition, context: RequestContext): Promise<Reply> {
  const violations: Violation[] = []
  const checked = async (schema: Schema | undefined, value: unknown, root: string) => {
    const result = await schema?.['~standard'].validate(value)
    if (!result?.issues) return result?.value
    violations.push(...violationsOf(schema as Schema, result.issues, root))
  }
  const params = await checked(own.params, context.params, 'params')
  const query = await checked(own.query, context.query, 'query')
  await checked(own.headers, context.headers, 'header')
  const body = await checked(own.body, context.body, 'body')
  if (violations.length > 0) {
    context.assume('violations')
    throw invalidRequest(violations)
  }
  const { sandbox, now, requestKey, script, assume, warn, used } = context
  const reply = await own.resolve({
    params,
    query,
    body,
    sandbox,
    now,
    requestKey,
    script,
    assume,
    warn,
    used,
  })
  if (reply.body.kind !== 'json' || reply.status >= 300) return reply
  await checked(own.response, reply.body.value, 'reply')
  if (violations.length > 0) throw new SchemaViolation(own.id, violations)
  return reply
}

function violationsOf(schema: Schema, issues: readonly Issue[], root: string): Violation[] {
  if (schema['~standard'].vendor === 'zod') return toViolations({ issues } as z.core.$ZodError, root)
  return issues.map(({ message, path = [] }) => {
    const keys = path.map((step) => (typeof step === 'object' ? step.key : step))
    return { path: pathOf(root, keys), message, rule: 'schema' }
  })
}

/** Schemas as JSON Schema, from libraries that offer it. */
function documented(own: OperationDefinition): DocumentedSchemas {
  const names = [...own.path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => [name, { type: 'string' }])
  const params = own.params && toJsonSchema(own.params, 'input')
  return {
    // A document has to declare each parameter of a path.
    params: { properties: { ...Object.fromEntries(names), ...(params?.['properties'] as object) } },
    query: own.query && toJsonSchema(own.query, 'input'),
    body: own.body && toJsonSchema(own.body, 'input'),
    output: toJsonSchema(own.response, 'output'),
    event: own.events && toJsonSchema(own.events, 'output'),
  }
}

/** By the extension of Standard Schema; `{}` without it, and for a schema that JSON Schema cannot say in one piece. */
function toJsonSchema(schema: Schema, side: 'input' | 'output'): Record<string, unknown> {
  try {
    const { $schema: _, ...json } = schema['~standard'].jsonSchema?.[side]({ target: 'draft-2020-12' }) ?? {}
    return JSON.stringify(json).includes('"$ref"') ? {} : json
  } catch {
    return {}
  }
}

function shapeProblem(own: Readonly<Record<string, unknown>>): string | undefined {
  for (const field of ['id', 'method', 'path'])
    if (typeof own[field] !== 'string' || own[field] === '')
      return `${field} must be a string, and is missing`
  const method = String(own['method']).toLowerCase()
  if (!methods.includes(method))
    return `method '${own['method']}' is none of ${methods.join(', ')}${didYouMean(method, methods)}`
  const path = String(own['path'])
  if (!/^\/[^\s?#]*$/.test(path))
    return `path '${path}' must begin with a slash, below the base address, as /reports/{id}`
  const braced = path.replace(/(?<=\/):(\w+)/g, '{$1}')
  if (braced !== path) return `path '${path}': write ${braced}`
  if (typeof own['resolve'] !== 'function')
    return 'resolve must be a function that returns a reply, as ok({ … })'
  if (own['response'] === undefined) return 'response is missing: the schema of what it answers'
  for (const field of schemas)
    if (own[field] !== undefined && !isSchema(own[field]))
      return `${field} must be a Standard Schema, of zod, Valibot or ArkType for example`
  return undefined
}

/** Schemas of ArkType are functions. */
function isSchema(value: unknown): boolean {
  const standard = Object(value)['~standard']
  return typeof standard?.validate === 'function'
}

function nameProblem({ id, method, path }: AnyOperation, known: readonly AnyOperation[]): string | undefined {
  if (id === textOperations)
    return `the id '${textOperations}' is reserved: in rules, it means every operation that answers with text`
  if (known.some((other) => other.id === id)) return 'there is an operation of this id already'
  const same = known.find((other) => other.method === method && shapeOf(other.path) === shapeOf(path))
  return same && `${method.toUpperCase()} ${path} is answered by '${same.id}' already`
}
