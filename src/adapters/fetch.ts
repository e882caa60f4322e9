/**
 * The gateway as a plain `fetch`: for clients that take one, without interception, also in a browser.
 */
import type { Call } from '../gateway/call.ts'
import type { GatewayCore } from '../gateway/gateway.ts'
import { handle } from '../gateway/handle.ts'
import { toBytes } from '../http/encode.ts'
import { GatewayError } from '../http/errors.ts'
import { decodeBody } from '../http/utf8.ts'
import { toResponse } from './response.ts'

/**
 * Answers as the global `fetch` would if the gateway were there: same arguments, same errors.
 *
 * @example new OpenAI({ apiKey: 'any', baseURL: 'https://gateway.example/api/v1', fetch: gateway.fetch })
 */
export function toFetch(gateway: GatewayCore): typeof fetch {
  return async (input, init) => {
    const call = plainCall(input, init) ?? toCall(requestOf(input, init))
    call.signal?.throwIfAborted()
    return decoded(await toResponse(await handle(gateway, call), call))
  }
}

/** The body as `fetch` gives it: without its content encoding. */
function decoded(response: Response): Response {
  if (response.headers.get('content-encoding') !== 'gzip' || !response.body) return response
  const { status, statusText, headers, body } = response
  return new Response(body.pipeThrough(new DecompressionStream('gzip')), { status, statusText, headers })
}

export function toCall(request: Request): Call {
  const { url, method, headers, signal } = request
  const { pathname, search } = new URL(url)
  return {
    method,
    path: pathname,
    search,
    headers: Object.fromEntries(headers),
    signal,
    async readBody(limit) {
      const bytes = await request.arrayBuffer()
      if (bytes.byteLength > limit) throw new GatewayError(413)
      return decodeBody(bytes)
    },
  }
}

function requestOf(input: RequestInfo | URL, init: RequestInit | undefined): Request {
  return input instanceof Request && init === undefined ? input : new Request(input, init)
}

const plainMethods = new Set(['GET', 'POST', 'PATCH'])

/**
 * The call of an address and plain settings, as nearly every client makes it: without the `Request`, which takes as
 * long to make as the answer. Undefined for everything else, and for whatever `Request` would refuse.
 */
function plainCall(input: RequestInfo | URL, init: RequestInit = {}): Call | undefined {
  const { method = 'GET', headers: given, body, signal, ...rest } = init
  if (input instanceof Request || !plainMethods.has(method) || Object.keys(rest).length > 0) return undefined
  if (method === 'GET' ? body != null : typeof body !== 'string') return undefined
  const url = URL.parse(String(input))
  if (!url || url.username || url.password) return undefined
  const headers = Object.fromEntries(new Headers(given))
  if (body != null) headers['content-type'] ??= 'text/plain;charset=UTF-8'
  return {
    method,
    path: url.pathname,
    search: url.search,
    headers,
    signal: signal ?? undefined,
    readBody(limit) {
      const bytes = toBytes(body as string)
      if (bytes.byteLength > limit) throw new GatewayError(413)
      return decodeBody(bytes)
    },
  }
}
