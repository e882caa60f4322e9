/** Intercepts `fetch` in Bun and Deno by replacing the function, because their `fetch` does not use a dispatcher. */
import { toFetch } from './fetch.ts'
import { decideDestination, type InterceptSetup, runtimeWithOwnFetch } from './intercept-destination.ts'
import { registry, replaceMethod } from './interceptions.ts'

export type InterceptFetch = (
  input: string | URL | Request,
  init: RequestInit | undefined,
  pass: () => Promise<Response>,
) => Promise<Response>

/** Does nothing in Node. */
export function replaceFetch(): void {
  if (!runtimeWithOwnFetch()) return
  replaceMethod<typeof fetch>(globalThis, 'fetch', (original) => {
    const substitute: typeof fetch = (input, init) => {
      const chain = registry.active
      const run = (at: number): Promise<Response> =>
        chain[at]?.onFetch(input, init, () => run(at + 1)) ?? original(input, init)
      return run(0)
    }
    return Object.assign(substitute, original)
  })
}

export function onFetch(setup: InterceptSetup): InterceptFetch {
  return async (input, init, pass) => {
    const { url, method, headers } = new Request(
      input instanceof Request ? input.url : input,
      input instanceof Request ? { method: input.method, headers: input.headers, ...head(init) } : head(init),
    )
    const outgoing = { url: new URL(url), method, headers: Object.fromEntries(headers) }
    if (setup.handlers.mayHandle(outgoing.url)) {
      const request = input instanceof Request ? input.clone() : input
      const handled = await setup.handlers.respond(new Request(request, init))
      if (handled === 'pass') return pass()
      if (handled?.type === 'error') throw new TypeError('fetch failed')
      if (handled) return handled
    }
    const verdict = decideDestination(setup, outgoing, registry.active)
    if (verdict === 'pass') return pass()
    if (verdict instanceof Error) throw new TypeError('fetch failed', { cause: verdict })
    return toFetch(setup.gateway, verdict)(input, init)
  }
}

function head({ method, headers }: RequestInit = {}): RequestInit {
  return { ...(method && { method }), ...(headers && { headers }) }
}
