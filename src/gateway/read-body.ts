/**
 * Step: the body of a request, its size and its type.
 */
import { GatewayError } from '../http/errors.ts'
import type { CallRecord } from '../journal/call-record.ts'
import type { Call } from './call.ts'

/**
 * The body exactly as sent; the empty string where there is none. Throws 413 for one above the limit, 415 for one that
 * is compressed.
 *
 * @param limit Bytes.
 */
export function readBody(call: Call, limit: number): Promise<string> | string {
  assertPlain(call)
  return call.method === 'GET' || call.method === 'HEAD' ? '' : call.readBody(limit)
}

/** Throws 415 for a body that says it is something else than JSON; one that says nothing is read as JSON. */
export function assertJson({ headers, requestText }: CallRecord): void {
  const said = headers['content-type']
  if (said === undefined || said === 'application/json' || requestText === '') return
  const type = said.split(';', 1)[0]?.trim().toLowerCase()
  if (!type || type === 'application/json' || type.endsWith('+json')) return
  throw new GatewayError(415, `Unsupported media type '${type}': send application/json`)
}

function assertPlain({ headers }: Call): void {
  const encoding = headers['content-encoding']?.trim().toLowerCase()
  if (!encoding || encoding === 'identity') return
  throw new GatewayError(415, `Unsupported content encoding '${encoding}': send the body uncompressed`)
}
