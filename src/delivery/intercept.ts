/**
 * Interception in a Node process: what clients of any kind, made at any time, would send to the gateway is answered
 * here, and a call that was meant for the gateway never leaves this machine unnoticed.
 */
import * as z from 'zod'
import { type GatewayCore, isGateway } from '../gateway/gateway.ts'
import { atCaller } from '../lib/at-caller.ts'
import { readOptions } from '../sandbox/read-options.ts'
import {
  claim,
  type UnhandledRequestCallback,
  type UnhandledRequestStrategy,
  unhandledRequestStrategies,
} from './intercept-destination.ts'
import { onDispatch } from './intercept-dispatch.ts'
import { interceptDispatcher } from './intercept-dispatcher.ts'
import { interceptFetch } from './intercept-fetch.ts'
import { type MswHandler, UserHandlers } from './intercept-handlers.ts'
import { interceptNodeHttp, onRequest } from './intercept-http.ts'

export interface InterceptOptions {
  /**
   * Handling of requests that the gateway does not answer. `guard` refuses requests that look meant for the gateway:
   * below `/api/v1`, `/v1/responses` and the like on any host, or with the key of a sandbox. `error` refuses all
   * except requests to this machine, `warn` prints those and passes them through, `bypass` passes all through. A
   * function receives each request that leaves this machine, and `print.warning()` and `print.error()`, which refuses
   * it. Default: `guard`.
   */
  onUnhandledRequest?: UnhandledRequestStrategy | UnhandledRequestCallback
}

const checks = {
  onUnhandledRequest: () =>
    z.union([
      z.enum(unhandledRequestStrategies),
      z.custom<UnhandledRequestCallback>((value) => typeof value === 'function'),
    ]),
}

export interface Interception {
  /** Puts MSW handlers of your own before the gateway; the newest come first. */
  use(...handlers: MswHandler[]): void
  /** Takes handlers of your own away again, or puts others in their place. */
  resetHandlers(...handlers: MswHandler[]): void
  /** Ends the interception, and leaves everything as it was before. */
  close(): void
}

/**
 * Starts to intercept, in Node: `fetch` and undici at their global dispatcher, `node:http` and `node:https` at their
 * agents, whenever the clients were made. A request that brings a dispatcher of its own is not caught. Bun and Deno have
 * no such dispatcher for `fetch`: there, the global `fetch` is replaced, and a client must be created afterwards.
 *
 * @example
 * const interception = intercept(gateway)
 * after(() => interception.close())
 */
export function intercept(gateway: GatewayCore, options: InterceptOptions = {}): Interception {
  const { onUnhandledRequest = 'guard' } = atCaller(intercept, () => {
    if (!isGateway(gateway))
      throw new TypeError('intercept takes a gateway, as in intercept(createGateway())')
    if (globalThis.navigator?.userAgent === 'Cloudflare-Workers')
      throw new Error(
        "intercept() does not work in a Cloudflare worker: replace its fetch, as in vi.stubGlobal('fetch', gateway.fetch), or pass outboundService: (request) => gateway.fetch(request) to Miniflare",
      )
    return readOptions(checks, options, 'intercept')
  })
  const handlers = new UserHandlers()
  const setup = { gateway, handlers, onUnhandledRequest }
  const restoreDispatcher = interceptDispatcher(onDispatch(setup))
  const restoreNodeHttp = interceptNodeHttp(onRequest(setup))
  const restoreFetch = interceptFetch(setup)
  const release = claim(setup)
  const leave = gateway.sandboxes.serveAt(gateway.options.baseUrl ?? 'https://gateway.example/api/v1')
  return {
    use: (...more) => handlers.use(more),
    resetHandlers: (...next) => handlers.reset(next),
    close() {
      restoreDispatcher()
      restoreNodeHttp()
      restoreFetch()
      release()
      leave()
    },
  }
}
