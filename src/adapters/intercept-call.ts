/**
 * A request that undici dispatches, as the gateway takes it.
 */
import type { Call } from '../gateway/call.ts'
import { toBytes } from '../http/encode.ts'
import { GatewayError } from '../http/errors.ts'
import { decodeBody } from '../http/utf8.ts'
import type { DispatchOptions } from './intercept-undici.ts'

/** Of undici, in real milliseconds. */
const defaultTimeoutMs = 300_000

export class DispatchedCall implements Call {
  readonly url: URL
  readonly method: string
  readonly headers: Record<string, string>
  /** Real milliseconds for which undici waits for the parts of a reply; 0 is for ever. */
  readonly timeouts: { readonly Headers: number; readonly Body: number }
  /** As the client gave it; read once. */
  readonly body: unknown
  #left: AbortController | undefined
  #reason: unknown
  #hasLeft = false

  constructor({ origin, path, query, method, headers, body, ...options }: DispatchOptions) {
    this.url = new URL(path, origin)
    if (query) appendQuery(this.url, query)
    this.method = method.toUpperCase()
    this.headers = toRecord(headers)
    this.body = body
    const { headersTimeout, bodyTimeout } = options
    this.timeouts = { Headers: headersTimeout ?? defaultTimeoutMs, Body: bodyTimeout ?? defaultTimeoutMs }
  }

  get path(): string {
    return this.url.pathname
  }

  get search(): string {
    return this.url.search
  }

  /** Made when somebody first asks: an AbortController costs 6 µs, and most calls are over before it is needed. */
  get signal(): AbortSignal {
    this.#left ??= new AbortController()
    if (this.#hasLeft) this.#left.abort(this.#reason)
    return this.#left.signal
  }

  /** The client wants no answer any more. */
  leave(reason: unknown): void {
    this.#hasLeft = true
    this.#reason = reason
    this.#left?.abort(reason)
  }

  async readBody(limit: number, isText?: boolean): Promise<string> {
    return decodeBody(await readDispatched(this.body, limit), isText)
  }
}

/**
 * The bytes of a body, in any form that undici takes. Throws 413 for one above the limit.
 *
 * @param limit Bytes.
 */
export async function readDispatched(body: unknown, limit = Number.POSITIVE_INFINITY): Promise<Uint8Array> {
  const bytes = await collect(body, limit)
  if (bytes.byteLength > limit) throw new GatewayError(413)
  return bytes
}

async function collect(body: unknown, limit: number): Promise<Uint8Array> {
  if (body === null || body === undefined) return new Uint8Array()
  if (typeof body === 'string') return toBytes(body)
  if (body instanceof Uint8Array) return body
  if (!isIterable(body)) return new Uint8Array(await new Response(body as BodyInit).arrayBuffer())
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(toBytes(chunk))
    size += chunks.at(-1)?.byteLength ?? 0
    if (size > limit) throw new GatewayError(413)
  }
  return chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks)
}

/** Streams, generators and lists of chunks. Forms and parameters can be iterated too, but not into bytes. */
function isIterable(body: unknown): body is AsyncIterable<string | Uint8Array> {
  if (typeof body !== 'object' || body === null) return false
  if (body instanceof FormData || body instanceof URLSearchParams) return false
  return Symbol.asyncIterator in body || Symbol.iterator in body
}

/** Names in lower case; repeated ones are joined, as a server would. */
export function toRecord(headers: unknown): Record<string, string> {
  const record: Record<string, string> = {}
  for (const [given, value] of pairs(headers)) {
    if (value === undefined || value === null) continue
    const name = String(given).toLowerCase()
    const text = Array.isArray(value) ? value.join(', ') : String(value)
    record[name] = name in record ? `${record[name]}, ${text}` : text
  }
  return record
}

function pairs(headers: unknown): Iterable<readonly [unknown, unknown]> {
  if (typeof headers !== 'object' || headers === null) return []
  if (Array.isArray(headers)) {
    return Array.from({ length: headers.length / 2 }, (_, at) => [headers[2 * at], headers[2 * at + 1]])
  }
  return Symbol.iterator in headers ? (headers as Iterable<[unknown, unknown]>) : Object.entries(headers)
}

function appendQuery({ searchParams }: URL, query: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) searchParams.append(name, String(each ?? ''))
  }
}
