/** Forwards requests to the real gateway. Requests cannot leave its base URL, and credentials are never printed. */
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http'
import { GatewayError } from '../../http/errors.ts'
import type { Frame, Reply } from '../../http/reply.ts'
import { hideInString } from '../../http/secrets.ts'
import type { CallRecord } from '../../journal/call-record.ts'
import { forwardedHeader } from '../../lib/address.ts'
import { decodeUtf8, fromLatin1 } from '../../lib/bytes.ts'
import { decode, encodingOf, withoutEncoding } from './content-coding.ts'
import { utf8AsLatin1 } from './secrets.ts'

export const mustBeBaseUrl = 'Must be a base URL such as https://gateway.example/api/v1'

/** Returns a URL without credentials. Throws 400 for a path that a server might resolve outside the base path. */
export function upstreamUrl({ origin, pathname }: URL, path: string, search: string): URL {
  if (!path.startsWith('/') || climbs(path))
    throw new GatewayError(400, 'Paths must stay under the base URL: no . or .. segments, in any encoding')
  return new URL(`${origin}${pathname.replace(/\/$/, '')}${path}${search}`)
}

/** Returns a URL's decoded `user:password`, or undefined if it has none. */
export function credentialsOf({ username, password }: URL): string | undefined {
  const credentials = `${username}:${password}`
  if (credentials === ':') return undefined
  return decodeUtf8(fromLatin1(percentDecoded(credentials))) ?? credentials
}

/** Returns the authorization header for the key or, if it is undefined, for the URL's credentials. */
export function authorizationFor(upstream: URL, key: string | undefined): Record<string, string> {
  if (key !== undefined && upstream.hostname === 'api.anthropic.com') return { 'x-api-key': key }
  if (key !== undefined) return { authorization: `Bearer ${key}` }
  const credentials = credentialsOf(upstream)
  return credentials === undefined ? {} : { authorization: `Basic ${btoa(utf8AsLatin1(credentials))}` }
}

/** Returns a URL without credentials or keys in its path. */
export function shownUpstream(upstream: URL | string): string {
  const { origin, pathname } = new URL(upstream)
  return hideInString(origin + pathname)
}

/** Returns true if a segment is `.` or `..`, or if a lenient server might decode it to one of them. */
function climbs(path: string): boolean {
  let decoded = path
  // Each server in a chain may decode the path once. Deeper encodings are rejected.
  for (let round = 0; round < 5; round++) decoded = percentDecoded(decoded)
  if (percentDecoded(decoded) !== decoded) return true
  // Undefined for invalid UTF-8, such as overlong encodings of dots and slashes.
  const text = decodeUtf8(fromLatin1(decoded))
  if (text === undefined) return true
  // Normalises full-width dots and slashes. Some servers end segments at `;`, spaces or control characters.
  return text
    .normalize('NFKC')
    .split(/[/\\]/)
    .some((segment) => /^\.{1,2}(?:$|[^\w.-])/.test(segment))
}

/** Percent-decodes to one character per byte. A `%` without two hex digits is unchanged. */
function percentDecoded(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
}

const hopByHop =
  /^(?:connection|expect|host|http2-settings|keep-alive|proxy-.+|te|trailer|transfer-encoding|upgrade)$/

/** Returns true for a hop-by-hop header, given its name in lower case. Spec: RFC 9110, 7.6.1. */
export function isHopByHop(name: string, connection = ''): boolean {
  // Without its length, a body could be parsed as the next request.
  if (name === 'content-length') return false
  const listed = ['x-understudy-token', ...connection.toLowerCase().split(',')]
  return hopByHop.test(name) || listed.some((each) => each.trim() === name)
}

export function endToEnd(headers: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(headers)
  return Object.fromEntries(entries.filter(([name]) => !isHopByHop(name, headers['connection'])))
}

/** Converts `node:http` headers to strings. Only cookies can be lists. */
export function flat(headers: IncomingHttpHeaders): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')])
  return Object.fromEntries(entries)
}

/** Opens a request on a new connection, because the upstream may be about to close an old one. */
export function requestUpstream(url: URL, options: RequestOptions): ClientRequest {
  const module = url.protocol === 'https:' ? 'node:https' : 'node:http'
  const { request } = process.getBuiltinModule(module) as typeof import('node:http')
  const sent = request(url, { ...options, headers: { ...options.headers, 'accept-encoding': 'identity' } })
  sent.shouldKeepAlive = false
  return sent.on('upgrade', (_, socket) => {
    socket.destroy()
    sent.emit('error', new Error('it switched protocols unasked'))
  })
}

/** Returns the real gateway's reply. Throws 502 if there is none, and 400 for a path outside its base URL. */
export async function forward(upstream: string, record: CallRecord, signal: AbortSignal): Promise<Reply> {
  const { method, route = '', search, headers, requestBytes } = record
  const size = requestBytes?.length ?? 0
  const shown = shownUpstream(upstream)
  if (headers[forwardedHeader])
    throw new GatewayError(502, `${shown} forwards back to this server: set upstream to the real gateway`)
  const url = upstreamUrl(new URL(upstream), route, search)
  const { 'content-length': _, ...sent } = endToEnd(headers)
  const fail = (error: Error) => {
    throw new GatewayError(502, `${shown} cannot be reached: ${error.message}`)
  }
  const over = new AbortController()
  record.onSettled(() => over.abort())
  const reply = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = requestUpstream(url, {
      method,
      headers: { ...sent, ...(size > 0 && { 'content-length': size }), [forwardedHeader]: '1' },
      signal: AbortSignal.any([over.signal, signal]),
    })
    request.on('response', resolve).on('error', reject).end(requestBytes)
  }).catch(fail)
  const { statusCode: status = 0 } = reply
  const received = endToEnd(flat(reply.headers))
  const encoding = encodingOf(received, method, status)
  if (encoding === undefined)
    return { status, headers: received, body: { kind: 'frames', frames: framesOf(reply) } }
  const bytes = Buffer.concat(await reply.toArray().catch(fail))
  try {
    const frames: Frame[] = [{ kind: 'bytes', bytes: decode(bytes, encoding, maxDecodedBytes) }]
    return { status, headers: withoutEncoding(received), body: { kind: 'frames', frames } }
  } catch (error) {
    record.warn(`The reply from ${shown} ${(error as Error).message}`)
    return { status, headers: received, body: { kind: 'frames', frames: [{ kind: 'bytes', bytes }] } }
  }
}

/** Maximum size of a decompressed reply, in bytes. */
const maxDecodedBytes = 256 * 1024 * 1024

function* framesOf(body: AsyncIterable<Uint8Array>): Generator<Frame> {
  const chunks = body[Symbol.asyncIterator]()
  for (;;) {
    let next: IteratorResult<Uint8Array> | undefined
    const until = chunks.next().then(
      (result) => {
        next = result
      },
      () => {},
    )
    yield { kind: 'wait', ms: 0, until }
    if (!next) return yield { kind: 'hang-up', how: 'reset' }
    if (next.done) return
    yield { kind: 'bytes', bytes: next.value }
  }
}
