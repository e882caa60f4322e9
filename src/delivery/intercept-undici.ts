/**
 * Both undici handler APIs: callbacks (undici 6, `fetch` in Node 22 and 24) and a controller (undici 7 and 8). Imports only types, because undici is not a dependency.
 */
import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'

interface Reading {
  readonly body?: Readable | null
  readonly res?: Readable | null
}

export interface Controller extends Dispatcher.DispatchController {
  /** Header names and values, alternating. */
  readonly rawHeaders: Buffer[]
  readonly rawTrailers: Buffer[]
}

interface ControlledHandler extends Reading, Dispatcher.DispatchHandler {
  onRequestStart(controller: Controller, context: unknown): void
}

/** Handler with callbacks. `onHeaders` and `onData` return false to pause the reply. */
interface CallbackHandler extends Reading {
  onConnect?(abort: (reason: Error) => void, context: unknown): void
  onResponseStarted?(): void
  onHeaders?(status: number, rawHeaders: readonly Buffer[], resume: () => void, statusText: string): unknown
  onData?(chunk: Buffer): unknown
  onComplete?(rawTrailers: readonly Buffer[]): void
  onError?(error: Error): void
}

export type Handler = ControlledHandler | CallbackHandler

export function controlled(handler: Handler): ControlledHandler {
  if ('onRequestStart' in handler) return handler
  return {
    get body() {
      return handler.body
    },
    get res() {
      return handler.res
    },
    onRequestStart: (controller, context) =>
      handler.onConnect?.((reason) => controller.abort(reason), context),
    onResponseStarted: () => handler.onResponseStarted?.(),
    onResponseStart(controller: Controller, status, _headers, statusText = '') {
      const resume = () => controller.resume()
      if (handler.onHeaders?.(status, controller.rawHeaders, resume, statusText) === false) controller.pause()
    },
    onResponseData(controller, chunk) {
      if (handler.onData?.(chunk) === false) controller.pause()
    },
    onResponseEnd: ({ rawTrailers }: Controller) => handler.onComplete?.(rawTrailers),
    onResponseError: (_controller, error) => handler.onError?.(error),
  }
}
