/**
 * Step: the request against its operation's schemas, everything that is wrong with it at once.
 */
import type * as z from 'zod'
import type { AssumptionName } from '../assumptions.ts'
import type { Dialect } from '../dialects/dialect.ts'
import { invalidRequest, type Violation } from '../http/errors.ts'
import { assertJsonBody } from '../http/json-body.ts'
import { pathOf, toViolations } from '../http/violations.ts'
import type { CallRecord } from '../journal/call-record.ts'
import { check } from '../lib/check.ts'
import { shortened } from '../lib/one-line.ts'
import type { Operation } from '../operation.ts'
import { unknownFields } from '../resources/unknown-fields.ts'
import type { SandboxState } from '../sandbox/sandbox-state.ts'
import { RequestContext } from './request-context.ts'
import { toOurs } from './translate.ts'

/** What changes a request before it is checked. */
export interface RequestReading {
  /** Whether a fault asks for a stream, or for none, whatever the request says. */
  readonly stream?: boolean | undefined
  readonly dialect?: Dialect | undefined
}

/** What the resolver sees. Throws a 400 that lists all violations; with `strict`, unknown fields are among them. */
export function checkRequest(
  operation: Operation,
  record: CallRecord<SandboxState>,
  { stream, dialect }: RequestReading,
): RequestContext {
  const { params, headers, state } = record
  const sent = { search: record.search, body: operation.body ? bodyOf(operation, record) : record.body }
  const { search, body: said } = dialect ? toOurs(dialect, operation.id, sent) : sent
  // A fault may ask for the other form of the answer.
  const body = stream === undefined ? said : { ...(said as object), stream }
  const schemas = operation.storingBody ? schemasFor(operation, record) : operation
  const { violations, given, ...parts } = readParts(schemas, { params, search, headers, body })
  const remarks = [
    ...(search === '' ? [] : remarksOn('query', operation.query, given)),
    ...(body === undefined ? [] : remarksOn('body', operation.body, body)),
  ]
  if (state.options.strict) {
    for (const { path, said, isTolerated } of remarks) {
      if (!isTolerated) violations.push({ path, message: `Unknown field${said}`, rule: 'unrecognized_keys' })
    }
  }
  if (violations.length > 0) {
    for (const name of assumptionsOf(operation, violations)) record.assume(name)
    throw invalidRequest(violations)
  }
  for (const { path, said } of remarks) {
    record.warn(`${path} is not known to ${operation.id} and was ignored${said}`)
  }
  return new RequestContext(record, parts)
}

/** The body as its schema takes it. Throws 400 where it is needed and not there, or is not what it has to be. */
function bodyOf(operation: Operation, { body, requestText, headers }: CallRecord): unknown {
  if (requestText === '' && operation.bodyIsOptional) return body
  const type = headers['content-type']
  if (operation.otherBody && type !== undefined && requestText !== '' && !/[/+]json\b/i.test(type))
    return operation.otherBody.read(requestText, type)
  if (requestText === '' && operation.otherBody?.isJsonToo === false)
    throw invalidRequest([{ path: 'body', message: 'A body is needed', rule: 'required' }])
  assertJsonBody(requestText, body)
  return body
}

/** Nothing depends on what is stored where a rule scripts the reply. */
function schemasFor(operation: Operation, { state, match }: CallRecord<SandboxState>): Schemas {
  const isFree = state.options.storedResponses || match?.effect.reply !== undefined
  return isFree ? { ...operation, body: operation.storingBody } : operation
}

/** The parts of a request as their schemas make them. Throws a 400 that lists all violations. */
export function checkParts(schemas: Schemas, sent: Sent): Parts {
  const { violations, ...parts } = readParts(schemas, sent)
  if (violations.length > 0) throw invalidRequest(violations)
  return parts
}

type Schemas = Pick<Operation, 'params' | 'query' | 'readQuery' | 'headers' | 'body'>

interface Sent {
  params: object
  search: string
  headers?: object
  body: unknown
}

interface Parts {
  params: unknown
  query: unknown
  body: unknown
}

function readParts(schemas: Schemas, sent: Sent): Parts & { given: unknown; violations: Violation[] } {
  const violations: Violation[] = []
  const checked = (schema: z.ZodType | undefined, value: unknown, root: string): unknown => {
    if (!schema) return undefined
    const result = check(schema, value)
    if (!result.success) for (const each of toViolations(result.error, root)) violations.push(each)
    return result.data
  }
  const given = schemas.readQuery?.(sent.search) ?? readQuery(sent.search, violations)
  const params = checked(schemas.params, sent.params, 'params')
  const query = checked(schemas.query, given, 'query')
  checked(schemas.headers, sent.headers, 'header')
  const body = checked(schemas.body, sent.body, 'body')
  return { params, query, body, given, violations }
}

/** A field that the operation does not know. */
interface Remark {
  path: string
  /** `: did you mean 'model'?`, how many more there are, or the empty string. */
  said: string
  /** Whether `strict` lets it pass: clients add `limit` and `offset` to every list. */
  isTolerated: boolean
}

function remarksOn(root: 'query' | 'body', schema: z.ZodType | undefined, sent: unknown): Remark[] {
  const { fields, more } = unknownFields(schema, sent)
  return fields.map(({ path, meant }, place) => {
    const others =
      more > 0 && place === fields.length - 1 ? `, as are ${more} more fields of the ${root}` : ''
    return {
      path: pathOf(
        root,
        path.map((key) => (typeof key === 'string' ? shortened(key, 100) : key)),
      ),
      said: (meant === undefined ? '' : `: did you mean '${meant}'?`) + others,
      isTolerated: root === 'query' && (path[0] === 'limit' || path[0] === 'offset'),
    }
  })
}

/** What a refusal for these violations rests on. */
function assumptionsOf(
  { restsOn = {}, assumption }: Operation,
  violations: readonly Violation[],
): Set<AssumptionName> {
  const names = new Set<AssumptionName>(['violations'])
  if (assumption) names.add(assumption)
  for (const { path, rule, message } of violations) {
    if (rule === 'repeated') names.add('repeatedParameter')
    if (rule === 'too_big' && message.includes(String(Number.MAX_SAFE_INTEGER))) names.add('largeIntegers')
    const [, field = '', inside = ''] = /^body\.(\w+)(\.\w+)?/.exec(path) ?? []
    for (const place of [field, field + inside]) {
      const name = Object.hasOwn(restsOn, place) ? restsOn[place] : undefined
      if (name) names.add(name)
    }
  }
  return names
}

const noQuery: Record<string, string> = Object.freeze({})

function readQuery(search: string, violations: Violation[]): Record<string, string> {
  if (search.length < 2) return noQuery
  const query: Record<string, string> = Object.create(null)
  for (const [name, value] of new URLSearchParams(search)) {
    if (name in query)
      violations.push({ path: pathOf('query', [name]), message: 'Given more than once', rule: 'repeated' })
    query[name] = value
  }
  return query
}
