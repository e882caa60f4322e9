/**
 * What a request is matched by: operation, path, query and the canonical body, without fields that change from call to
 * call and without secrets. The same request has the same key wherever it was recorded.
 */

import { toLatin1 } from '../lib/bytes.ts'
import { hash } from '../lib/seed.ts'
import { edited, readPath } from '../lib/value-path.ts'
import { withoutPlaceholders } from './secret-finder.ts'
import { bytesOf, type Tape, type TapeRequest } from './tape.ts'

/** Paths into a body whose values change from call to call and change no answer. */
export const volatileFields: readonly string[] = [
  'idempotency_key',
  'metadata.request_id',
  'metadata.session_id',
  'metadata.timestamp',
  'metadata.trace_id',
  'prompt_cache_key',
  'request_id',
  'safety_identifier',
  'session_id',
  'trace',
  'user',
]

/** What of a request counts. */
export interface KeyParts {
  readonly method: string
  /** Below the base address. */
  readonly path: string
  /** Parameters in the order of their names. */
  readonly query: string
  /** Of the canonical body. */
  readonly bodyHash: string
}

/** @param volatile Paths that do not count. */
export function keyPartsOf(request: TapeRequest, volatile: readonly string[]): KeyParts {
  const parameters = new URLSearchParams(request.query)
  parameters.sort()
  return {
    method: request.method === 'HEAD' ? 'GET' : request.method,
    path: request.path,
    query: withoutPlaceholders(parameters.toString()),
    bodyHash: hash(canonicalBody(request, volatile)),
  }
}

/** The key of a request to an operation. */
export function toKey(operation: string, { method, path, query, bodyHash }: KeyParts): string {
  return hash(operation, method, path, query, bodyHash)
}

/** The parts of a taped request; its head knows the body from before its texts became filler. */
export function tapedKeyParts({ head, request }: Tape, volatile: readonly string[]): KeyParts | undefined {
  if (!request) return undefined
  const parts = keyPartsOf(request, volatile)
  return head.bodyHash === undefined ? parts : { ...parts, bodyHash: head.bodyHash }
}

/** A JSON body with its keys in order and without volatile fields; any other body as it is. */
export function canonicalBody(request: TapeRequest, volatile: readonly string[]): string {
  const body = parsedBody(request)
  if (body === undefined) return withoutPlaceholders(toLatin1(bytesOf(request)))
  return withoutPlaceholders(JSON.stringify(sorted(comparableBody(body, volatile))))
}

/** A JSON body without volatile fields. */
export function comparableBody(body: unknown, volatile: readonly string[]): unknown {
  return volatile.reduce((left, path) => edited(left, readPath(path), () => undefined).value, body)
}

/** The body as JSON; undefined where it is none. */
export function parsedBody(request: Pick<TapeRequest, 'json' | 'text'>): unknown {
  if (request.json !== undefined) return request.json
  try {
    return request.text === undefined ? undefined : JSON.parse(request.text)
  } catch {
    return undefined
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1))
  return Object.fromEntries(entries.map(([name, inner]) => [name, sorted(inner)]))
}

/** The operation's id, or a name made of method and path. */
export function operationName(operation: string | undefined, method: string, path: string): string {
  return operation ?? `${method.toLowerCase()}${path.replace(/[^A-Za-z0-9]+/g, '-')}`.replace(/-$/, '')
}
