/**
 * Interception in Node: a gateway in the same process handles requests from any HTTP client, whenever the client was
 * created.
 *
 * @example
 * import { createGateway, intercept } from 'gateway-understudy/node'
 *
 * const gateway = createGateway()
 * const interception = intercept(gateway)
 */

export { type Interception, type InterceptOptions, intercept } from './delivery/intercept.ts'
export type {
  UnhandledRequestCallback,
  UnhandledRequestPrint,
  UnhandledRequestStrategy,
} from './delivery/intercept-destination.ts'
export type { MswHandler } from './delivery/intercept-handlers.ts'
export * from './index.ts'
