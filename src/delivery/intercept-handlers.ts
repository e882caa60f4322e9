/** The user's MSW handlers, which run before the gateway. They come from the user's copy of MSW. */
import type { Outgoing } from './intercept-destination.ts'

/** A request handler of MSW 2 or 3, as returned by `http.get()`. */
export interface MswHandler {
  readonly info: object
  /** Runs the handler. Resolves to null, or to a result without a response, if the handler does not match. */
  run(args: { request: Request; requestId: string }): Promise<{ response?: Response | undefined } | null>
}

/** Creates the request that handlers receive. As in MSW, a GET or HEAD request has no body. */
export function toRequest({ method, url, headers }: Outgoing, body: Uint8Array<ArrayBuffer>): Request {
  const hasBody = method !== 'GET' && method !== 'HEAD'
  return new Request(url, { method, headers, ...(hasBody && { body }) })
}

export class UserHandlers {
  #handlers: readonly MswHandler[] = []
  #requests = 0

  use(handlers: readonly MswHandler[]): void {
    this.#handlers = [...handlers, ...this.#handlers]
  }

  reset(handlers: readonly MswHandler[]): void {
    this.#handlers = handlers
  }

  /** Returns false if no handler can match this host, so that the body need not be read. */
  mayHandle({ origin }: URL): boolean {
    return this.#handlers.some((handler) => {
      const { path } = handler.info as { path?: unknown }
      const host = typeof path === 'string' ? /^\w+:\/\/[^/*:]+(:\d+)?(?=\/|$)/.exec(path)?.[0] : undefined
      return host === undefined || host === origin
    })
  }

  /** Returns the first response from a handler, `pass` if it called `passthrough()`, or undefined if none responds. */
  async respond(request: Request): Promise<Response | 'pass' | undefined> {
    if (request.headers.get('accept')?.includes('msw/passthrough')) return 'pass'
    const requestId = `understudy-${++this.#requests}`
    try {
      for (const handler of this.#handlers) {
        const { response } = (await handler.run({ request, requestId })) ?? {}
        if (response) return response.headers.get('x-msw-intention') === 'passthrough' ? 'pass' : response
      }
      return undefined
    } catch (thrown) {
      if (thrown instanceof Response) return thrown
      // Like MSW, sends a response if a handler throws, so that the client does not wait.
      const { name, message, stack } = thrown as Error
      return Response.json({ name, message, stack }, { status: 500, statusText: 'Unhandled Exception' })
    }
  }
}
