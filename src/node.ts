/**
 * Interception in Node: clients of any kind, made at any time, are answered by a gateway in the same process.
 *
 * @example
 * import { createGateway, intercept } from 'gateway-understudy/node'
 *
 * const gateway = createGateway()
 * const interception = intercept(gateway)
 */
export { type Interception, type InterceptOptions, intercept } from './adapters/intercept.ts'
export type { UnhandledRequests } from './adapters/intercept-destination.ts'
export * from './core.ts'
