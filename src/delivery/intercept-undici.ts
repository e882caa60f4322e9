/**
 * Both versions of undici's dispatcher interface: with callbacks (undici 6, `fetch` in Node 22 and 24) and with a
 * controller (undici 7 and 8). Declared here because undici is not a dependency.
 */
import type { Readable } from 'node:stream'

export interface DispatchOptions {
  readonly origin?: string | URL
  /** Path including the query. */
  readonly path: string
  readonly method: string
  readonly headers?: unknown
  readonly body?: unknown
  readonly query?: Record<string, unknown>
  readonly headersTimeout?: number | null
  readonly bodyTimeout?: number | null
  readonly upgrade?: unknown
}

export interface Dispatcher {
  dispatch(options: DispatchOptions, handler: Handler): boolean
}

export interface Controller {
  readonly aborted: boolean
  readonly paused: boolean
  readonly reason: unknown
  /** Header names and values, alternating. */
  readonly rawHeaders: readonly Buffer[]
  readonly rawTrailers: readonly Buffer[]
  abort(reason: Error): void
  pause(): void
  resume(): void
}

/** Bodies that the client is reading. */
interface Reading {
  readonly body?: Readable | null
  readonly res?: Readable | null
}

export interface ControlledHandler extends Reading {
  onRequestStart(controller: Controller, context: unknown): void
  onResponseStarted?(): void
  onResponseStart?(
    controller: Controller,
    status: number,
    headers: Record<string, string | string[]>,
    statusText: string,
  ): void
  onResponseData?(controller: Controller, chunk: Buffer): void
  onResponseEnd?(controller: Controller, trailers: Record<string, string>): void
  onResponseError?(controller: Controller, error: Error): void
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
    onResponseStart(controller, status, _headers, statusText) {
      const resume = () => controller.resume()
      if (handler.onHeaders?.(status, controller.rawHeaders, resume, statusText) === false) controller.pause()
    },
    onResponseData(controller, chunk) {
      if (handler.onData?.(chunk) === false) controller.pause()
    },
    onResponseEnd: ({ rawTrailers }) => handler.onComplete?.(rawTrailers),
    onResponseError: (_controller, error) => handler.onError?.(error),
  }
}
