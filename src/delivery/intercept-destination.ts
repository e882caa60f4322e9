/** Decides whether a request from this process goes to the gateway, passes through or is rejected. */
import type { Call } from '../gateway/call.ts'
import type { GatewayCore } from '../gateway/gateway.ts'
import { sandboxIdOfKey } from '../gateway/locate.ts'
import { pathNotFound, unknownPath } from '../gateway/router.ts'
import { hideInString } from '../http/secrets.ts'
import { forwardedHeader, publicBase, publicHosts, routeBelow, splitAddress } from '../lib/address.ts'
import { isLoopback } from '../lib/loopback.ts'
import { printError, printWarning } from '../lib/print.ts'
import type { UserHandlers } from './intercept-handlers.ts'
import type { ActiveInterception } from './interceptions.ts'

/** Action for unhandled requests. See `InterceptOptions`. */
export type UnhandledRequestStrategy = (typeof unhandledRequestStrategies)[number]

export const unhandledRequestStrategies = ['guard', 'error', 'warn', 'bypass'] as const

/** Called for each unhandled request that leaves this machine. A callback that throws rejects the request. */
export type UnhandledRequestCallback = (request: Request, print: UnhandledRequestPrint) => void

export interface UnhandledRequestPrint {
  /** Prints a warning. The request is passed through. */
  warning(): void
  /** Prints an error and rejects the request. */
  error(): void
}

export interface InterceptSetup {
  readonly gateway: GatewayCore
  readonly handlers: UserHandlers
  readonly onUnhandledRequest: UnhandledRequestStrategy | UnhandledRequestCallback
}

export interface Outgoing {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
}

export type Answered = Pick<Call, 'rejection' | 'warning'>

/**
 * Returns the call's fields if the gateway answers the request, `pass` if it passes through, or the error
 * that rejects it. A rejected request that appears to be meant for the gateway gets a 404, because SDKs hide
 * the message of a network error and retry. Prints a sandbox's first error or warning for each origin.
 */
export function decideDestination(
  { gateway, onUnhandledRequest: strategy }: InterceptSetup,
  outgoing: Outgoing,
  active: readonly Pick<ActiveInterception, 'gateway' | 'handles'>[],
): Answered | 'pass' | Error {
  if (outgoing.headers[forwardedHeader]) return 'pass'
  const others = active.filter((other) => other.gateway !== gateway && other.handles(outgoing))
  const belongsToOther =
    gateway.options.baseUrl === undefined && others.some((other) => other.gateway.options.baseUrl)
  if (isHandledBy(gateway, outgoing) && !belongsToOther) return answered(gateway, outgoing.url)
  if (others.length > 0 || strategy === 'bypass' || isOwnServer(outgoing.url)) return 'pass'
  const reason = reasonToReject(gateway, outgoing)
  if (strategy === 'guard' && reason === undefined) return 'pass'
  const { method, url } = outgoing
  const hint = reason
    ? `${reason}. To allow the request, set onUnhandledRequest: 'bypass'.`
    : "mock it, for example with an MSW handler, or allow it with onUnhandledRequest: 'guard'."
  const message = `Unhandled request ${method} ${url.origin}${hideInString(url.pathname)}: ${hint}`
  const warning = () => {
    if (isFirst(gateway, url.origin)) printWarning(`[understudy] ${message}`)
  }
  const error = () => {
    if (isFirst(gateway, url.origin)) printError(`[understudy] ${message}`)
    return reason === undefined ? new Error(message) : { rejection: pathNotFound(reason) }
  }
  if (typeof strategy === 'function') return runCallback(strategy, outgoing, { warning, error })
  if (strategy !== 'warn') return error()
  warning()
  return 'pass'
}

/** Warns about a sandbox's first call to each public API, unless `baseUrl` is set. */
export function answered(gateway: GatewayCore, { origin, pathname }: URL): Answered {
  const { options, bases } = gateway
  const isAssumed = options.baseUrl === undefined && splitAddress(pathname, bases).base === publicBase
  if (!isAssumed || !isFirst(gateway, origin + publicBase)) return {}
  const warning = `the gateway also answers calls to ${origin}${publicBase}, because baseUrl is not set: set it to answer calls to one address only`
  return { warning }
}

/** Maximum number of remembered origins per gateway. All are forgotten when this limit is reached. */
const maxOrigins = 1000

const printed = new WeakMap<GatewayCore, Set<string>>()

/** Returns true for the first request from a sandbox to an origin. Later requests are often retries. */
function isFirst(gateway: GatewayCore, origin: string): boolean {
  const origins = printed.get(gateway) ?? new Set()
  printed.set(gateway, origins)
  const key = `${gateway.sandboxes.current?.getStore()?.id ?? 'default'} ${origin}`
  if (origins.has(key)) return false
  if (origins.size >= maxOrigins) origins.clear()
  origins.add(key)
  return true
}

/** Runs the user's callback. `print.error()` throws, so that no code runs after it. */
function runCallback(
  strategy: UnhandledRequestCallback,
  { url, method, headers }: Outgoing,
  { warning, error }: { warning(): void; error(): Answered | Error },
): Answered | 'pass' | Error {
  let rejected: Answered | Error | undefined
  try {
    strategy(new Request(url, { method, headers }), {
      warning,
      error() {
        rejected = error()
        throw new Error('Rejected by print.error()')
      },
    })
    return rejected ?? 'pass'
  } catch (cause) {
    return rejected ?? (cause instanceof Error ? cause : new Error(String(cause)))
  }
}

/** Explains why an unhandled request must not leave this machine. Returns undefined if it may leave. */
export function reasonToReject(gateway: GatewayCore, outgoing: Outgoing): string | undefined {
  if (isOwnServer(outgoing.url) || !looksMeantFor(gateway, outgoing)) return undefined
  const { method, url } = outgoing
  const { baseUrl } = gateway.options
  const route = routeOf(gateway, url)
  if (baseUrl !== undefined) return otherAddress(baseUrl, url)
  if (route === undefined) {
    const base = url.hostname.startsWith('api.') ? publicBase : '/api/v1'
    if (publicHosts.includes(url.hostname)) return otherAddress(url.origin + base, url)
    const [ours] = /^.*?\/v1(?=\/)|^.*(?=\/chat\/completions$)/.exec(url.pathname) ?? ['']
    const fix = `or set the gateway's baseUrl: '${url.origin}${ours}'`
    return `${otherAddress('a base URL that ends in /api/v1', url)}, ${fix}`
  }
  const why = unknownPath({ method, path: url.pathname, route }, gateway)
  return `${why} (if this request is not for the gateway, set the gateway's baseUrl)`
}

export function otherAddress(baseUrl: string, { host, protocol }: URL): string {
  const base = URL.parse(baseUrl)
  const isOtherScheme = base?.host === host && base.protocol !== protocol
  const scheme = isOtherScheme ? ` (${base.protocol.slice(0, -1)}, not ${protocol.slice(0, -1)})` : ''
  return `the gateway's operations are under ${baseUrl}${scheme}, so check the client's base URL`
}

/** Without `baseUrl`, the gateway's addresses are `/api/v1` on any host, and `/v1` at public APIs. */
function routeOf({ options: { baseUrl }, bases }: GatewayCore, url: URL): string | undefined {
  if (baseUrl === undefined) {
    const { base, route } = splitAddress(url.pathname, bases)
    return base !== publicBase || publicHosts.includes(url.hostname) ? route : undefined
  }
  return routeBelow(baseUrl, url)
}

/**
 * Returns true if the gateway handles a request. With `baseUrl`, it handles every request under that URL.
 * Otherwise, it handles its operations, other methods on their paths, and paths in rules and recordings, but
 * not an application's own `/api/v1/users`.
 */
export function isHandledBy(
  gateway: GatewayCore,
  { method, url }: Pick<Outgoing, 'method' | 'url'>,
): boolean {
  const { options, router, sandboxes } = gateway
  const route = routeOf(gateway, url)
  if (route === undefined || options.baseUrl !== undefined) return route !== undefined
  const { operation, allow } = router.find(method, route)
  if (operation || allow.length > 0 || gateway.extras.some(({ handles }) => handles?.(method, route)))
    return true
  return [sandboxes.default, ...sandboxes.listLive()].some(({ rules }) => rules.has(`${method} ${route}`))
}

function looksMeantFor(gateway: GatewayCore, { url, headers }: Outgoing): boolean {
  const { baseUrl } = gateway.options
  if (baseUrl !== undefined && url.host === new URL(baseUrl).host) return true
  const key = headers['authorization']?.replace(/^Bearer +/i, '') ?? headers['x-api-key']
  if (key !== undefined && sandboxIdOfKey(key) !== undefined) return true
  if (baseUrl === undefined && (publicHosts.includes(url.hostname) || routeOf(gateway, url) !== undefined))
    return true
  const route = /\/v1(\/.*)$/.exec(url.pathname)?.[1]
  // Vendors offer this path under many bases, such as `/v1beta/openai`.
  if (route === undefined) return url.pathname.endsWith('/chat/completions')
  const { operation, allow } = gateway.router.find('GET', route)
  const isSpecified = operation ? !gateway.outside.has(operation) : allow.length > 0
  return isSpecified || wellKnown.test(route)
}

/** Matches paths that published clients request, including those without an enabled operation. */
const wellKnown =
  /^\/(responses|chat\/completions|completions|messages|models|embeddings|rerank|images\/generations|audio\/(speech|transcriptions)|workspaces|presets)(\/|$)/

/** Returns the runtime's name if its `fetch` does not use an undici dispatcher. */
export function runtimeWithOwnFetch(): 'Bun' | 'Deno' | undefined {
  const { bun, deno } = globalThis.process?.versions ?? {}
  return bun ? 'Bun' : deno ? 'Deno' : undefined
}

/** Returns true for the application's own servers: on this machine, or at the page's origin. */
function isOwnServer({ hostname, origin }: URL): boolean {
  return isLoopback(hostname) || origin === globalThis.location?.origin
}
