/**
 * Step: the body of a request, its size and its type.
 */
import { GatewayError } from '../http/errors.ts'
import type { CallRecord } from '../journal/call-record.ts'
import type { Operation } from '../operation.ts'
import type { Call } from './call.ts'

/**
 * The body as sent; the empty string where there is none. Throws 413 for one above the limit, 415 for one that
 * is compressed.
 *
 * @param limit Bytes.
 * @param operation Where its bodies need not be JSON, bytes that are no text are let pass.
 */
export function readBody(call: Call, limit: number, operation?: Operation): Promise<string> | string {
  assertPlain(call)
  if (call.method === 'GET' || call.method === 'HEAD') return ''
  return call.readBody(limit, operation?.otherBody === undefined)
}

/**
 * Throws 415 for a body that says it is something else than JSON, unless its operation takes that; one that says nothing
 * is read as JSON.
 */
export function assertMediaType({ headers, requestText }: CallRecord, operation?: Operation): void {
  const said = headers['content-type']
  if (said === undefined || requestText === '' || (said === 'application/json' && !operation?.otherBody))
    return
  const type = said.split(';', 1)[0]?.trim().toLowerCase()
  const { types = [], isJsonToo = true } = operation?.otherBody ?? {}
  if (!type || (isJsonToo && (type === 'application/json' || type.endsWith('+json')))) return
  if (
    types.some((each) => type === each || (each.endsWith('*') && type.startsWith(each.split('*')[0] ?? '')))
  )
    return
  const taken = [...(isJsonToo ? ['application/json'] : []), ...types].join(' or ')
  throw new GatewayError(415, `Unsupported media type '${type}': send ${taken}`)
}

function assertPlain({ headers }: Call): void {
  const encoding = headers['content-encoding']?.trim().toLowerCase()
  if (!encoding || encoding === 'identity') return
  throw new GatewayError(415, `Unsupported content encoding '${encoding}': send the body uncompressed`)
}
