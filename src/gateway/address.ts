/**
 * Reading an address: where the base address ends, and which sandbox it names.
 */

export interface Address {
  /** Path below the base address, `/providers`; undefined where the path does not lie below one. */
  readonly route: string | undefined
  /** The id in `/sandboxes/<id>/api/v1`, where the path has one. */
  readonly sandboxId: string | undefined
}

/** The end of the base address; it carries the version. Spec: Versioning, 1. */
const base = '/api/v1'
const sandboxPrefix = /\/sandboxes\/([^/]+)$/

/**
 * @param path Still percent-encoded, without the query.
 */
export function readAddress(path: string): Address {
  const at = path.indexOf(`${base}/`)
  if (at === -1) return { route: undefined, sandboxId: undefined }
  const route = path.slice(at + base.length)
  return { route, sandboxId: at === 0 ? undefined : sandboxPrefix.exec(path.slice(0, at))?.[1] }
}

/** The base address under which only this sandbox is seen. */
export function sandboxBaseUrl(baseUrl: string, id: string): string {
  return `${baseUrl.slice(0, baseUrl.lastIndexOf(base))}/sandboxes/${id}${base}`
}

/** The id in a sandbox's key, `us-<id>-…`. */
export function sandboxIdOfKey(key: string): string | undefined {
  return /^us-([a-z0-9]+(?:-[a-z0-9]+)*)-/.exec(key)?.[1]
}
