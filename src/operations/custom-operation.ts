/**
 * Custom operations, validated when the gateway is created.
 */

import * as z from 'zod'
import { GatewayError, invalidRequest, SchemaViolation, type Violation } from '../http/errors.ts'
import type { Reply } from '../http/reply.ts'
import { pathOf, toViolations } from '../http/violations.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { shown } from '../lib/schema-messages.ts'
import {
  type AnyOperation,
  type DocumentedSchemas,
  type Frozen,
  type Method,
  type RequestContext,
  type ResolverContext,
  shapeOf,
} from '../operation.ts'
import type { CustomOperation } from '../sandbox/options-input.ts'
import { type CustomOperationId, textOperations } from '../scenarios/names.ts'

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

type InputOf<Of extends Schema> = NonNullable<Of['~standard']['types']>['input']
type OutputOf<Of extends Schema> = NonNullable<Of['~standard']['types']>['output']

/** A custom operation's definition, as passed to `defineOperation`. */
export interface OperationDefinition<
  Params extends Schema = Schema,
  Query extends Schema = Schema,
  Body extends Schema = Schema,
  Response extends Schema = Schema,
> {
  /**
   * Id by which rules and the journal refer to the operation. By convention, it starts with a verb: `listReports`.
   */
  readonly id: string
  /** HTTP method in lower or upper case. */
  readonly method: Method | Uppercase<Method>
  /** Path relative to the base URL, with parameters in braces: `/reports/{id}`. */
  readonly path: string
  /** Short summary for the OpenAPI document. Default: none. */
  readonly summary?: string
  /** Name of the operation's group in the OpenAPI document. Default: none. */
  readonly tag?: string
  /** If true, the operation changes the database, so no other write runs at the same time. Default: false. */
  readonly writes?: boolean
  /** If true, the operation can return an event stream, and rules can use stream faults. Default: false. */
  readonly streams?: boolean
  /** Schema of the stream's events, for the OpenAPI document. Default: anything. */
  readonly events?: Schema
  /** Error statuses that valid requests can receive, for the OpenAPI document. Default: none. */
  readonly refuses?: readonly number[]
  /** Schema of the path parameters. Default: not validated. */
  readonly params?: Params
  /** Schema of the query, which has one string per name. Default: not validated. */
  readonly query?: Query
  /** Schema of the headers, with names in lower case. Default: not validated. */
  readonly headers?: Schema
  /** Schema of the body. Default: no body. */
  readonly body?: Body
  /** If true, the body may be missing. Default: false. */
  readonly bodyIsOptional?: boolean
  /**
   * Schema of successful replies. JSON replies from `resolve` with a status below 300 are checked against it.
   */
  readonly response: Response
  /** Responds to a validated request. Throw a `GatewayError` to reject it. */
  resolve(
    context: ResolverContext<OutputOf<Params>, OutputOf<Query>, OutputOf<Body>>,
  ): Reply<Frozen<InputOf<Response>>> | Promise<Reply<Frozen<InputOf<Response>>>>
}

/** An operation declared with `defineOperation`. */
export interface DeclaredOperation<Id extends string = string> extends CustomOperation {
  /** Operation id for rules and the journal, as in `on: getReport.id`. */
  readonly id: Id & CustomOperationId
}

/**
 * Declares a custom operation. Pass it to `createGateway({ operations: [getReport] })`, which validates the
 * definition.
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
  // The id's brand exists only at compile time.
  return operation as typeof operation & DeclaredOperation<Id>
}

/** Converts a definition to an operation. Throws a one-line error if it is invalid. */
export function customOperation(input: object, others: readonly AnyOperation[]): AnyOperation {
  const id = Reflect.get(input, 'id')
  const [issue] = Definition.safeParse(input).error?.issues ?? []
  const operation = () => toOperation(input as OperationDefinition)
  const problem = issue ? `${issue.path.join('.')} ${issue.message}` : conflictOf(operation(), others)
  if (problem === undefined) return operation()
  throw new TypeError(`createGateway: ${id ? `operation '${id}'` : 'an operation'}: ${problem}`)
}

/** Checks a definition, except for conflicts with other operations. */
const Definition = z.lazy(() => {
  const methods = ['get', 'post', 'put', 'patch', 'delete']
  const text = z.string('must be a string').min(1, 'must not be empty')
  // ArkType schemas are functions.
  const schema = z.custom<Schema>(
    (value) => typeof Object(value)['~standard']?.validate === 'function',
    'must be a Standard Schema, for example from zod, Valibot or ArkType',
  )
  return z.looseObject({
    id: text,
    method: z
      .string("must be a string, such as 'get'")
      .refine((method) => methods.includes(method.toLowerCase()), {
        error: ({ input }) =>
          `'${input}' is not one of ${methods.join(', ')}${didYouMean(String(input), methods)}`,
      }),
    path: text
      .regex(/^\/[^\s?#]*$/, 'must start with a slash and be relative to the base URL, such as /reports/{id}')
      .refine((path) => !path.startsWith('/api/v1/'), 'must be relative to the base URL: omit /api/v1')
      .refine((path) => path === withBraces(path), {
        error: ({ input }) => `'${input}'; write ${withBraces(String(input))}`,
      }),
    resolve: z.custom((value) => typeof value === 'function', 'must be a function that returns a reply'),
    response: schema,
    params: schema.optional(),
    query: schema.optional(),
    headers: schema.optional(),
    body: schema.optional(),
    events: schema.optional(),
  })
})

/** Converts parameters from `:id` to `{id}`. */
function withBraces(path: string): string {
  return path.replace(/(?<=\/):(\w+)/g, '{$1}')
}

/** Accepts any value, because the definition's schemas may be asynchronous and validate in `resolve` instead. */
const anything = z.lazy(() => z.unknown())

function toOperation(definition: OperationDefinition): AnyOperation {
  const { id, path, summary, tag, params, query, body, bodyIsOptional } = definition
  return {
    id,
    method: definition.method.toLowerCase() as Method,
    path,
    doc: { summary, tag, schemas: () => documentedSchemas(definition) },
    input: {
      params: params && anything,
      query: query && anything,
      body: body && anything,
      bodyIsOptional: bodyIsOptional || undefined,
    },
    output: anything,
    errors: definition.refuses,
    marks: { writes: definition.writes || undefined },
    ...(definition.streams && { stream: {} }),
    resolve: (context: RequestContext) => resolve(definition, context),
  }
}

async function resolve(definition: OperationDefinition, context: RequestContext): Promise<Reply> {
  const violations: Violation[] = []
  const validate = async (schema: Schema | undefined, value: unknown, root: string) => {
    const result = await schema?.['~standard'].validate(value)
    if (!result?.issues) return result?.value
    violations.push(...violationsOf(schema as Schema, result.issues, root))
  }
  const params = await validate(definition.params, context.params, 'params')
  const query = await validate(definition.query, context.query, 'query')
  await validate(definition.headers, context.headers, 'header')
  const body = await validate(definition.body, context.body, 'body')
  if (violations.length > 0) throw invalidRequest(violations)
  const { sandbox, now, requestKey, script, assume, warn, used } = context
  const reply = await resolved(definition, {
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
  if (typeof Object(reply).body?.kind !== 'string')
    throw new GatewayError(
      500,
      `resolve() of the '${definition.id}' operation must return a reply, such as ok({ … }), got ${shown(reply)}`,
    )
  if (reply.body.kind !== 'json' || reply.status >= 300) return reply
  await validate(definition.response, reply.body.value, 'reply')
  if (violations.length > 0) throw new SchemaViolation(definition.id, violations)
  return reply
}

/**
 * Calls `resolve`. Any error except a `GatewayError` with a status from 400 to 599 becomes a 500 that names the
 * operation, because the bug is in the user's code.
 */
async function resolved(
  { id, resolve }: OperationDefinition,
  context: Parameters<OperationDefinition['resolve']>[0],
): Promise<Reply> {
  try {
    return await resolve(context)
  } catch (error) {
    const isError = error instanceof GatewayError
    if (isError && Number.isInteger(error.status) && error.status >= 400 && error.status <= 599) throw error
    const problem = isError
      ? `a GatewayError with the status ${shown(error.status)}; it must be 400 to 599`
      : String(error)
    const rejection = new GatewayError(500, `resolve() of the '${id}' operation threw ${problem}`)
    throw Object.assign(rejection, { cause: error })
  }
}

function violationsOf(schema: Schema, issues: readonly Issue[], root: string): Violation[] {
  if (schema['~standard'].vendor === 'zod') return toViolations({ issues } as z.core.$ZodError, root)
  return issues.map(({ message, path = [] }) => {
    const keys = path.map((step) => (typeof step === 'object' ? step.key : step))
    return { path: pathOf(root, keys), message, rule: 'schema' }
  })
}

/** Returns the schemas as JSON Schema, if their libraries support it. */
function documentedSchemas(definition: OperationDefinition): DocumentedSchemas {
  const names = [...definition.path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => [name, { type: 'string' }])
  const params = definition.params && toJsonSchema(definition.params, 'input')
  return {
    // OpenAPI requires each path parameter to be declared.
    params: { properties: { ...Object.fromEntries(names), ...(params?.['properties'] as object) } },
    query: definition.query && toJsonSchema(definition.query, 'input'),
    body: definition.body && toJsonSchema(definition.body, 'input'),
    output: toJsonSchema(definition.response, 'output'),
    event: definition.events && toJsonSchema(definition.events, 'output'),
  }
}

/**
 * Converts a schema if it supports Standard Schema's JSON Schema extension. Otherwise, or if the result has
 * references, returns `{}`.
 */
function toJsonSchema(schema: Schema, side: 'input' | 'output'): Record<string, unknown> {
  try {
    const { $schema: _, ...json } = schema['~standard'].jsonSchema?.[side]({ target: 'draft-2020-12' }) ?? {}
    return JSON.stringify(json).includes('"$ref"') ? {} : json
  } catch {
    return {}
  }
}

function conflictOf({ id, method, path }: AnyOperation, others: readonly AnyOperation[]): string | undefined {
  if (id === textOperations)
    return `the id '${textOperations}' is reserved: in rules, it means every operation that generates text`
  if (others.some((other) => other.id === id)) return 'another operation has the same id'
  const other = others.find((each) => each.method === method && shapeOf(each.path) === shapeOf(path))
  return other && `${method.toUpperCase()} ${path} is already defined by '${other.id}'`
}
