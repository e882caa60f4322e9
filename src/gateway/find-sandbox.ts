/**
 * Step: the sandbox that a call is for. The path names it, or else the key does, or else the test
 * does whose code makes the call, or else it is the default one.
 */
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { Sandboxes } from '../sandbox/sandboxes.ts'
import { readAddress, sandboxIdOfKey } from './address.ts'
import { unauthorized } from './authenticate.ts'
import type { Call } from './call.ts'

/** Whose call it is. */
export interface Caller {
  /** The path below the base address; undefined where it does not lie below one. */
  readonly route: string | undefined
  /** The `Authorization` header, or what stands for it. */
  readonly authorization: string | undefined
  /** The bearer's key; undefined where the header is missing or malformed. */
  readonly key: string | undefined
  /** The id of the sandbox in the path. */
  readonly idInPath: string | undefined
  /** The id in a key that looks like a sandbox's. */
  readonly idInKey: string | undefined
  /** The living sandbox with that id. */
  readonly keyOwner: Sandbox | undefined
  /** Undefined where the one that is named does not live, or not any more. */
  readonly sandbox: Sandbox | undefined
}

/** @param takesKeyHeader Whether `x-api-key` stands for a missing bearer, as clients of POST /messages send it. */
export function findCaller(sandboxes: Sandboxes, { path, headers }: Call, takesKeyHeader: boolean): Caller {
  const { route, sandboxId: idInPath } = readAddress(path)
  const keyHeader = takesKeyHeader ? headers['x-api-key'] : undefined
  const authorization = headers['authorization'] ?? (keyHeader && `Bearer ${keyHeader}`)
  const key = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
  const idInKey = key === undefined ? undefined : sandboxIdOfKey(key)
  const keyOwner = idInKey === undefined ? undefined : sandboxes.peek(idInKey)
  const named = idInPath === undefined ? keyOwner : sandboxes.peek(idInPath)
  const isNamed = idInPath !== undefined || idInKey !== undefined
  const sandbox = isNamed ? named : (sandboxes.ofCaller() ?? sandboxes.default)
  return { route, authorization, key, idInPath, idInKey, keyOwner, sandbox }
}

/** Throws 410 where the sandbox is gone or there is no default one, 421 where it lives elsewhere, 401 for a wrong key. */
export function assertSandbox(sandboxes: Sandboxes, { key, idInPath, idInKey, sandbox }: Caller): void {
  if (idInPath === undefined && idInKey === undefined) {
    if (sandbox === sandboxes.default) sandboxes.assertDefault()
  } else if (idInPath !== undefined) sandboxes.find(idInPath)
  else if (idInKey !== undefined && sandboxes.find(idInKey).apiKey !== key)
    throw unauthorized('Invalid API key')
}
