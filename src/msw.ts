/**
 * MSW handlers for a gateway: one per operation, so that `server.use()` can override one, and a guard for unmatched
 * requests.
 */
import type { RequestHandler } from 'msw'
import { respond } from './delivery/fetch.ts'
import {
  type Answered,
  answered,
  isHandledBy,
  type Outgoing,
  reasonToReject,
  runtimeWithOwnFetch,
} from './delivery/intercept-destination.ts'
import { throwMissingMsw } from './delivery/missing-msw.ts'
import { ConnectionError } from './delivery/response.ts'
import { type GatewayCore, isGateway } from './gateway/gateway.ts'
import { pathNotFound } from './gateway/router.ts'
import { basePathOf, splitAddress } from './lib/address.ts'
import { inCall } from './lib/call-names.ts'
import { sharedByCopies } from './lib/copies.ts'
import { didYouMean } from './lib/did-you-mean.ts'
import { shown } from './lib/schema-messages.ts'
import type { CustomOperationId } from './scenarios/names.ts'
import type { OperationId } from './setup.ts'

const msw = await import('msw').catch(throwMissingMsw)

/** Gateways with handlers, by base URL. References are weak, because handlers are never disposed. */
const gateways = sharedByCopies('handlers', new Map<string, WeakRef<GatewayCore>>())

/**
 * Returns handlers for `setupServer(...handlers(gateway))` and `setupWorker(...handlers(gateway))`. The last one is a
 * guard: unmatched requests that appear to be meant for the gateway get a 404 with the reason instead of reaching the
 * network. Throws for an unknown operation.
 *
 * @param operationIds Limits the handlers to these operations, without a guard. Default: all operations.
 */
export function handlers(
  gateway: GatewayCore,
  ...operationIds: readonly (OperationId | CustomOperationId)[]
): RequestHandler[] {
  return inCall('handlers', () => toHandlers(gateway, operationIds))
}

function toHandlers(gateway: GatewayCore, ids: readonly string[]): RequestHandler[] {
  if (!isGateway(gateway))
    throw new TypeError('handlers() expects a gateway, such as handlers(createGateway())')
  // MSW 3, which no longer exports `graphql`, does not intercept the `fetch` of Bun and Deno.
  const runtime = runtimeWithOwnFetch()
  if (runtime && !('graphql' in msw))
    throw new Error(
      `MSW 3 does not intercept fetch in ${runtime}: pass fetch: gateway.fetch to the client, or use intercept(gateway) from gateway-understudy/node`,
    )
  const all = ids.length === 0
  const known = gateway.operations.map(({ id }) => id)
  for (const id of ids) {
    if (typeof id !== 'string')
      throw new TypeError(`handlers() expects ids, as in handlers(gateway, 'getPreset'), got ${shown(id)}`)
    if (!known.includes(id))
      throw new TypeError(`handlers: unknown operation '${id}'${didYouMean(id, known)}`)
  }
  const { baseUrl } = gateway.options
  if (baseUrl !== undefined) gateways.set(baseUrl, new WeakRef(gateway))
  const base = baseUrl === undefined ? '*/api/v1' : new URL(baseUrl).origin + toPattern(basePathOf(baseUrl))
  const resolver = ({ request }: { request: Request }) => resolve(gateway, request)
  const operations = all ? gateway.operations : gateway.operations.filter(({ id }) => ids.includes(id))
  const result = operations.map(({ method, path }) => msw.http[method](base + toPattern(path), resolver))
  result.push(
    msw.http.all(
      ({ request }) => guard(gateway, request, ids) !== undefined,
      ({ request }) => guard(gateway, request, ids)?.(),
    ),
  )
  return result
}

/**
 * Returns a function that responds to an unmatched request, or undefined for a request not meant for the gateway.
 *
 * @param ids If not empty, only requests to these operations are answered, at public APIs and sandbox addresses.
 */
function guard(
  gateway: GatewayCore,
  request: Request,
  ids: readonly string[],
): (() => Promise<Response>) | undefined {
  const { method, url, headers } = request
  const outgoing: Outgoing = { method, url: new URL(url), headers: Object.fromEntries(headers) }
  const { route = '' } = splitAddress(outgoing.url.pathname, gateway.bases)
  const { id = '' } = gateway.router.find(method, route).operation ?? {}
  if (isHandledBy(gateway, outgoing) && (ids.length === 0 || ids.includes(id)))
    return () => resolve(gateway, request, answered(gateway, outgoing.url))
  if (ids.length > 0) return undefined
  const reason = reasonToReject(gateway, outgoing)
  if (reason === undefined) return undefined
  // Another gateway may have handlers for the request.
  const owner = [...gateways.values()]
    .map((each) => each.deref())
    .find((other) => other && isHandledBy(other, outgoing))
  return () =>
    owner ? resolve(owner, request) : resolve(gateway, request, { rejection: pathNotFound(reason) })
}

/** Converts a path to MSW's syntax. Parameter names do not matter, because the gateway parses the path itself. */
function toPattern(path: string): string {
  let count = 0
  return path
    .replace(/[\\:*?+()[\]!]/g, '\\$&')
    .replace(/\{([^}]*)\}/g, (_, name: string) => `:${/^\w+$/.test(name) ? name : `p${++count}`}`)
}

async function resolve(gateway: GatewayCore, request: Request, more: Answered = {}): Promise<Response> {
  try {
    const response = await respond(gateway, request, true, more)
    makeCancellable(response)
    return response
  } catch (error) {
    // MSW requires a response even if the client has disconnected.
    if (error instanceof ConnectionError || request.signal.aborted) return msw.HttpResponse.error()
    throw error
  }
}

/**
 * MSW 2 copies each body, but never reads the copy. Cancelling a native copy settles once both copies are cancelled, so
 * a client that cancels a body, for example before a retry, would wait forever.
 */
function makeCancellable({ body }: Response): void {
  if (!body) return
  body.tee = () => {
    const [main, copy] = ReadableStream.prototype.tee.call(body)
    const reader = main.getReader()
    const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
      async pull(controller) {
        const { done, value } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel(reason) {
        // An aborted request has failed both. A listener to MSW's life-cycle events may be reading the copy.
        reader.cancel(reason).catch(() => {})
        if (!copy.locked) copy.cancel(reason).catch(() => {})
      },
    })
    return [stream, copy]
  }
}
