/**
 * Checks a request against its operation's schemas: everything that is wrong with it, at once.
 */
import * as z from 'zod'
import { invalidRequest, type Violation } from '../http/errors.ts'
import { pathOf, toViolations } from '../http/violations.ts'
import type { Operation } from '../operation.ts'
import { check, inner } from '../resources/check.ts'

export interface RawRequest {
  readonly params: Record<string, string>
  /** The query with its question mark, or the empty string. */
  readonly search: string
  /** Parsed JSON; undefined where there was no body. */
  readonly body: unknown
}

export interface CheckedRequest {
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  /** What the request has and the operation does not know, as paths. */
  readonly unknown: readonly string[]
}

/** Throws a 400 that lists all violations; with `strict`, unknown fields are among them. */
export function checkRequest(
  operation: Pick<Operation, 'params' | 'query' | 'body'>,
  request: RawRequest,
  strict: boolean,
): CheckedRequest {
  const violations: Violation[] = []
  const checked = (schema: z.ZodType | undefined, value: unknown, root: string): unknown => {
    if (!schema) return undefined
    const result = check(schema, value)
    if (!result.success) violations.push(...toViolations(result.error, root))
    return result.data
  }

  const given = readQuery(request.search, violations)
  const params = checked(operation.params, request.params, 'params')
  const query = checked(operation.query, given, 'query')
  const body = checked(operation.body, request.body, 'body')
  const unknown = [
    ...unknownFields(operation.query, given, 'query'),
    ...unknownFields(operation.body, request.body, 'body'),
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
