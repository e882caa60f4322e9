/**
 * Checks a request's host, origin and token. Other sites' pages in a developer's browser must not reach the server
 * through DNS rebinding, or change state that tests rely on.
 */
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { unauthorized } from '../gateway/admit.ts'
import { GatewayError } from '../http/errors.ts'
import { isLoopback } from '../lib/loopback.ts'
import type { ServerSettings } from './server-options.ts'

type Access = Pick<ServerSettings, 'host' | 'allowedHosts' | 'allowedOrigins' | 'token'>

export class Guard {
  /** Undefined if no token is required. */
  readonly token: string | undefined
  readonly #allowedHosts: ReadonlySet<string>
  readonly #listensOnAll: boolean
  readonly #allowedOrigins: ReadonlySet<string>

  constructor({ host, allowedHosts, allowedOrigins, token }: Access) {
    this.#allowedHosts = new Set([host, ...allowedHosts].map((name) => name.toLowerCase()))
    this.#allowedOrigins = new Set(allowedOrigins.map((origin) => origin.toLowerCase().replace(/\/$/, '')))
    this.#listensOnAll = host === '0.0.0.0' || host === '::'
    this.token = token ?? (isLoopback(host) ? undefined : crypto().randomBytes(24).toString('base64url'))
  }

  /**
   * Throws 400 for an HTTP/1.1 request without a `Host` header, and for repeated `Host` or `Authorization` headers.
   * Throws 403 for a host name that is not allowed, because the request may be a DNS rebinding attack.
   */
  assertHost({ headers: { host }, rawHeaders, httpVersion, url = '/' }: IncomingMessage): void {
    if (host === undefined) {
      // HTTP/1.0 does not require the `Host` header, and no browser uses HTTP/1.0.
      if (httpVersion === '1.0' && url.startsWith('/')) return
      throw new GatewayError(400, 'Missing Host header')
    }
    if (countOf('host', rawHeaders) > 1) throw new GatewayError(400, 'More than one Host header')
    if (countOf('authorization', rawHeaders) > 1)
      throw new GatewayError(400, 'More than one Authorization header')
    if (!url.startsWith('/') && url !== '*' && URL.parse(url)?.host !== host) throw foreignHost(url)
    const name = hostnameOf(host)
    if (!isLoopback(name) && !this.#allowedHosts.has(name) && !(this.#listensOnAll && isIP(name)))
      throw foreignHost(host)
  }

  /** Throws 403 unless the origin is loopback, the server's own, or explicitly allowed. */
  assertOrigin(origin: string, host: string | undefined): void {
    if (this.#allowedOrigins.has('*') || this.#allowedOrigins.has(origin.toLowerCase())) return
    const url = /^https?:/i.test(origin) ? URL.parse(origin) : null
    if (url && (url.host === host || isLoopback(url.hostname))) return
    throw new GatewayError(
      403,
      `Origin '${origin}' is not allowed: add it with --allowed-origin, or to the allowedOrigins option`,
    )
  }

  /**
   * Throws 403 for a request from another site's page without `Origin`, such as for an `<img>`. Browsers send
   * `Referer`, but no `Sec-Fetch-Site`, to plain HTTP servers that are not on loopback.
   */
  assertSource({ method, headers }: IncomingMessage): void {
    const { origin, host, referer = '', 'sec-fetch-site': site } = headers
    if (origin !== undefined || site === 'same-origin' || site === 'none') return
    const source = URL.parse(referer)?.origin
    if (site !== undefined || (method === 'GET' && source)) this.assertOrigin(source ?? 'null', host)
  }

  /** Throws 403 for a cross-origin request from a browser, with or without a preflight. */
  assertSameOrigin(request: IncomingMessage): void {
    const { origin, host, 'sec-fetch-site': site } = request.headers
    const isForeign = origin !== undefined && URL.parse(origin)?.host !== host
    if (isForeign || (site !== undefined && site !== 'same-origin' && site !== 'none'))
      throw new GatewayError(403, 'Cross-origin requests to the control API are not allowed')
    this.assertSource(request)
  }

  assertToken({ headers }: IncomingMessage): void {
    if (!this.accepts(bearerOf(headers.authorization)))
      throw unauthorized(
        'Missing or wrong control token: send `Authorization: Bearer <token>` with the token set by --token or printed at startup',
      )
  }

  accepts(...values: readonly unknown[]): boolean {
    const { token } = this
    return token === undefined || values.some((value) => typeof value === 'string' && isEqual(value, token))
  }
}

export function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
}

function countOf(name: string, rawHeaders: readonly string[]): number {
  return rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === name).length
}

/** Strips the port, a trailing dot and brackets: `[::1]:4141` becomes `::1`. */
function hostnameOf(host: string): string {
  return host
    .toLowerCase()
    .replace(/:\d*$/, '')
    .replace(/\.$/, '')
    .replace(/^\[(.*)\]$/, '$1')
}

function foreignHost(host: string): GatewayError {
  const name = hostnameOf(URL.parse(host)?.hostname || host)
  return new GatewayError(
    403,
    `Host '${host}' is not allowed: add it with --allowed-host ${name}, or allowedHosts: ['${name}']`,
  )
}

/** Loaded only if a token is used, because loading it would double the startup time. */
const crypto = () => process.getBuiltinModule('node:crypto')

/** Compares values in constant time if their lengths are equal. */
function isEqual(value: string, token: string): boolean {
  const [left, right] = [Buffer.from(value), Buffer.from(token)]
  return left.length === right.length && crypto().timingSafeEqual(left, right)
}
