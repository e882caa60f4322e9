/**
 * The gateway as MSW handlers: one for each operation, so that `server.listHandlers()` reads well and
 * `server.use()` overrides one. The only file that imports MSW.
 */
import * as msw from 'msw'
import { HttpResponse, http, type RequestHandler } from 'msw'
import type { GatewayCore } from '../gateway/gateway.ts'
import type { GatewayError } from '../http/errors.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { respond } from './fetch.ts'
import { isAnswered, type Outgoing, refusalOf, runtimeWithOwnFetch } from './intercept-destination.ts'
import { ConnectionError } from './response.ts'

/** Gateways with handlers, by base URL. Weak, because handlers have no end. */
const gateways = new Map<string, WeakRef<GatewayCore>>()

/**
 * Handlers for the operations with these ids. Default: for all of them, and last a guard for calls that look meant for
 * the gateway and that no operation answers: they get a 404 with the reason, and do not leave the process. Throws for an
 * unknown operation.
 */
export function toHandlers(gateway: GatewayCore, ids?: readonly string[]): RequestHandler[] {
  // MSW 3, which has no `graphql` here, does not intercept their `fetch`.
  const runtime = runtimeWithOwnFetch()
  if (runtime && !('graphql' in msw))
    throw new Error(
      `MSW 3 does not intercept fetch in ${runtime}: give the client fetch: gateway.fetch, or use intercept(gateway) of gateway-understudy/node`,
    )
  for (const id of ids ?? []) {
    const known = gateway.operations.map((operation) => operation.id)
    if (!known.includes(id))
      throw new TypeError(`handlersFor: unknown operation '${id}'${didYouMean(id, known)}`)
  }
  const { baseUrl } = gateway.options
  if (baseUrl !== undefined) gateways.set(baseUrl, new WeakRef(gateway))
  const base = baseUrl?.replace(/\/$/, '') ?? '*/api/v1'
  const resolver = ({ request }: { request: Request }) => resolve(gateway, request)
  const handlers = gateway.operations
    .filter(({ id }) => ids === undefined || ids.includes(id))
    .map(({ method, path }) => http[method](base + toPattern(path), resolver))
  if (ids === undefined)
    handlers.push(
      http.all(
        ({ request }) => guard(gateway, request) !== undefined,
        ({ request }) => guard(gateway, request)?.(),
      ),
    )
  return handlers
}

/** Returns what answers a call that no operation answers, or refuses it; undefined for a call that is not of the gateway. */
function guard(gateway: GatewayCore, request: Request): (() => Promise<Response>) | undefined {
  const { method, url, headers } = request
  const outgoing: Outgoing = { method, url: new URL(url), headers: Object.fromEntries(headers) }
  if (isAnswered(gateway, outgoing)) return () => resolve(gateway, request)
  const refusal = refusalOf(gateway, outgoing)
  if (!refusal) return undefined
  // Handlers of another gateway may follow: it answers its calls itself.
  const owner = [...gateways.values()]
    .map((each) => each.deref())
    .find((other) => other && isAnswered(other, outgoing))
  return () => (owner ? resolve(owner, request) : resolve(gateway, request, refusal))
}

/** As MSW writes paths; the names of their parameters are read from the operation. */
function toPattern(path: string): string {
  let count = 0
  return path
    .replace(/[\\:*?+()[\]!]/g, '\\$&')
    .replace(/\{([^}]*)\}/g, (_, name: string) => `:${/^\w+$/.test(name) ? name : `p${++count}`}`)
}

async function resolve(gateway: GatewayCore, request: Request, refusal?: GatewayError): Promise<Response> {
  try {
    return await respond(gateway, request, true, refusal)
  } catch (error) {
    // MSW needs a response also for a client that has disconnected.
    if (error instanceof ConnectionError || request.signal.aborted) return HttpResponse.error()
    throw error
  }
}
