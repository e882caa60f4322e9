/**
 * Where a call that this process makes is going: to the gateway, to somebody else, or by mistake to neither.
 */
import { discard } from '../gateway/call.ts'
import type { GatewayCore } from '../gateway/gateway.ts'
import { handle } from '../gateway/handle.ts'
import { readAddress, sandboxIdOfKey } from '../gateway/locate.ts'
import { unknownPath } from '../gateway/router.ts'
import { printError, printWarning } from '../lib/print.ts'
import type { UserHandlers } from './intercept-handlers.ts'

/**
 * What becomes of a call that the gateway does not answer:
 * - `gateway` refuses what looks meant for the gateway, and lets the rest pass;
 * - `error` refuses everything but calls to this machine;
 * - `warn` lets all pass, and prints those that leave this machine;
 * - `pass` lets all pass.
 */
export type UnhandledRequests = (typeof unhandledRequests)[number]

export const unhandledRequests = ['gateway', 'error', 'warn', 'pass'] as const

/** What an interception goes by. */
export interface InterceptSetup {
  readonly gateway: GatewayCore
  /** The user's own, before the gateway. */
  readonly handlers: UserHandlers
  readonly unhandledRequests: UnhandledRequests
}

/** As much of a call as its destination depends on. */
export interface Outgoing {
  readonly method: string
  readonly url: URL
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Whether the gateway answers a call, or it goes its way, or the error of one that may not leave: that is printed,
 * and the journal has it as a 404 where it was meant for the gateway.
 */
export function verdictOn(
  { gateway, unhandledRequests: unhandled }: InterceptSetup,
  outgoing: Outgoing,
): 'answer' | 'pass' | Error {
  if (isAnswered(gateway, outgoing)) return 'answer'
  if (unhandled === 'pass' || isLoopback(outgoing.url)) return 'pass'
  const meant = looksMeant(gateway, outgoing)
  if (unhandled === 'gateway' && !meant) return 'pass'
  const message = refusal(gateway, outgoing, meant)
  if (unhandled === 'warn') {
    printWarning(message)
    return 'pass'
  }
  printError(message)
  if (meant) void journal(gateway, outgoing)
  return new Error(message)
}

/** Records a refused call: its 404 goes nowhere. */
async function journal(gateway: GatewayCore, { method, url, headers }: Outgoing): Promise<void> {
  const call = {
    method,
    path: url.pathname,
    search: url.search,
    headers,
    sandbox: gateway.sandboxes.current.get(),
    readBody: async () => new Uint8Array(),
    sink: discard,
  }
  const record = await handle(gateway, call)
  record.settled('cut')
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
  if (baseUrl !== undefined && url.origin === new URL(baseUrl).origin) return true
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

function isLoopback({ hostname }: URL): boolean {
  return loopback.test(hostname)
}

/** An application's own servers. */
const loopback = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/

/** What a person is told of a call that was refused. */
function refusal(gateway: GatewayCore, { method, url }: Outgoing, meant: boolean): string {
  const asked = `${method} ${url.origin}${url.pathname}`
  if (!meant)
    return `${asked} would leave this machine, and nothing answers it here (unhandledRequests: 'error'): mock it with server.use(…), or set unhandledRequests to 'gateway'`
  const { baseUrl } = gateway.options
  const { route } = readAddress(url.pathname)
  if (route === undefined)
    return `${asked} would leave this machine for the gateway. Its operations are below ${baseUrl ?? 'a base URL that ends in /api/v1'}: does the client have that as its base URL? (If this call is for somebody else: unhandledRequests: 'pass')`
  const wayOut = baseUrl === undefined ? ' (if not, set baseUrl to where the gateway is)' : ''
  const why = unknownPath({ method, path: url.pathname, route }, gateway.operations)
  return `${asked} would leave this machine for the gateway${wayOut}: ${why}`
}
