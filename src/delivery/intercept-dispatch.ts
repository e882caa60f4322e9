/**
 * Intercepts requests dispatched by `fetch` and undici. Each is handled by a user's handler or the gateway, passed
 * through, or rejected.
 */
import { STATUS_CODES } from 'node:http'
import type { Call, Ending, Sink } from '../gateway/call.ts'
import type { GatewayCore } from '../gateway/gateway.ts'
import { chunksOf, collectBody, within } from '../http/body.ts'
import { toBytes } from '../http/encode.ts'
import type { Reply } from '../http/reply.ts'
import { serve } from './deliver.ts'
import { decideDestination, type InterceptSetup } from './intercept-destination.ts'
import type { Intercept, Pass } from './intercept-dispatcher.ts'
import {
  type ControlledHandler,
  type Controller,
  controlled,
  type DispatchOptions,
  type Handler,
} from './intercept-undici.ts'
import { brokenConnection } from './response.ts'

const { setTimeout, clearTimeout } = globalThis

export function onDispatch(setup: InterceptSetup): Intercept {
  return (options, handler, pass) => {
    if (options.upgrade || options.method === 'CONNECT') return pass(options)
    const request = new Dispatched(options)
    if (!setup.handlers.mayHandle(request.url))
      return respondIfMatched(setup, request, handler) ? true : pass(options)
    tryHandlers(setup, request, options, handler, pass).catch((error) =>
      new DispatchSink(request, handler).fail(error),
    )
    return true
  }
}

/** Returns false if the request passes through. */
function respondIfMatched(setup: InterceptSetup, request: Dispatched, handler: Handler): boolean {
  const verdict = decideDestination(setup, request)
  if (verdict === 'pass') return false
  const sink = new DispatchSink(request, handler)
  if (verdict === 'answer') {
    const call = toCall(setup.gateway, request, sink)
    serve(setup.gateway, call).catch((error) => sink.fail(error))
  } else sink.fail(verdict)
  return true
}

async function tryHandlers(
  setup: InterceptSetup,
  { url, method, headers, body: sent }: Dispatched,
  options: DispatchOptions,
  handler: Handler,
  pass: Pass,
): Promise<void> {
  const bytes = await readDispatched(sent, Number.POSITIVE_INFINITY)
  const body = bytes.byteLength > 0 ? (bytes as Uint8Array<ArrayBuffer>) : null
  const handled = await setup.handlers.respond(new Request(url, { method, headers, body }))
  const resent = { ...options, body }
  const request = new Dispatched(resent)
  if (handled instanceof Response) return forward(handled, new DispatchSink(request, handler))
  if (handled === 'pass' || !respondIfMatched(setup, request, handler)) pass(resent)
}

/** A request dispatched by undici. */
class Dispatched {
  readonly url: URL
  /** Method in upper case. */
  readonly method: string
  readonly headers: Record<string, string>
  /** Real time in milliseconds that undici waits for a reply's head and body. 0 means no limit. */
  readonly timeouts: { readonly Headers: number; readonly Body: number }
  /** Body as passed by the client. It can be read only once. */
  readonly body: unknown

  constructor({ origin, path, query, method, headers, body, headersTimeout, bodyTimeout }: DispatchOptions) {
    this.url = new URL(path, origin)
    if (query) appendQuery(this.url, query)
    this.method = method.toUpperCase()
    this.headers = toRecord(headers)
    this.body = body
    this.timeouts = { Headers: headersTimeout ?? defaultTimeoutMs, Body: bodyTimeout ?? defaultTimeoutMs }
  }
}

/** undici's default timeout, in milliseconds of real time. */
const defaultTimeoutMs = 300_000

function toCall({ sandboxes }: GatewayCore, { url, method, headers, body }: Dispatched, sink: Sink): Call {
  return {
    method,
    path: url.pathname,
    search: url.search,
    headers,
    sandbox: sandboxes.current.get(),
    readBody: (limit) => readDispatched(body, limit),
    sink,
  }
}

/** Reads a body of any type that undici accepts. Throws 413 if it exceeds the limit in bytes. */
async function readDispatched(body: unknown, limit: number): Promise<Uint8Array> {
  if (body === null || body === undefined) return new Uint8Array()
  if (typeof body === 'string') return within(toBytes(body), limit)
  if (body instanceof Uint8Array) return within(body, limit)
  if (isIterable(body)) return collectBody(encoded(body), limit)
  const { body: stream } = new Response(body as BodyInit)
  return stream ? collectBody(chunksOf(stream), limit) : new Uint8Array()
}

async function* encoded(chunks: AsyncIterable<string | Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield toBytes(chunk)
}

/**
 * Returns true for streams, generators and lists of chunks. FormData and URLSearchParams are also iterable,
 * but do not yield bytes.
 */
function isIterable(body: unknown): body is AsyncIterable<string | Uint8Array> {
  if (typeof body !== 'object' || body === null) return false
  if (body instanceof FormData || body instanceof URLSearchParams) return false
  return Symbol.asyncIterator in body || Symbol.iterator in body
}

/** Converts headers to a record with lowercase names. Repeated headers are joined, as on a server. */
export function toRecord(headers: unknown): Record<string, string> {
  const record: Record<string, string> = {}
  for (const [key, value] of pairs(headers)) {
    if (value === undefined || value === null) continue
    const name = String(key).toLowerCase()
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

/** Passes a reply to undici's handler piece by piece, as a real connection would. */
class DispatchSink implements Sink, Controller {
  readonly hasConnection = false
  aborted = false
  paused = false
  reason: unknown
  rawHeaders: Buffer[] = []
  readonly rawTrailers: Buffer[] = []
  readonly #timeouts: Dispatched['timeouts']
  readonly #handler: ControlledHandler
  #left: AbortController | undefined
  #hasHead = false
  #isOver = false
  #timer: NodeJS.Timeout | undefined
  #resume: (() => void) | undefined

  constructor({ timeouts }: Dispatched, handler: Handler) {
    this.#timeouts = timeouts
    this.#handler = controlled(handler)
    this.#handler.onRequestStart(this, null)
  }

  get hasLeft(): boolean {
    return this.aborted
  }

  /** Created on first use, because an AbortController takes 6 µs and most calls do not need it. */
  get left(): AbortSignal {
    this.#left ??= new AbortController()
    if (this.aborted) this.#left.abort(this.reason)
    return this.#left.signal
  }

  /** Called by the handler when the client disconnects. */
  abort(reason: Error): void {
    if (this.#isOver) return
    this.aborted = true
    this.reason = reason
    this.#left?.abort(reason)
    this.fail(reason)
    this.resume()
  }

  pause(): void {
    this.paused = true
  }

  resume(): void {
    this.paused = false
    this.#resume?.()
  }

  whole(reply: Reply, body: string | Uint8Array | undefined): void {
    this.head(reply)
    if (body !== undefined) this.chunk(body)
    this.end('complete')
  }

  head({ status, headers }: { status: number; headers: Readonly<Record<string, string | string[]>> }): void {
    this.#hasHead = true
    for (const [name, value] of Object.entries(headers)) {
      for (const each of Array.isArray(value) ? value : [value])
        this.rawHeaders.push(Buffer.from(name, 'latin1'), Buffer.from(each, 'latin1'))
    }
    this.#handler.onResponseStarted?.()
    this.#handler.onResponseStart?.(this, status, { ...headers }, STATUS_CODES[status] ?? '')
  }

  ready(): Promise<void> | undefined {
    if (!this.paused || this.aborted) return undefined
    return new Promise((resolve) => {
      this.#resume = resolve
    })
  }

  chunk(chunk: string | Uint8Array): void {
    const bytes =
      typeof chunk === 'string'
        ? Buffer.from(chunk)
        : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    this.#handler.onResponseData?.(this, bytes)
  }

  end(how: Ending): Promise<void> | void {
    if (how === 'stall') return this.#startTimeout()
    if (how !== 'complete') return this.failAfterRead(brokenConnection(how))
    if (this.#isOver) return
    this.#isOver = true
    this.#handler.onResponseEnd?.(this, {})
  }

  /**
   * Reports an error once the client has read everything sent. Reported earlier, the error would discard
   * unread data.
   */
  async failAfterRead(error: Error): Promise<void> {
    const { body, res = body } = this.#handler as { body?: Unread | null; res?: Unread | null }
    if (this.#hasHead)
      do await new Promise((resolve) => setTimeout(resolve, 1))
      while (res && res.readableLength > 0 && !res.destroyed && !this.aborted)
    this.fail(error)
  }

  fail(error: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#handler.onResponseError?.(this, error as Error)
  }

  /**
   * Starts a timeout equivalent to undici's `headersTimeout` or `bodyTimeout`, which aborts a stalled reply.
   */
  #startTimeout(): void {
    const part = this.#hasHead ? 'Body' : 'Headers'
    const ms = this.#timeouts[part]
    if (ms === 0) return
    const error = Object.assign(new Error(`${part} Timeout Error`), {
      name: `${part}TimeoutError`,
      code: `UND_ERR_${part.toUpperCase()}_TIMEOUT`,
    })
    this.#timer = setTimeout(() => this.abort(error), ms)
  }
}

/** Buffer in which undici holds data until the client reads it. */
interface Unread {
  readonly readableLength: number
  readonly destroyed: boolean
}

/** Forwards the response from a user's handler. */
async function forward(response: Response, sink: DispatchSink): Promise<void> {
  if (response.type === 'error') return sink.end('reset') ?? undefined
  const { status, headers } = response
  const cookies = headers.getSetCookie()
  // `set-cookie` is the only header that must not be joined.
  const cookie: Record<string, string[]> = cookies.length > 0 ? { 'set-cookie': cookies } : {}
  sink.head({ status, headers: { ...Object.fromEntries(headers), ...cookie } })
  try {
    for await (const chunk of response.body ?? []) {
      await sink.ready()
      if (sink.hasLeft) return
      sink.chunk(chunk)
    }
    sink.end('complete')
  } catch (error) {
    await sink.failAfterRead(error as Error)
  }
}
