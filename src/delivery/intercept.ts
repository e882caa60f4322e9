/** Intercepts requests in a Node process, regardless of the client and of when it was created. */
import * as z from 'zod'
import { type GatewayCore, isGateway } from '../gateway/gateway.ts'
import { inCall } from '../lib/call-names.ts'
import { refuseGuesses } from '../lib/guessed-names.ts'
import { option, readOptions } from '../sandbox/option.ts'
import {
  isHandledBy,
  type UnhandledRequestCallback,
  type UnhandledRequestStrategy,
  unhandledRequestStrategies,
} from './intercept-destination.ts'
import { onDispatch } from './intercept-dispatch.ts'
import { replaceDispatchers } from './intercept-dispatcher.ts'
import { onFetch, replaceFetch } from './intercept-fetch.ts'
import { type MswHandler, UserHandlers } from './intercept-handlers.ts'
import { onRequest, replaceAddRequest } from './intercept-http.ts'
import { activate } from './interceptions.ts'

export interface InterceptOptions {
  /**
   * Action for unhandled requests. `guard` answers requests that appear to be meant for the
   * gateway with a 404 that gives the reason: under `baseUrl` or `/api/v1`, to `/v1/responses` and similar paths on any
   * host, or with a sandbox's key. `error` also rejects all others except those to this machine, `warn` prints a warning
   * and passes them through, `bypass` passes all requests through. A callback receives each request that leaves this
   * machine, and can call `print.warning()`, or `print.error()`, which rejects the request. Default: `guard`.
   */
  onUnhandledRequest?: UnhandledRequestStrategy | UnhandledRequestCallback
}

const interceptOptions = {
  onUnhandledRequest: option(
    'Action for unhandled requests.',
    () =>
      z.union([
        z.enum(unhandledRequestStrategies),
        z.custom<UnhandledRequestCallback>((value) => typeof value === 'function'),
      ]),
    { default: 'guard' },
  ),
}

export interface Interception {
  /** Adds MSW handlers, which run before the gateway, newest first. */
  use(...handlers: MswHandler[]): void
  /** Removes all added handlers, or replaces them with the given ones. */
  resetHandlers(...handlers: MswHandler[]): void
  /** Stops intercepting and restores the original functions. */
  close(): void
  [Symbol.dispose](): void
}

/**
 * Starts intercepting requests in Node: `fetch` and undici at the global dispatcher, `node:http` and
 * `node:https` at their agents, regardless of when the clients were created. Requests with a custom
 * dispatcher are not intercepted. In Bun and Deno, `fetch` has no dispatcher, so the global `fetch` is
 * replaced, and clients must be created afterwards.
 *
 * @example
 * const interception = intercept(gateway)
 * after(() => interception.close())
 */
export function intercept(gateway: GatewayCore, options: InterceptOptions = {}): Interception {
  const { onUnhandledRequest } = inCall('intercept', () => {
    if (!isGateway(gateway))
      throw new TypeError('intercept() expects a gateway, as in intercept(createGateway())')
    if (globalThis.navigator?.userAgent === 'Cloudflare-Workers')
      throw new Error(
        "intercept() does not work in a Cloudflare worker: replace its fetch, as in vi.stubGlobal('fetch', gateway.fetch), or pass outboundService: (request) => gateway.fetch(request) to Miniflare",
      )
    return readOptions(interceptOptions, options, 'intercept')
  })
  const handlers = new UserHandlers()
  const setup = { gateway, handlers, onUnhandledRequest }
  const deactivate = activate({
    gateway,
    handles: (outgoing) => isHandledBy(gateway, outgoing),
    onDispatch: onDispatch(setup),
    onRequest: onRequest(setup),
    onFetch: onFetch(setup),
  })
  replaceDispatchers()
  replaceAddRequest()
  replaceFetch()
  const removeBaseUrl = gateway.sandboxes.serveAt(gateway.options.baseUrl ?? 'https://gateway.example/api/v1')
  const close = () => {
    deactivate()
    removeBaseUrl()
  }
  const interception: Interception = {
    use: (...more) => handlers.use(more),
    resetHandlers: (...next) => handlers.reset(next),
    close,
    [Symbol.dispose]: close,
  }
  return refuseGuesses(interception, 'interception')
}
