/** Interception in Node: a gateway handles the requests of any HTTP client in its process. */
export { type Interception, type InterceptOptions, intercept } from './delivery/intercept.ts'
export type {
  UnhandledRequestCallback,
  UnhandledRequestPrint,
  UnhandledRequestStrategy,
} from './delivery/intercept-destination.ts'
export type { MswHandler } from './delivery/intercept-handlers.ts'
export * from './index.ts'
