/**
 * The user's own MSW handlers, which come before the gateway. Running them does not load MSW.
 */

/** A handler of MSW 2 or 3, as `http.get()` returns it. */
export interface MswHandler {
  readonly info: object
  run(args: { request: Request; requestId: string }): Promise<{ response?: Response | undefined } | null>
}

export class UserHandlers {
  #handlers: readonly MswHandler[] = []
  #requests = 0

  /** The newest come first. */
  use(handlers: readonly MswHandler[]): void {
    this.#handlers = [...handlers, ...this.#handlers]
  }

  reset(handlers: readonly MswHandler[]): void {
    this.#handlers = handlers
  }

  /** False where no handler is about this host, so that the request need not be read for them. */
  mayAnswer({ origin }: URL): boolean {
    return this.#handlers.some((handler) => {
      const { path } = handler.info as { path?: unknown }
      // mutation: equivalent: handlers of another host do not reply anyway; this spares reading the request
      const host = typeof path === 'string' ? /^\w+:\/\/[^/*:]+(:\d+)?(?=\/|$)/.exec(path)?.[0] : undefined
      return host === undefined || host === origin
    })
  }

  /** The answer of the first handler that has one; `pass` where it wants the network. */
  async answer(request: Request): Promise<Response | 'pass' | undefined> {
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
      // As MSW does it: a mistake in a handler is an answer, so that the client does not wait.
      const { name, message, stack } = thrown as Error
      return Response.json({ name, message, stack }, { status: 500, statusText: 'Unhandled Exception' })
    }
  }
}
