/**
 * Understudy: an in-memory stand-in for the Model Gateway API.
 *
 * @example
 * const gateway = createGateway()
 * const server = setupServer(...gateway.handlers)
 */
import type { RequestHandler } from 'msw'
import { Gateway as CoreGateway } from './core.ts'
import { toHandlers } from './delivery/msw.ts'
import type { GatewayOptions } from './extras/exports.ts'
import type { OperationId } from './operations/index.ts'

export class Gateway extends CoreGateway {
  /** For `setupServer(...gateway.handlers)` and `setupWorker(...gateway.handlers)`: one for each operation. */
  get handlers(): RequestHandler[] {
    this.#handlers ??= toHandlers(this)
    return this.#handlers
  }

  #handlers: RequestHandler[] | undefined

  /** The handlers of some operations only. */
  handlersFor(...ids: [OperationId, ...OperationId[]]): RequestHandler[] {
    return toHandlers(this, ids)
  }
}

/**
 * Makes a gateway, ready to answer. Throws one clear line for an option, a fixture or a scenario that is wrong.
 *
 * @param options Everything has a default; see `GatewayOptions`.
 */
export function createGateway(options: GatewayOptions = {}): Gateway {
  return new Gateway(options)
}

export * from './core.ts'
