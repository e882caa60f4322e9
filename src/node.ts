/**
 * Interception in Node: clients of any kind, made at any time, are answered by a gateway in the same process.
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
