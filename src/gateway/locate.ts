/**
 * Step 3: the sandbox that a call is for. The path names it, else the key, else the test whose code makes the call;
 * else it is the default sandbox.
 */
import { GatewayError } from '../http/errors.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { Sandboxes } from '../sandbox/sandboxes.ts'
import type { Call } from './call.ts'

export interface Caller {
  /** Path below the base URL; undefined for a path outside of it. */
  readonly route: string | undefined
  /** The `Authorization` header, or its equivalent. */
  readonly authorization: string | undefined
  /** Bearer key; undefined if the header is missing or malformed. */
  readonly key: string | undefined
  /** The live sandbox that the key belongs to. */
  readonly keyOwner: Sandbox | undefined
  /** If true, the key alone names the sandbox, so it has to be the right one. */
  readonly isNamedByKey: boolean
  /** Keeps the record of the call. The default sandbox if the one that is meant is `gone`. */
  readonly sandbox: Sandbox
  /** The 410 or 421 of a sandbox that cannot answer here. It is thrown after authentication. */
  readonly gone: GatewayError | undefined
}

/** @param takesKeyHeader If true, `x-api-key` replaces a missing bearer, as clients of POST /messages send it. */
export function locate(
  sandboxes: Sandboxes,
  { path, headers, sandbox: current }: Call,
  takesKeyHeader: boolean,
): Caller {
  const { route, sandboxId: idInPath } = readAddress(path)
  const keyHeader = takesKeyHeader ? headers['x-api-key'] : undefined
  const authorization = headers['authorization'] ?? (keyHeader && `Bearer ${keyHeader}`)
  const key = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
  const idInKey = key === undefined ? undefined : sandboxIdOfKey(key)
  const owner = idInKey === undefined ? undefined : sandboxes.peek(idInKey)
  const keyOwner = owner?.apiKey === key ? owner : undefined
  const isNamedByKey = idInPath === undefined && idInKey !== undefined
  const caller = { route, authorization, key, keyOwner, isNamedByKey }
  try {
    const named = idInPath ?? idInKey
    if (named !== undefined) return { ...caller, sandbox: sandboxes.find(named), gone: undefined }
    const sandbox = current ?? sandboxes.default
    sandboxes.assertLive(sandbox)
    return { ...caller, sandbox, gone: undefined }
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return { ...caller, sandbox: sandboxes.default, gone: error }
  }
}

export interface Address {
  /** Path below the base URL, such as `/providers`; undefined for a path outside of it. */
  readonly route: string | undefined
  /** The id in `/sandboxes/<id>/api/v1`, if the path has one. */
  readonly sandboxId: string | undefined
}

/** End of the base URL; it carries the version. Spec: Versioning, 1. */
const base = '/api/v1'
const sandboxPrefix = /\/sandboxes\/([^/]+)$/

/** @param path Percent-encoded, without the query. */
export function readAddress(path: string): Address {
  const at = path.indexOf(`${base}/`)
  if (at === -1) return { route: undefined, sandboxId: undefined }
  const route = path.slice(at + base.length)
  return { route, sandboxId: at === 0 ? undefined : sandboxPrefix.exec(path.slice(0, at))?.[1] }
}

/** The id in a sandbox key, `us-<id>-…`. */
export function sandboxIdOfKey(key: string): string | undefined {
  return /^us-([a-z0-9]+(?:-[a-z0-9]+)*)-/.exec(key)?.[1]
}
