/**
 * Decides where a call of this process goes: to the gateway, to another host, or, if it looks meant for the gateway,
 * nowhere. Interception and MSW handlers share this guard.
 */
import { discard } from '../gateway/call.ts'
import type { GatewayCore } from '../gateway/gateway.ts'
import { handle } from '../gateway/handle.ts'
import { readAddress, sandboxIdOfKey } from '../gateway/locate.ts'
import { unknownPath } from '../gateway/router.ts'
import { GatewayError, messages } from '../http/errors.ts'
import { printError, printWarning } from '../lib/print.ts'
import type { UserHandlers } from './intercept-handlers.ts'

/**
 * Handling of requests that the gateway does not answer:
 * - `guard` refuses requests that look meant for the gateway, and passes the rest through;
 * - `error` refuses every request except those to this machine;
 * - `warn` passes all requests through, and prints those that leave this machine;
 * - `bypass` passes all requests through.
 */
export type UnhandledRequestStrategy = (typeof unhandledRequestStrategies)[number]

export const unhandledRequestStrategies = ['guard', 'error', 'warn', 'bypass'] as const

/** Called for each unhandled request that leaves this machine. The request passes through unless it calls `print.error()` or throws. */
export type UnhandledRequestCallback = (request: Request, print: UnhandledRequestPrint) => void

export interface UnhandledRequestPrint {
  /** Prints a warning; the request passes through. */
  warning(): void
  /** Prints an error and refuses the request. */
  error(): void
}

/** What an interception goes by. */
export interface InterceptSetup {
  readonly gateway: GatewayCore
  /** The user's own, before the gateway. */
  readonly handlers: UserHandlers
  readonly onUnhandledRequest: UnhandledRequestStrategy | UnhandledRequestCallback
}

/** As much of a call as its destination depends on. */
export interface Outgoing {
  readonly method: string
  readonly url: URL
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
}

/** The interceptions of this process. */
const interceptions = new Set<InterceptSetup>()

/** Makes all other interceptions leave the calls of this one alone, until the returned function ends that. */
export function claim(setup: InterceptSetup): () => void {
  interceptions.add(setup)
  return () => interceptions.delete(setup)
}

/**
 * Returns whether the gateway answers a call, or the call passes, or the error of a call that may not leave: it is
 * printed, and the journal has the call as a 404 if it looks meant for the gateway.
 */
export function verdictOn(
  { gateway, onUnhandledRequest: strategy }: InterceptSetup,
  outgoing: Outgoing,
): 'answer' | 'pass' | Error {
  const others = [...interceptions].filter(
    ({ gateway: other }) => other !== gateway && isAnswered(other, outgoing),
  )
  const isAnothers =
    gateway.options.baseUrl === undefined && others.some((other) => other.gateway.options.baseUrl)
  if (isAnswered(gateway, outgoing) && !isAnothers) return 'answer'
  if (others.length > 0 || strategy === 'bypass' || isOwnServer(outgoing.url)) return 'pass'
  const refusal = refusalOf(gateway, outgoing)
  if (strategy === 'guard' && !refusal) return 'pass'
  const { method, url } = outgoing
  const wayOut = refusal
    ? "(If this call is for somebody else: onUnhandledRequest: 'bypass')"
    : "and nothing answers it here (onUnhandledRequest: 'error'): mock it with server.use(…), or set onUnhandledRequest to 'guard'"
  const message = `${method} ${url.origin}${url.pathname} would leave this machine${refusal ? `: ${refusal.reason}.` : ','} ${wayOut}`
  const warning = () => printWarning(message)
  const error = () => {
    printError(message)
    if (refusal) void journal(gateway, outgoing, refusal)
    return new Error(message)
  }
  if (typeof strategy === 'function') return decide(strategy, outgoing, { warning, error })
  if (strategy !== 'warn') return error()
  warning()
  return 'pass'
}

/** Lets a function of the user decide. `print.error()` throws, so that code after it does not run. */
function decide(
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

/** The 404 of a call that looks meant for the gateway, and that the gateway does not answer. */
export class Misdirected extends GatewayError {
  readonly reason: string

  constructor(reason: string) {
    super(404, `${messages[404]}: ${reason}`)
    this.reason = reason
  }
}

/** Returns why a call that no operation handles may not leave this machine; undefined if it may. */
export function refusalOf(gateway: GatewayCore, outgoing: Outgoing): Misdirected | undefined {
  if (isOwnServer(outgoing.url) || !looksMeant(gateway, outgoing)) return undefined
  const { method, url } = outgoing
  const { baseUrl } = gateway.options
  const { route } = readAddress(url.pathname)
  if (baseUrl !== undefined || route === undefined) {
    const below = baseUrl ?? 'a base URL that ends in /api/v1'
    return new Misdirected(`the operations of the gateway are below ${below}; check the client's base URL`)
  }
  const why = unknownPath({ method, path: url.pathname, route }, gateway.operations)
  return new Misdirected(`${why} (if this call is not for the gateway, set the gateway's baseUrl)`)
}

/** Records a refused call: its 404 goes nowhere. */
async function journal(
  gateway: GatewayCore,
  { method, url, headers }: Outgoing,
  refusal: Misdirected,
): Promise<void> {
  const call = {
    refusal,
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
 * Whether the gateway answers a call. Below `baseUrl` it answers every one. Without it, on any host: its operations
 * below `/api/v1`, other methods of their paths, and paths that a rule scripts. An application's own `/api/v1/users`
 * stays its own.
 */
export function isAnswered(
  { options, router, sandboxes }: GatewayCore,
  { method, url }: Pick<Outgoing, 'method' | 'url'>,
): boolean {
  const { route, sandboxId } = readAddress(url.pathname)
  if (options.baseUrl !== undefined) {
    if (url.origin !== new URL(options.baseUrl).origin) return false
    return sandboxId !== undefined || url.href.startsWith(options.baseUrl)
  }
  if (route === undefined) return false
  const { operation, allow } = router.find(method, route)
  if (operation || allow.length > 0) return true
  return [sandboxes.default, ...sandboxes.list()].some(({ rules }) => rules.has(method, route))
}

/** Whether a call that the gateway does not answer was probably meant for it. */
function looksMeant(gateway: GatewayCore, { url, headers }: Outgoing): boolean {
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

/** Paths of the interface that the specification names and does not describe, and under which clients ask for them. */
const wellKnown =
  /^\/(responses|chat\/completions|completions|messages|models|embeddings|rerank|images\/generations|audio\/(speech|transcriptions)|workspaces|presets)(\/|$)/

/** The runtime, if it has a `fetch` that asks no dispatcher of undici. */
export function runtimeWithOwnFetch(): 'Bun' | 'Deno' | undefined {
  const { bun, deno } = globalThis.process?.versions ?? {}
  return bun ? 'Bun' : deno ? 'Deno' : undefined
}

/** Whether a call is for a server of the application itself: on this machine, or the one that its page is from. */
function isOwnServer({ hostname, origin }: URL): boolean {
  return loopback.test(hostname) || origin === globalThis.location?.origin
}

const loopback = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/
