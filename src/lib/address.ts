/** Addresses: a request's path consists of a sandbox's prefix, if any, the base path and the route of an operation. */

export interface Address {
  /** Base path as listed, such as `/v1`; undefined if the path is outside all base paths. */
  readonly base: string | undefined
  /** Path relative to the base path, such as `/providers`; undefined if the path is outside all base paths. */
  readonly route: string | undefined
  /** Sandbox id in `/sandboxes/<id>/api/v1`, if any. */
  readonly sandboxId: string | undefined
}

/** The specification's base path, after any prefix. Spec: Versioning, 1. */
export const specifiedBase = '*/api/v1'
/** The base path of the APIs that published clients call by default. */
export const publicBase = '/v1'
export const publicHosts: readonly string[] = ['api.openai.com', 'api.anthropic.com', 'openrouter.ai']

/** Splits a path at the first base that it contains. `*` at the start of a base stands for any prefix. */
export function splitAddress(path: string, bases: readonly string[] = [specifiedBase, publicBase]): Address {
  const [prefix = ''] = /^\/sandboxes\/[^/]+(?=\/)/.exec(path) ?? []
  for (const base of bases) {
    const text = base.startsWith('*') ? base.slice(1) : base
    const at = text === base ? prefix.length : path.indexOf(`${text}/`)
    if (at === -1 || !path.startsWith(`${text}/`, at)) continue
    const sandboxId = at === 0 ? undefined : /\/sandboxes\/([^/]+)$/.exec(path.slice(0, at))?.[1]
    return { base, route: path.slice(at + text.length), sandboxId }
  }
  return { base: undefined, route: undefined, sandboxId: undefined }
}

/** Returns undefined for invalid percent-encoding. */
export function decodeUrl(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

export function basePathOf(baseUrl: string): string {
  return new URL(baseUrl).pathname.replace(/\/+$/, '')
}

/** Returns the route of a URL below a base URL or a sandbox's base URL, or undefined for any other URL. */
export function routeBelow(baseUrl: string, { origin, pathname }: URL): string | undefined {
  if (origin !== new URL(baseUrl).origin) return undefined
  return splitAddress(pathname.endsWith('/') ? pathname : `${pathname}/`, [basePathOf(baseUrl)]).route
}

/** Returns the base URL of a sandbox: `https://host/api/v1` becomes `https://host/sandboxes/<id>/api/v1`. */
export function sandboxBaseUrl(baseUrl: string, id: string): string {
  return `${new URL(baseUrl).origin}/sandboxes/${id}${basePathOf(baseUrl)}`
}

/** Marks requests that a gateway forwards: it does not intercept them, and detects them if they come back. */
export const forwardedHeader = 'x-understudy-forwarded'
