/**
 * Who is calling. Spec: Authentication, 1.
 */
import { GatewayError, messages } from '../http/errors.ts'
import { sandboxIdOfKey } from './address.ts'
import type { Call } from './call.ts'

/** An `Authorization` header, as far as it could be read. */
export interface Bearer {
  readonly header: string | undefined
  /** Undefined where the header is missing, or malformed. */
  readonly key: string | undefined
  /** The sandbox whose key it looks like. */
  readonly sandboxId: string | undefined
}

/** The last one: most calls are from the same client. */
let last: Bearer = { header: undefined, key: undefined, sandboxId: undefined }

export function readBearer({ headers }: Call): Bearer {
  const header = headers['authorization']
  if (header !== last.header) {
    const key = /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1]
    last = { header, key, sandboxId: key === undefined ? undefined : sandboxIdOfKey(key) }
  }
  return last
}

/** Throws 401 where there is no key, or one that is not on the list. */
export function authenticate(
  { header, key, sandboxId }: Bearer,
  apiKeys: readonly string[] | undefined,
): void {
  if (header === undefined) throw unauthorized(messages[401])
  if (key === undefined) throw unauthorized('Malformed Authentication header: send Bearer and your key')
  if (apiKeys && sandboxId === undefined && !apiKeys.includes(key)) throw unauthorized('Invalid API key')
}

export function unauthorized(message: string): GatewayError {
  return new GatewayError(401, message, undefined, { headers: { 'www-authenticate': 'Bearer' } })
}
