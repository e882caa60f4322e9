/** Step 3: finds a call's sandbox by path, key or async context, in that order. Falls back to the default sandbox. */
import { GatewayError } from '../http/errors.ts'
import { splitAddress } from '../lib/address.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { Call } from './call.ts'
import type { GatewayCore } from './gateway.ts'

export interface Caller {
  readonly route: string | undefined
  /** The `Authorization` header, or `x-api-key` in the same form. */
  readonly authorization: string | undefined
  /** Bearer key; undefined if the header is missing or malformed. */
  readonly key: string | undefined
  readonly keyOwner: Sandbox | undefined
  /** If true, only the key names the sandbox, so the key must be valid. */
  readonly isNamedByKey: boolean
  /** Sandbox that records the call: the default sandbox if the requested one is `gone`. */
  readonly sandbox: Sandbox
  /** 410 error for a sandbox that does not exist in this gateway. Thrown after authentication. */
  readonly gone: GatewayError | undefined
}

export function locate(
  { sandboxes, options, bases }: GatewayCore,
  { path, headers, sandbox: current }: Call,
): Caller {
  const { route, sandboxId: idInPath } = splitAddress(path, bases)
  const keyHeader = options.onlySpecified ? undefined : headers['x-api-key']
  const authorization = headers['authorization'] ?? (keyHeader && `Bearer ${keyHeader}`)
  const key = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
  const idInKey = key === undefined ? undefined : sandboxIdOfKey(key)
  const owner = idInKey === undefined ? undefined : sandboxes.get(idInKey)
  const keyOwner = owner?.apiKey === key ? owner : undefined
  const isNamedByKey = idInPath === undefined && idInKey !== undefined
  const caller = { route, authorization, key, keyOwner, isNamedByKey }
  const named = idInPath ?? idInKey
  try {
    const sandbox = named === undefined ? (current ?? sandboxes.default) : sandboxes.find(named)
    sandboxes.assertLive(sandbox)
    return { ...caller, sandbox, gone: undefined }
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    const gone =
      named === undefined && current ? new GatewayError(410, `${error.message}. ${ofContext}`) : error
    return { ...caller, sandbox: sandboxes.default, gone }
  }
}

const ofContext =
  'The request was sent in the async context of this sandbox: await it before the test ends. If a queue sends requests from several tests, use sandbox.baseUrl, sandbox.apiKey or, in Vitest, test.override({ serial: true })'

export function sandboxIdOfKey(key: string): string | undefined {
  return /^us-([a-z0-9]+(?:-[a-z0-9]+)*)-/.exec(key)?.[1]
}
