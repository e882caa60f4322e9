/** Intercepts `fetch` in Bun and Deno by replacing the function, because their `fetch` does not use a dispatcher. */
import { toFetch } from './fetch.ts'
import { decideDestination, type InterceptSetup, runtimeWithOwnFetch } from './intercept-destination.ts'

/** Does nothing in Node. Returns a function that stops the interception. */
export function interceptFetch(setup: InterceptSetup): () => void {
  if (!runtimeWithOwnFetch()) return () => {}
  const original = globalThis.fetch
  let isOver = false
  const substitute: typeof fetch = async (input, init) => {
    if (isOver) return original(input, init)
    const { url, method, headers } = new Request(
      input instanceof Request ? input.url : input,
      input instanceof Request ? { method: input.method, headers: input.headers, ...head(init) } : head(init),
    )
    const outgoing = { url: new URL(url), method, headers: Object.fromEntries(headers) }
    if (setup.handlers.mayHandle(outgoing.url)) {
      const request = input instanceof Request ? input.clone() : input
      const handled = await setup.handlers.respond(new Request(request, init))
      if (handled === 'pass') return original(input, init)
      if (handled?.type === 'error') throw new TypeError('fetch failed')
      if (handled) return handled
    }
    const verdict = decideDestination(setup, outgoing)
    if (verdict === 'pass') return original(input, init)
    if (verdict instanceof Error) throw new TypeError('fetch failed', { cause: verdict })
    return toFetch(setup.gateway, verdict)(input, init)
  }
  globalThis.fetch = Object.assign(substitute, original)
  return () => {
    isOver = true
    if (globalThis.fetch === substitute) globalThis.fetch = original
  }
}

function head({ method, headers }: RequestInit = {}): RequestInit {
  return { ...(method && { method }), ...(headers && { headers }) }
}
