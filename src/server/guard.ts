/**
 * Which requests the server accepts, by host and origin, and which may use the control API. Any page that a developer
 * has open can send requests to their machine: none may reach this server under a host name of its own, or change what
 * a test relies on.
 */
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { unauthorized } from '../gateway/admit.ts'
import { GatewayError } from '../http/errors.ts'

export interface GuardOptions {
  /** The address that the server listens on. */
  readonly host: string
  /** Names under which it is called, beside the loopback ones and `host`. */
  readonly allowedHosts: readonly string[]
  /** Origins of pages that may call the API, beside those of loopback; `*` stands for all. Default: none. */
  readonly allowedOrigins?: readonly string[]
  /** Required of control requests, and of all requests to the recorder. Default: made if `host` is beyond loopback. */
  readonly token: string | undefined
}

export class Guard {
  /** Undefined if none is required. */
  readonly token: string | undefined
  readonly #allowed: ReadonlySet<string>
  readonly #isWide: boolean
  readonly #allowedOrigins: ReadonlySet<string>

  constructor({ host, allowedHosts, allowedOrigins = [], token }: GuardOptions) {
    this.#allowed = new Set([host, ...allowedHosts].map((name) => name.toLowerCase()))
    this.#allowedOrigins = new Set(allowedOrigins.map((origin) => origin.toLowerCase().replace(/\/$/, '')))
    this.#isWide = host === '0.0.0.0' || host === '::'
    this.token = token ?? (isLoopback(host) ? undefined : makeToken())
  }

  /**
   * Throws 400 for a request of HTTP/1.1 without a `Host`, or with several; 403 for one by a name that is not ours:
   * another site's name may have been made to lead here.
   */
  assertHost({ headers: { host }, rawHeaders, httpVersion, url = '/' }: IncomingMessage): void {
    if (host === undefined) {
      // HTTP/1.0 has no such header, and no browser speaks it.
      if (httpVersion === '1.0' && url.startsWith('/')) return
      throw new GatewayError(400, 'A request needs a Host header')
    }
    if (timesGiven('host', rawHeaders) > 1)
      throw new GatewayError(400, 'A request has one Host header, not several')
    if (!url.startsWith('/') && url !== '*' && URL.parse(url)?.host !== host) throw foreignHost(url)
    if (loopbackHost.test(host)) return
    const name = hostnameOf(host)
    if (!isLoopback(name) && !this.#allowed.has(name) && !(this.#isWide && isIP(name)))
      throw foreignHost(host)
  }

  /** Throws 403 for a call of the API by a page of this origin, if it is neither of this machine, nor ours, nor allowed. */
  assertOrigin(origin: string, host: string | undefined): void {
    if (this.#allowedOrigins.has('*') || this.#allowedOrigins.has(origin.toLowerCase())) return
    const url = /^https?:/i.test(origin) ? URL.parse(origin) : null
    if (url && (url.host === host || isLoopback(url.hostname.replace(/^\[(.*)\]$/, '$1')))) return
    throw new GatewayError(
      403,
      `Pages of '${origin}' may not call this server: allow them with --allowed-origin`,
    )
  }

  /** Throws 403 for a request that a page of another origin makes, with or without preflight. */
  assertSameOrigin({ headers }: IncomingMessage): void {
    const { origin, host, 'sec-fetch-site': site } = headers
    const isForeign = origin !== undefined && URL.parse(origin)?.host !== host
    if (isForeign || (site !== undefined && site !== 'same-origin' && site !== 'none'))
      throw new GatewayError(403, 'Pages of another origin may not control this gateway')
  }

  /** Throws 401 for a request without the token, where one is wanted. */
  assertToken({ headers }: IncomingMessage): void {
    if (!this.accepts(bearerOf(headers.authorization)))
      throw unauthorized(
        'Control requests need the token that the server was started with, or printed, as their bearer',
      )
  }

  /** If true, one of these values is the token, or none is required. */
  accepts(...given: readonly unknown[]): boolean {
    const { token } = this
    return token === undefined || given.some((value) => typeof value === 'string' && isEqual(value, token))
  }
}

/** The key in an `authorization` header; undefined for any other scheme. */
export function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
}

function timesGiven(name: string, rawHeaders: readonly string[]): number {
  let times = 0
  // mutation: equivalent: there is no name behind the end
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.length === name.length && rawHeaders[index]?.toLowerCase() === name) times++
  return times
}

/** How nearly every request names the server. Taking any other name apart takes 2 µs. */
const loopbackHost = /^(?:localhost|127\.0\.0\.1)(?::\d*)?$/

export function isLoopback(hostname: string): boolean {
  return (
    /^(localhost|.+\.localhost|::1)$/.test(hostname) || (hostname.startsWith('127.') && isIP(hostname) === 4)
  )
}

/** `[::1]:4141` is `::1`. */
function hostnameOf(host: string): string {
  return host
    .toLowerCase()
    .replace(/:\d*$/, '')
    .replace(/\.$/, '')
    .replace(/^\[(.*)\]$/, '$1')
}

function foreignHost(host: string): GatewayError {
  return new GatewayError(403, `This server does not go by the name '${host}': allow it with --allowed-host`)
}

/** Loaded for the few servers that have a token: it takes as long as the rest of the start. */
const crypto = () => process.getBuiltinModule('node:crypto')

function makeToken(): string {
  return crypto().randomBytes(24).toString('base64url')
}

/** Takes as long for a token that is nearly right as for any other. */
function isEqual(given: string, token: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(token)]
  return left.length === right.length && crypto().timingSafeEqual(left, right)
}
