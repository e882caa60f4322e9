/**
 * Decides whether a request made by this process is handled by the gateway, passed through to its host, or rejected.
 * Interception and MSW handlers share this code.
 */
import { discard } from '../gateway/call.ts'
import type { GatewayCore } from '../gateway/gateway.ts'
import { handle } from '../gateway/handle.ts'
import { readAddress, sandboxIdOfKey } from '../gateway/locate.ts'
import { unknownPath } from '../gateway/router.ts'
import { GatewayError, messages } from '../http/errors.ts'
import { printError, printWarning } from '../lib/print.ts'
import type { UserHandlers } from './intercept-handlers.ts'

/** Action for requests that the gateway does not handle. See `InterceptOptions`. */
export type UnhandledRequestStrategy = (typeof unhandledRequestStrategies)[number]

export const unhandledRequestStrategies = ['guard', 'error', 'warn', 'bypass'] as const

/**
 * Called for each unhandled request that leaves this machine. The request passes through, unless the callback calls
 * `print.error()` or throws.
 */
export type UnhandledRequestCallback = (request: Request, print: UnhandledRequestPrint) => void

export interface UnhandledRequestPrint {
  /** Prints a warning. The request passes through. */
  warning(): void
  /** Prints an error and rejects the request. */
  error(): void
}

export interface InterceptSetup {
  readonly gateway: GatewayCore
  /** The user's MSW handlers, which run before the gateway. */
  readonly handlers: UserHandlers
  readonly onUnhandledRequest: UnhandledRequestStrategy | UnhandledRequestCallback
}

/** The parts of a request that determine its destination. */
export interface Outgoing {
  readonly method: string
  readonly url: URL
  /** Headers; names in lower case. */
  readonly headers: Readonly<Record<string, string>>
}

/** Active interceptions in this process. */
const interceptions = new Set<InterceptSetup>()

/** Registers an interception, so that others pass its requests through. Returns a function that unregisters it. */
export function registerInterception(setup: InterceptSetup): () => void {
  interceptions.add(setup)
  return () => interceptions.delete(setup)
}

/**
 * Returns `answer` if the gateway handles the request, `pass` if it passes through, or the error that rejects it.
 * Prints a sandbox's first error or warning for each origin. If a rejected request appears to be meant for the
 * gateway, the journal records it with a 404.
 */
export function decideDestination(
  { gateway, onUnhandledRequest: strategy }: InterceptSetup,
  outgoing: Outgoing,
): 'answer' | 'pass' | Error {
  const others = [...interceptions].filter(
    ({ gateway: other }) => other !== gateway && isHandledBy(other, outgoing),
  )
  const belongsToOther =
    gateway.options.baseUrl === undefined && others.some((other) => other.gateway.options.baseUrl)
  if (isHandledBy(gateway, outgoing) && !belongsToOther) return 'answer'
  if (others.length > 0 || strategy === 'bypass' || isOwnServer(outgoing.url)) return 'pass'
  const rejection = rejectionOf(gateway, outgoing)
  if (strategy === 'guard' && !rejection) return 'pass'
  const { method, url } = outgoing
  const hint = rejection
    ? `${rejection.reason}. To allow the request, set onUnhandledRequest: 'bypass'.`
    : "mock it with server.use(…), or allow it with onUnhandledRequest: 'guard'."
  const message = `Unhandled request ${method} ${url.origin}${url.pathname}: ${hint}`
  const warning = () => {
    if (isFirst(gateway, url)) printWarning(`[understudy] ${message}`)
  }
  const error = () => {
    if (isFirst(gateway, url)) printError(`[understudy] ${message}`)
    if (rejection) void journal(gateway, outgoing, rejection)
    return new Error(message)
  }
  if (typeof strategy === 'function') return runCallback(strategy, outgoing, { warning, error })
  if (strategy !== 'warn') return error()
  warning()
  return 'pass'
}

/** Maximum number of remembered origins per gateway. At the maximum, all are forgotten. */
const maxOrigins = 1000

/** Sandboxes and origins of printed requests, such as `s1 https://api.example`. */
const printed = new WeakMap<GatewayCore, Set<string>>()

/** Returns true for the first request from a sandbox to an origin. Later ones are often retries. */
function isFirst(gateway: GatewayCore, { origin }: URL): boolean {
  const origins = printed.get(gateway) ?? new Set()
  printed.set(gateway, origins)
  const key = `${gateway.sandboxes.current.get()?.id ?? 'default'} ${origin}`
  if (origins.has(key)) return false
  if (origins.size >= maxOrigins) origins.clear()
  origins.add(key)
  return true
}

/** Runs the user's callback. `print.error()` throws, so that no code runs after it. */
function runCallback(
  strategy: UnhandledRequestCallback,
  { url, method, headers }: Outgoing,
  { warning, error }: { warning(): void; error(): Error },
): 'pass' | Error {
  try {
    strategy(new Request(url, { method, headers }), {
      warning,
      error() {
        throw error()
      },
    })
    return 'pass'
  } catch (cause) {
    return cause instanceof Error ? cause : new Error(String(cause))
  }
}

/** The 404 for a request that appears to be meant for the gateway, but matches no operation. */
export class MisdirectedRequest extends GatewayError {
  readonly reason: string

  constructor(reason: string) {
    super(404, `${messages[404]}: ${reason}`)
    this.reason = reason
  }
}

/**
 * Explains why an unhandled request must not leave this machine. Returns undefined if the request may leave.
 */
export function rejectionOf(gateway: GatewayCore, outgoing: Outgoing): MisdirectedRequest | undefined {
  if (isOwnServer(outgoing.url) || !looksMeantFor(gateway, outgoing)) return undefined
  const { method, url } = outgoing
  const { baseUrl } = gateway.options
  const { route } = readAddress(url.pathname)
  if (baseUrl !== undefined || route === undefined) {
    const base = URL.parse(baseUrl ?? '')
    const isOtherScheme = base?.host === url.host && base.protocol !== url.protocol
    const scheme = isOtherScheme ? ` (${base.protocol.slice(0, -1)}, not ${url.protocol.slice(0, -1)})` : ''
    const below = `${baseUrl ?? 'a base URL that ends in /api/v1'}${scheme}`
    return new MisdirectedRequest(
      `the gateway's operations are under ${below}, so check the client's base URL`,
    )
  }
  const why = unknownPath({ method, path: url.pathname, route }, gateway.operations)
  return new MisdirectedRequest(`${why} (if this request is not for the gateway, set the gateway's baseUrl)`)
}

/** Records a rejected request in the journal with a 404, which is not sent. */
async function journal(
  gateway: GatewayCore,
  { method, url, headers }: Outgoing,
  rejection: MisdirectedRequest,
): Promise<void> {
  const call = {
    rejection,
    method,
    path: url.pathname,
    search: url.search,
    headers,
    sandbox: gateway.sandboxes.current.get(),
    readBody: async () => new Uint8Array(),
    sink: discard,
  }
  const record = await handle(gateway, call)
  record.settled('aborted-by-fault')
}

/**
 * Returns true if the gateway handles a request. With `baseUrl`, it handles every request under that URL.
 * Otherwise, on any host, it handles its operations under `/api/v1`, other methods of their paths, and paths
 * that a rule matches, but not an application's own `/api/v1/users`.
 */
export function isHandledBy(
  { options, router, sandboxes }: GatewayCore,
  { method, url }: Pick<Outgoing, 'method' | 'url'>,
): boolean {
  const { route, sandboxId } = readAddress(url.pathname)
  if (options.baseUrl !== undefined) {
    const base = new URL(options.baseUrl)
    if (url.origin !== base.origin) return false
    return sandboxId !== undefined || withSlash(url.pathname).startsWith(withSlash(base.pathname))
  }
  if (route === undefined) return false
  const { operation, allow } = router.find(method, route)
  if (operation || allow.length > 0) return true
  return [sandboxes.default, ...sandboxes.listLive()].some(({ rules }) => rules.has(`${method} ${route}`))
}

/** Appends a slash if there is none, so that `/api/v1` does not include `/api/v1beta`. */
function withSlash(path: string): string {
  return path.endsWith('/') ? path : `${path}/`
}

/** Returns true if an unhandled request was probably meant for the gateway. */
function looksMeantFor(gateway: GatewayCore, { url, headers }: Outgoing): boolean {
  const { baseUrl } = gateway.options
  if (baseUrl !== undefined && url.host === new URL(baseUrl).host) return true
  const key = headers['authorization']?.replace(/^Bearer +/i, '')
  if (key !== undefined && sandboxIdOfKey(key) !== undefined) return true
  const route = /\/v1(\/.*)$/.exec(url.pathname)?.[1]
  if (route === undefined) return false
  if (baseUrl === undefined && url.pathname.includes('/api/v1/')) return true
  const { router } = gateway
  const { operation, allow } = router.find('GET', route)
  return operation !== undefined || allow.length > 0 || wellKnown.test(route)
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
  return loopback.test(hostname) || origin === globalThis.location?.origin
}

const loopback = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/
