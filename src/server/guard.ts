/**
 * Who may speak to the server at all, and who may control it. Any page that a developer has open can send requests
 * to their machine; none of them may reach this server by a name of its own, or rewrite what a test relies on.
 */
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { unauthorized } from '../gateway/authenticate.ts'
import { GatewayError } from '../http/errors.ts'

export interface GuardOptions {
  /** The address that the server listens on. */
  readonly host: string
  /** Names under which it is called, beside the loopback ones and `host`. */
  readonly allowedHosts: readonly string[]
  /** Wanted of every control request. Default: made, where the server is bound beyond loopback. */
  readonly token: string | undefined
}

export class Guard {
  /** What control requests carry as their bearer; undefined where they need none. */
  readonly token: string | undefined
  readonly #allowed: ReadonlySet<string>
  readonly #isWide: boolean

  constructor({ host, allowedHosts, token }: GuardOptions) {
    this.#allowed = new Set([host, ...allowedHosts].map((name) => name.toLowerCase()))
    this.#isWide = host === '0.0.0.0' || host === '::'
    this.token = token ?? (isLoopback(host) ? undefined : makeToken())
  }

  /** Throws 403 for a request by a name that is not ours: another site's name may have been made to lead here. */
  assertHost({ headers, url = '/' }: IncomingMessage): void {
    const { host = '' } = headers
    if (!url.startsWith('/') && url !== '*' && URL.parse(url)?.host !== host) throw foreignHost(url)
    const name = hostnameOf(host)
    if (!isLoopback(name) && !this.#allowed.has(name) && !(this.#isWide && isIP(name)))
      throw foreignHost(host)
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
    if (this.token === undefined) return
    const given = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]
    if (given === undefined || !isEqual(given, this.token))
      throw unauthorized(
        'Control requests need the token that the server was started with, or printed, as their bearer',
      )
  }
}

export function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|::1)$/.test(hostname)
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
