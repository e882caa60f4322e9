/** Forwards requests to the real gateway. Requests cannot leave its base URL, and credentials are never printed. */
import { GatewayError } from '../../http/errors.ts'
import type { Frame, Reply } from '../../http/reply.ts'
import type { CallRecord } from '../../journal/call-record.ts'
import { decodeUtf8, fromLatin1, utf8AsLatin1 } from '../../lib/bytes.ts'

/**
 * Returns a request's URL under the base URL, without credentials. Throws 400 for a path that a server might
 * resolve outside the base path.
 *
 * @param path Percent-encoded path.
 * @param search Query including the question mark, or an empty string.
 */
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

/** Returns a URL's credentials as a header, or an empty object if it has none. */
export function basicAuthorization(upstream: URL): { authorization?: string } {
  const credentials = credentialsOf(upstream)
  return credentials === undefined ? {} : { authorization: `Basic ${btoa(utf8AsLatin1(credentials))}` }
}

export function shownUpstream(upstream: URL): string {
  const shown = new URL(upstream)
  shown.username = ''
  shown.password = ''
  return shown.href
}

/** Each server in a chain may decode the path once. Deeper encodings are rejected. */
const maxRounds = 5

/** Returns true if a segment is `.` or `..`, or a lenient server might decode or normalise it to one of them. */
function climbs(path: string): boolean {
  let decoded = path
  for (let round = 0; round < maxRounds; round++) decoded = percentDecoded(decoded)
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

/** Header that marks forwarded requests, to detect a gateway that forwards to itself. */
const forwardedHeader = 'x-understudy-forwarded'

export const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Headers that are not forwarded: lengths and encodings, and the recorder's token. */
const omittedHeaders = new Set([
  ...hopByHop,
  'accept-encoding',
  'content-encoding',
  'content-length',
  'x-understudy-token',
])

/**
 * Forwards a request to the real gateway, and returns the reply chunk by chunk. Throws 502 if the upstream is
 * unreachable, and 400 for a path outside its base URL.
 *
 * @param upstream Base URL of the real gateway, without credentials.
 */
export async function forward(upstream: string, record: CallRecord, signal: AbortSignal): Promise<Reply> {
  const { method, route = '', search, headers, requestText } = record
  if (headers[forwardedHeader])
    throw new GatewayError(502, `${upstream} forwards back to this server: set upstream to the real gateway`)
  const url = upstreamUrl(new URL(upstream), route, search)
  const sent = { ...endToEnd(headers), [forwardedHeader]: '1', 'accept-encoding': 'identity' }
  const over = new AbortController()
  record.onSettled(() => over.abort())
  const response = await fetch(url, {
    method,
    headers: sent,
    body: requestText === '' ? null : requestText,
    redirect: 'manual',
    signal: AbortSignal.any([over.signal, signal]),
  }).catch((error: Error) => {
    const reason = error.cause instanceof Error ? error.cause.message : error.message
    throw new GatewayError(502, `${upstream} cannot be reached: ${reason}`)
  })
  const frames = response.body ? framesOf(response.body) : []
  return {
    status: response.status,
    headers: endToEnd(Object.fromEntries(response.headers)),
    body: { kind: 'frames', frames },
  }
}

function* framesOf(body: ReadableStream<Uint8Array>): Generator<Frame> {
  const reader = body.getReader()
  for (;;) {
    let next: { done: boolean; value?: Uint8Array | undefined } | undefined
    const until = reader.read().then(
      (result) => {
        next = result
      },
      () => {},
    )
    yield { kind: 'wait', ms: 0, until }
    if (!next) return yield { kind: 'hang-up', how: 'reset' }
    if (next.done) return
    if (next.value) yield { kind: 'bytes', bytes: next.value }
  }
}

function endToEnd(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !omittedHeaders.has(name)))
}
