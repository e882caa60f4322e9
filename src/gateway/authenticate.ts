/**
 * Who is calling. Spec: Authentication, 1.
 */
import { GatewayError, messages } from '../http/errors.ts'
import { sandboxIdOfKey } from './address.ts'
import type { Call } from './call.ts'

/** The bearer's key. Throws 401 where there is none, or one that is not on the list. */
export function authenticate(call: Call, apiKeys: readonly string[] | undefined): string {
  if (call.headers['authorization'] === undefined) throw unauthorized(messages[401])
  const key = bearerOf(call)
  if (key === undefined) throw unauthorized('Malformed Authentication header: send Bearer and your key')
  if (apiKeys && sandboxIdOfKey(key) === undefined && !apiKeys.includes(key))
    throw unauthorized('Invalid API key')
  return key
}

/** The key in the `Authorization` header, where there is a well-formed one. */
export function bearerOf(call: Call): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(call.headers['authorization'] ?? '')?.[1]
}

export function unauthorized(message: string): GatewayError {
  return new GatewayError(401, message, undefined, { headers: { 'www-authenticate': 'Bearer' } })
}
