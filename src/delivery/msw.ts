/**
 * The gateway as MSW handlers: one for each operation, so that `server.listHandlers()` reads well and
 * `server.use()` overrides one. The only file that imports MSW.
 */
import { HttpResponse, http, type RequestHandler } from 'msw'
import type { GatewayCore } from '../gateway/gateway.ts'
import { didYouMean } from '../lib/did-you-mean.ts'
import { respond } from './fetch.ts'
import { isAnswered } from './intercept-destination.ts'
import { ConnectionError } from './response.ts'

/**
 * Handlers for the operations with these ids; for all of them, and for what no operation answers, by default. Throws
 * for an operation that there is none of.
 */
export function toHandlers(gateway: GatewayCore, ids?: readonly string[]): RequestHandler[] {
  for (const id of ids ?? []) {
    const known = gateway.operations.map((operation) => operation.id)
    if (!known.includes(id))
      throw new TypeError(`handlersFor: unknown operation '${id}'${didYouMean(id, known)}`)
  }
  const base = gateway.options.baseUrl?.replace(/\/$/, '') ?? '*/api/v1'
  const resolver = ({ request }: { request: Request }) => resolve(gateway, request)
  const handlers = gateway.operations
    .filter(({ id }) => ids === undefined || ids.includes(id))
    .map(({ method, path }) => http[method](base + toPattern(path), resolver))
  if (ids === undefined)
    handlers.push(
      http.all(
        ({ request }) => isAnswered(gateway, { method: request.method, url: new URL(request.url) }),
        resolver,
      ),
    )
  return handlers
}

/** As MSW writes paths; the names of their parameters are read from the operation. */
function toPattern(path: string): string {
  let count = 0
  return path
    .replace(/[\\:*?+()[\]!]/g, '\\$&')
    .replace(/\{([^}]*)\}/g, (_, name: string) => `:${/^\w+$/.test(name) ? name : `p${++count}`}`)
}

async function resolve(gateway: GatewayCore, request: Request): Promise<Response> {
  try {
    return await respond(gateway, request, true)
  } catch (error) {
    // MSW needs a response also for a client that has disconnected.
    if (error instanceof ConnectionError || request.signal.aborted) return HttpResponse.error()
    throw error
  }
}
