/**
 * Step: the request against its operation's schemas, everything that is wrong with it at once.
 */
import * as z from 'zod'
import { invalidRequest, type Violation } from '../http/errors.ts'
import { assertJsonBody } from '../http/json-body.ts'
import { pathOf, toViolations } from '../http/violations.ts'
import type { CallRecord } from '../journal/call-record.ts'
import type { Operation } from '../operation.ts'
import { check, inner } from '../resources/check.ts'
import type { SandboxState } from '../sandbox/sandbox-state.ts'
import { RequestContext } from './request-context.ts'

/** What the resolver sees. Throws a 400 that lists all violations; unknown fields are warnings, or with `strict` 400s. */
export function checkRequest(
  operation: Operation,
  record: CallRecord<SandboxState>,
  stream: boolean | undefined,
): RequestContext {
  const { params, search, requestText, state } = record
  if (operation.body) assertJsonBody(requestText, record.body)
  // A fault may ask for the other form of the answer.
  const body = stream === undefined ? record.body : { ...(record.body as object), stream }
  const { unknown, ...checked } = checkParts(operation, { params, search, body }, state.options.strict)
  for (const path of unknown) record.warn(`${path} is not known to ${operation.id} and was ignored`)
  return new RequestContext(record, checked)
}

/** The parts of a request as their schemas make them, and the paths that the schemas do not know. */
export function checkParts(
  schemas: Pick<Operation, 'params' | 'query' | 'body'>,
  sent: { params: object; search: string; body: unknown },
  strict: boolean,
): { params: unknown; query: unknown; body: unknown; unknown: readonly string[] } {
  const violations: Violation[] = []
  const checked = (schema: z.ZodType | undefined, value: unknown, root: string): unknown => {
    if (!schema) return undefined
    const result = check(schema, value)
    if (!result.success) violations.push(...toViolations(result.error, root))
    return result.data
  }

  const given = readQuery(sent.search, violations)
  const params = checked(schemas.params, sent.params, 'params')
  const query = checked(schemas.query, given, 'query')
  const body = checked(schemas.body, sent.body, 'body')
  const unknown = [
    ...unknownFields(schemas.query, given, 'query'),
    ...unknownFields(schemas.body, sent.body, 'body'),
  ]
  if (strict) {
    for (const path of unknown) violations.push({ path, message: 'Unknown field', rule: 'unrecognized_keys' })
  }
  if (violations.length > 0) throw invalidRequest(violations)
  return { params, query, body, unknown }
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

function unknownFields(schema: z.ZodType | undefined, value: unknown, root: string): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  const object = schema instanceof z.ZodOptional ? schema.unwrap() : schema && inner(schema)
  const known = object instanceof z.ZodObject ? object.shape : {}
  const unknown = Object.keys(value).filter((name) => !Object.hasOwn(known, name))
  return unknown.length > 0 ? unknown.map((name) => pathOf(root, [name])) : unknown
}
