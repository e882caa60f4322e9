/** The gateway as a plain `fetch`, for clients that accept one. Works without interception, and in browsers. */
import type { Call } from '../gateway/call.ts'
import type { GatewayCore } from '../gateway/gateway.ts'
import { pathNotFound } from '../gateway/router.ts'
import { chunksOf, collectBody, within } from '../http/body.ts'
import { routeBelow } from '../lib/address.ts'
import { serve } from './deliver.ts'
import { otherAddress } from './intercept-destination.ts'
import { ResponseSink } from './response.ts'

/** Creates a `fetch` that sends requests to the gateway, with the arguments and errors of the global `fetch`. */
export function toFetch(gateway: GatewayCore, more: Pick<Call, 'rejection' | 'warning'> = {}): typeof fetch {
  return async (input, init) => {
    const native = isForeign(input) ? toNativeRequest(input) : input
    // In browsers, relative URLs are resolved against the page.
    if (typeof native === 'string' && !URL.canParse(native, globalThis.location?.href))
      throw new TypeError(
        `gateway.fetch() expects an absolute URL, such as https://gateway.example/api/v1/responses, got '${native}'`,
      )
    const request = native instanceof Request && init === undefined ? native : new Request(native, init)
    const { baseUrl } = gateway.options
    const isOurs = baseUrl === undefined || routeBelow(baseUrl, new URL(request.url)) !== undefined
    // The real request would go elsewhere.
    const rejection = isOurs ? undefined : pathNotFound(otherAddress(baseUrl, new URL(request.url)))
    return decompressed(await respond(gateway, request, false, { rejection, ...more }, init?.signal))
  }
}

/** Returns true for a `Request` from another realm or library, such as Miniflare's or npm undici's. */
function isForeign(input: string | URL | Request): input is Request {
  return typeof input === 'object' && !(input instanceof Request) && 'method' in input
}

function toNativeRequest({ url, method, headers, body, signal }: Request): Request {
  const aborting = new AbortController()
  const abort = () => aborting.abort(signal.reason)
  if (signal?.aborted) abort()
  else signal?.addEventListener('abort', abort)
  const init = { method, headers: new Headers(headers), body, signal: aborting.signal, duplex: 'half' }
  return new Request(url, init as RequestInit)
}

/** Open requests, keyed by their callers' signals. A garbage-collected request would no longer be aborted. */
const open = new WeakMap<AbortSignal, Set<Request>>()

/** Rejects if the connection ends without a response, or if the request's signal is already aborted. */
export async function respond(
  gateway: GatewayCore,
  request: Request,
  announcesChunks: boolean,
  more: Pick<Call, 'rejection' | 'warning'>,
  signal?: AbortSignal | null,
): Promise<Response> {
  request.signal.throwIfAborted()
  const sink = new ResponseSink(request.signal, announcesChunks)
  const served = serve(gateway, { ...toCall(gateway, request, sink), ...more })
  served.catch((error) => sink.fail(error))
  if (signal) {
    const requests = open.get(signal) ?? new Set()
    open.set(signal, requests.add(request))
    const close = () => requests.delete(request)
    served.then(close, close)
  }
  return sink.response
}

function toCall({ sandboxes }: GatewayCore, request: Request, sink: ResponseSink): Call {
  const { pathname, search } = new URL(request.url)
  return {
    method: request.method,
    path: pathname,
    search,
    headers: Object.fromEntries(request.headers),
    sandbox: sandboxes.current?.getStore(),
    readBody: async (limit) =>
      request.body
        ? collectBody(chunksOf(request.body, request.signal), limit, request.signal)
        : // Firefox has no `request.body`.
          within(new Uint8Array(await request.arrayBuffer()), limit),
    sink,
  }
}

function decompressed(response: Response): Response {
  if (response.headers.get('content-encoding') !== 'gzip' || !response.body) return response
  const { status, statusText, headers, body } = response
  return new Response(body.pipeThrough(new DecompressionStream('gzip')), { status, statusText, headers })
}
