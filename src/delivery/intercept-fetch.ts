/**
 * Requests of `fetch` in Bun and Deno, which have no dispatcher that could be replaced: the function itself is.
 */
import { toFetch } from './fetch.ts'
import { type InterceptSetup, runtimeWithOwnFetch, verdictOn } from './intercept-destination.ts'

/** Starts to intercept the global `fetch`, if it is not the one of Node; the returned function ends that. */
export function interceptFetch(setup: InterceptSetup): () => void {
  if (!runtimeWithOwnFetch()) return () => {}
  const original = globalThis.fetch
  const answer = toFetch(setup.gateway)
  let isOver = false
  const substitute: typeof fetch = async (input, init) => {
    if (isOver) return original(input, init)
    const { url, method, headers } = new Request(
      input instanceof Request ? input.url : input,
      input instanceof Request ? { method: input.method, headers: input.headers, ...head(init) } : head(init),
    )
    const outgoing = { url: new URL(url), method, headers: Object.fromEntries(headers) }
    if (setup.handlers.mayAnswer(outgoing.url)) {
      const request = input instanceof Request ? input.clone() : input
      const answered = await setup.handlers.answer(new Request(request, init))
      if (answered === 'pass') return original(input, init)
      if (answered?.type === 'error') throw new TypeError('fetch failed')
      if (answered) return answered
    }
    const verdict = verdictOn(setup, outgoing)
    if (verdict === 'pass') return original(input, init)
    if (verdict === 'answer') return answer(input, init)
    throw new TypeError('fetch failed', { cause: verdict })
  }
  globalThis.fetch = Object.assign(substitute, original)
  return () => {
    isOver = true
    if (globalThis.fetch === substitute) globalThis.fetch = original
  }
}

/** The fields of `init` that decide where a call goes. */
function head({ method, headers }: RequestInit = {}): RequestInit {
  return { ...(method && { method }), ...(headers && { headers }) }
}
