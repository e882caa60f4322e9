/** Reads users' operations when a gateway is created. */
import * as z from 'zod'
import { toDatabase, WriteQueue } from '../database/database.ts'
import { GatewayError } from '../http/errors.ts'
import { HeaderRecord } from '../http/header-record.ts'
import { announcesEvents, type Reply } from '../http/reply.ts'
import { toViolations } from '../http/violations.ts'
import { about, check, shown } from '../lib/schema-messages.ts'
import { type AnyOperation, type RequestContext, type Schema, shapeOf } from '../operation.ts'
import { textOperations } from '../scenarios/names.ts'

/** Throws a one-line error if the declaration is invalid or conflicts with another operation. */
export function customOperation(input: object, others: readonly AnyOperation[]): AnyOperation {
  const { id } = input as AnyOperation
  const { error } = check(Declaration, input)
  const violations = error ? toViolations(error, '') : []
  const first = violations.find(({ rule }) => rule === 'unrecognized_keys') ?? violations[0]
  const problem = first
    ? about(first.path.slice(1), first.message)
    : conflictOf(input as AnyOperation, others)
  if (problem !== undefined)
    throw new TypeError(`createGateway: ${id ? `operation '${id}'` : 'an operation'}: ${problem}`)
  const operation = input as AnyOperation
  return { ...operation, isCustom: true, resolve: (context: RequestContext) => resolve(operation, context) }
}

const Declaration = z.lazy(() => {
  const schema = z.custom<Schema>(
    isSchema,
    'must be a Standard Schema, for example from zod, Valibot or ArkType',
  )
  const part = schema.optional()
  const shape = {
    id: z.string().min(1),
    method: z.enum(['get', 'post', 'put', 'patch', 'delete']),
    path: z
      .string()
      .regex(/^\/[^\s?#]*$/, 'must start with a slash and be relative to the base URL, such as /reports/{id}')
      .refine((path) => !path.startsWith('/api/v1/'), 'must be relative to the base URL: omit /api/v1')
      .refine((path) => path === withBraces(path), {
        error: ({ input }) => `must have parameters in braces; write ${withBraces(String(input))}`,
      }),
    doc: z.object({}).optional(),
    input: z
      .custom((value) => !isSchema(value), 'must be { params, query, headers, body }, each a schema')
      .pipe(
        z.strictObject({
          params: part,
          query: part,
          headers: part,
          body: part,
          bodyIsOptional: z.boolean().optional(),
        }),
      )
      .optional(),
    output: schema,
    errors: z.array(z.int()).optional(),
    writes: z.boolean().optional(),
    streams: z.custom((value) => typeof value === 'boolean' || isSchema(value), streamsForm).optional(),
    resolve: z.custom((value) => typeof value === 'function', 'must be a function that returns a reply'),
  }
  return z.strictObject(shape)
})

const streamsForm = 'must be true, or a Standard Schema of the events'

/** ArkType schemas are functions. */
function isSchema(value: unknown): boolean {
  return typeof Object(value)['~standard']?.validate === 'function'
}

function withBraces(path: string): string {
  return path.replace(/(?<=\/):(\w+)/g, '{$1}')
}

function conflictOf({ id, method, path, input }: AnyOperation, others: readonly AnyOperation[]) {
  if (id === textOperations)
    return `the id '${textOperations}' is reserved: in rules, it means every operation that generates text`
  const other = others.find((each) => conflicts(each, { id, method, path }))
  if (other?.id === id) return 'another operation has the same id; to change its replies, use rules'
  if (other) return `${method.toUpperCase()} ${path} is already defined by '${other.id}'`
  const extra = Object.keys(Object(Object(input?.params).shape)).find((name) => !path.includes(`{${name}}`))
  return extra && `input.params.${extra} is not a parameter of ${path}`
}

type Named = Pick<AnyOperation, 'id' | 'method' | 'path'>

export function conflicts(one: Named, other: Named): boolean {
  return one.id === other.id || (one.method === other.method && shapeOf(one.path) === shapeOf(other.path))
}

/**
 * Calls the user's function. Returns a 500 that names the operation if the function throws anything but a
 * `GatewayError` with a status from 400 to 599, or returns anything but a reply.
 */
async function resolve(
  { id, resolve, writes, streams }: AnyOperation,
  context: RequestContext,
): Promise<Reply> {
  const bug = (problem: string, cause?: unknown) =>
    Object.assign(new GatewayError(500, `resolve() of the '${id}' operation ${problem}`), { cause })
  const { id: sandboxId, seed, database } = context.sandbox
  const before = database.snapshot()
  const changes = new WriteQueue()
  // Changes through its `db` do not wait for the operation itself.
  const sandbox = { id: sandboxId, seed, db: toDatabase(database.seedData, () => database, changes) }
  let reply: Reply
  try {
    reply = await resolve(writes ? { ...context, sandbox } : context)
  } catch (error) {
    // In the queue, because the resolver may not have awaited all of its changes.
    if (writes) await changes.run(() => database.restore(before))
    if (!(error instanceof GatewayError)) throw bug(`threw ${error}`, error)
    const { status } = error
    if (Number.isInteger(status) && status >= 400 && status <= 599) throw error
    throw bug(`threw a GatewayError with the status ${shown(status)}; it must be 400 to 599`, error)
  }
  if (!streams && announcesEvents(Object(reply).headers ?? {}))
    throw bug('returned an event stream: add streams: true to the operation')
  if (typeof Object(reply).body?.kind !== 'string')
    throw bug(`must return a reply, such as ok({ … }), got ${shown(reply)}`)
  const [issue] = check(HeaderRecord, Object(reply.headers)).error?.issues ?? []
  if (issue) throw bug(`returned an invalid header: ${about(issue.path.join('.'), issue.message)}`)
  if (reply.body.kind !== 'json') return reply
  const { value } = reply.body
  try {
    return { ...reply, body: { kind: 'json', value, text: JSON.stringify(value) } }
  } catch (error) {
    throw bug('returned a body that JSON.stringify rejects', error)
  }
}
