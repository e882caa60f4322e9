/** Step 5: routes a call to its operation and authenticates the caller. Spec: Endpoints; Authentication, 1. */
import { GatewayError, messageOf } from '../http/errors.ts'
import type { CallRecord } from '../journal/call-record.ts'
import type { SandboxState } from '../sandbox/sandbox-state.ts'
import type { GatewayCore } from './gateway.ts'
import type { Caller } from './locate.ts'
import { assertUrl, pathNotFound, unknownPath } from './router.ts'

/** Returns errors rather than throwing them, because the body is still read, and a rule may reply instead. */
export function admit(gateway: GatewayCore, caller: Caller, record: CallRecord<SandboxState>): unknown {
  try {
    route(gateway, record)
    authenticate(caller, gateway, record.state)
    if (record.headers['authorization'] === undefined) record.assume('authentication')
    return caller.gone
  } catch (error) {
    return error
  }
}

/** Throws 400 for a malformed path, 404 for an unknown one, and 405 with `Allow` for an unsupported method. */
function route(gateway: GatewayCore, record: CallRecord<SandboxState>): void {
  const { method, route: path } = record
  const { operation, params = {}, allow = [] } = path === undefined ? {} : gateway.router.find(method, path)
  const isOther =
    record.state.rules.has(`${method} ${path}`) ||
    gateway.extras.some(({ handles }) => handles?.(method, path ?? ''))
  const isKnown = operation !== undefined || isOther
  if (isKnown) record.routed(operation, params)
  assertUrl(record)
  if (isKnown) return
  if (path !== undefined && allow.length > 0) {
    if (record.headers['upgrade']?.toLowerCase() === 'websocket') throw notWebSocket(path, allow)
    throw wrongMethod(path, allow)
  }
  throw pathNotFound(unknownPath(record, gateway))
}

export function wrongMethod(path: string, methods: readonly string[]): GatewayError {
  const allow = methods.join(', ')
  return new GatewayError(405, `${path} allows ${allow}`, undefined, { headers: { allow } })
}

/** Returns a 426, so that clients fall back to HTTP immediately. Spec: RFC 9110, 15.5.22. */
function notWebSocket(path: string, [method]: readonly string[]): GatewayError {
  const message = `WebSockets are not simulated: send ${method} ${path} over HTTP`
  const headers = { upgrade: 'HTTP/1.1', connection: 'upgrade' }
  return new GatewayError(426, message, undefined, { headers })
}

function authenticate(caller: Caller, { options, extras }: GatewayCore, state: SandboxState): void {
  const { apiKeys } = options
  const { authorization, key, keyOwner, isNamedByKey, gone } = caller
  if (authorization === undefined)
    throw unauthorized(
      messageOf(401),
      `send Authorization: Bearer <key>, with ${apiKeys ? 'one of apiKeys' : 'any key'}`,
    )
  if (/^[\s,]*[^\s,].*, *bearer /i.test(authorization))
    throw new GatewayError(400, 'More than one Authorization header')
  if (key === undefined) throw unauthorized('Malformed Authorization header: must be Bearer <key>')
  if (keyOwner) return
  const isValid = extras.find(({ isValidKey }) => isValidKey)?.isValidKey?.(key, state)
  if (isValid ?? (apiKeys ? apiKeys.includes(key) : gone || !isNamedByKey)) return
  const unlisted = apiKeys ? 'is not in the apiKeys option' : "looks like a sandbox's, but is not"
  const problem = isValid === false ? 'was deleted, disabled or never created' : unlisted
  throw unauthorized(
    'Invalid API key',
    `the key ${problem}: send ${apiKeys ? 'a key that is listed there, or ' : ''}sandbox.apiKey`,
  )
}

export function unauthorized(message: string, detail?: string): GatewayError {
  const headers = { 'www-authenticate': 'Bearer' }
  return new GatewayError(401, message, undefined, { headers, ...(detail !== undefined && { detail }) })
}
