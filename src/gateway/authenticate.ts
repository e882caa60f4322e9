/**
 * Step: who is calling. Spec: Authentication, 1.
 */
import { GatewayError, messages } from '../http/errors.ts'
import type { Caller } from './find-sandbox.ts'

/** Throws 401 where there is no key, or one that is neither on the list nor a living sandbox's. */
export function authenticate(
  { authorization, key, keyOwner }: Caller,
  apiKeys: readonly string[] | undefined,
): void {
  if (authorization === undefined) throw unauthorized(messages[401])
  if (key === undefined) throw unauthorized('Malformed Authentication header: send Bearer and your key')
  if (apiKeys && !apiKeys.includes(key) && keyOwner?.apiKey !== key) throw unauthorized('Invalid API key')
}

export function unauthorized(message: string): GatewayError {
  return new GatewayError(401, message, undefined, { headers: { 'www-authenticate': 'Bearer' } })
}
