/**
 * The gateway as a plain `fetch`: for clients that take one, without interception, also in a browser.
 */
import type { Call } from '../gateway/call.ts'
import type { GatewayCore } from '../gateway/gateway.ts'
import { handle } from '../gateway/handle.ts'
import { GatewayError } from '../http/errors.ts'
import { decodeBody } from '../http/utf8.ts'
import { toResponse } from './response.ts'
import { unpacked } from './unpacked.ts'

/**
 * Answers as the global `fetch` would if the gateway were there: same arguments, same errors.
 *
 * @example new OpenAI({ apiKey: 'any', baseURL: 'https://gateway.example/api/v1', fetch: gateway.fetch })
 */
export function toFetch(gateway: GatewayCore): typeof fetch {
  return async (input, init) => {
    const call = toCall(requestOf(input, init))
    call.signal?.throwIfAborted()
    return decoded(await toResponse(await handle(gateway, call), call))
  }
}

/** The body as `fetch` gives it: without its content encoding. */
function decoded(response: Response): Response {
  if (response.headers.get('content-encoding') !== 'gzip' || !response.body) return response
  const { status, statusText, headers, body } = response
  return new Response(unpacked(body), { status, statusText, headers })
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
    async readBody(limit, isText) {
      const bytes = await request.arrayBuffer()
      if (bytes.byteLength > limit) throw new GatewayError(413)
      return decodeBody(bytes, isText)
    },
  }
}

function requestOf(input: RequestInfo | URL, init: RequestInit | undefined): Request {
  return input instanceof Request && init === undefined ? input : new Request(input, init)
}
