/** Intercepts requests dispatched by `fetch` and undici, and handles, forwards or rejects each. */
import { STATUS_CODES } from 'node:http'
import { stringify } from 'node:querystring'
import type { Dispatcher } from 'undici'
import type { Call, Ending, Sink } from '../gateway/call.ts'
import { collectBody, within } from '../http/body.ts'
import { toBytes } from '../http/encode.ts'
import type { Reply } from '../http/reply.ts'
import { clearTimeout, setTimeout } from '../lib/real-timers.ts'
import { serve } from './deliver.ts'
import { decideDestination, type InterceptSetup } from './intercept-destination.ts'
import type { Intercept } from './intercept-dispatcher.ts'
import { toRequest } from './intercept-handlers.ts'
import { type Controller, controlled, type Handler } from './intercept-undici.ts'
import { registry } from './interceptions.ts'
import { brokenConnection } from './response.ts'

export function onDispatch(setup: InterceptSetup): Intercept {
  const { handlers } = setup
  return (options, handler, pass) => {
    if (options.upgrade || options.method === 'CONNECT') return pass(options)
    const request = toDispatched(options)
    if (!handlers.mayHandle(request.url)) return respondIfMatched(setup, request, handler) || pass(options)
    const tryHandlers = async () => {
      const body = (await readDispatched(request.body, Number.POSITIVE_INFINITY)) as Uint8Array<ArrayBuffer>
      const handled = await handlers.respond(toRequest(request, body))
      if (handled instanceof Response) return forward(handled, new DispatchSink(request, handler))
      if (handled === 'pass' || !respondIfMatched(setup, { ...request, body }, handler))
        pass({ ...options, body })
    }
    tryHandlers().catch((error) => new DispatchSink(request, handler).fail(error))
    return true
  }
}

function respondIfMatched(setup: InterceptSetup, request: Dispatched, handler: Handler): boolean {
  const verdict = decideDestination(setup, request, registry.active)
  if (verdict === 'pass') return false
  const sink = new DispatchSink(request, handler)
  if (verdict instanceof Error) sink.fail(verdict)
  else {
    const { method, url, headers, body } = request
    const call: Call = {
      method,
      path: url.pathname,
      search: url.search,
      headers,
      sandbox: setup.gateway.sandboxes.current?.getStore(),
      readBody: (limit) => readDispatched(body, limit, sink),
      sink,
      ...verdict,
    }
    serve(setup.gateway, call).catch((error) => sink.fail(error))
  }
  return true
}

type Dispatched = ReturnType<typeof toDispatched>

function toDispatched(options: Dispatcher.DispatchOptions) {
  const { origin, path, query, method, headers, body, headersTimeout, bodyTimeout } = options
  return {
    url: new URL(query ? `${path}?${stringify(query)}` : path, origin),
    method: method.toUpperCase(),
    headers: toRecord(headers),
    /** Body as passed by the client, which can be read only once. */
    body,
    /** Real time in milliseconds that undici waits for a reply's head and body. 0 means no limit. */
    timeouts: { Headers: headersTimeout ?? 300_000, Body: bodyTimeout ?? 300_000 },
  }
}

/** Reads a body of any type that undici accepts. Throws 413 for a body that exceeds the limit in bytes. */
async function readDispatched(body: unknown, limit: number, sink?: Sink): Promise<Uint8Array> {
  if (!body) return new Uint8Array()
  if (typeof body === 'string') return within(toBytes(body), limit)
  if (body instanceof Uint8Array) return within(body, limit)
  // FormData is also iterable, but does not yield bytes.
  const { [Symbol.asyncIterator]: pull, [Symbol.iterator]: iterate } = Object(body)
  const yieldsBytes = (pull || iterate) && !(body instanceof FormData)
  const stream = yieldsBytes ? body : new Response(body as BodyInit).body
  return collectBody(encoded(stream as AsyncIterable<string | Uint8Array>), limit, sink?.disconnected)
}

async function* encoded(chunks: AsyncIterable<string | Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield toBytes(chunk)
}

/** Converts headers to a record with lowercase names. Repeated headers are joined, as on a server. */
export function toRecord(headers: unknown): Record<string, string> {
  const record: Record<string, string> = {}
  for (const [key, value] of pairs(headers)) {
    if (value === undefined || value === null) continue
    const name = String(key).toLowerCase()
    const text = Array.isArray(value) ? value.join(', ') : String(value)
    record[name] = Object.hasOwn(record, name) ? `${record[name]}, ${text}` : text
  }
  return record
}

function pairs(headers: unknown): Iterable<readonly [unknown, unknown]> {
  if (typeof headers !== 'object' || headers === null) return []
  if (Array.isArray(headers))
    return headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1]]] : []))
  return Symbol.iterator in headers ? (headers as Iterable<[unknown, unknown]>) : Object.entries(headers)
}

interface Head {
  readonly status: number
  /** Default: the standard text for the status. */
  readonly statusText?: string
  readonly headers: Readonly<Record<string, string | string[]>>
}

/** Passes a reply to undici's handler piece by piece, as a real connection would. */
class DispatchSink implements Sink, Controller {
  readonly hasConnection = false
  aborted = false
  paused = false
  reason: Error | null = null
  readonly rawHeaders: Buffer[] = []
  readonly rawTrailers: Buffer[] = []
  readonly #handler: ReturnType<typeof controlled>
  readonly #timeouts: Dispatched['timeouts']
  #timer: NodeJS.Timeout | undefined
  #disconnected: AbortController | undefined
  #hasHead = false
  #isOver = false
  #resume: (() => void) | undefined

  constructor({ timeouts }: Dispatched, handler: Handler) {
    this.#timeouts = timeouts
    this.#handler = controlled(handler)
    this.#handler.onRequestStart(this, null)
  }

  get isDisconnected(): boolean {
    return this.aborted
  }

  /** Created on first use, because an AbortController takes 6 µs and most calls do not need it. */
  get disconnected(): AbortSignal {
    this.#disconnected ??= new AbortController()
    if (this.aborted) this.#disconnected.abort(this.reason)
    return this.#disconnected.signal
  }

  abort(reason: Error): void {
    if (this.#isOver) return
    this.aborted = true
    this.reason = reason
    this.#disconnected?.abort(reason)
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

  head({ status, statusText, headers }: Head): void {
    this.#hasHead = true
    for (const [name, value] of Object.entries(headers)) {
      for (const each of Array.isArray(value) ? value : [value])
        this.rawHeaders.push(Buffer.from(name, 'latin1'), Buffer.from(each, 'latin1'))
    }
    this.#handler.onResponseStarted?.()
    this.#handler.onResponseStart?.(this, status, { ...headers }, statusText || STATUS_CODES[status])
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

  /** Waits until the client has read everything sent: failing sooner would discard unread data. */
  async failAfterRead(error: Error): Promise<void> {
    const { body, res = body } = this.#handler
    if (this.#hasHead)
      do await new Promise((resolve) => setTimeout(resolve))
      while (res?.readableLength && !this.#isOver)
    this.fail(error)
  }

  fail(error: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#handler.onResponseError?.(this, error as Error)
  }

  /** Aborts a stalled reply after undici's `headersTimeout` or `bodyTimeout`. */
  #startTimeout(): void {
    const part = this.#hasHead ? 'Body' : 'Headers'
    if (this.#timeouts[part] === 0) return
    const error = Object.assign(new Error(`${part} Timeout Error`), {
      name: `${part}TimeoutError`,
      code: `UND_ERR_${part.toUpperCase()}_TIMEOUT`,
    })
    this.#timer = setTimeout(() => this.abort(error), this.#timeouts[part])
  }
}

async function forward(response: Response, sink: DispatchSink): Promise<void> {
  if (response.type === 'error') return void sink.end('reset')
  const { status, statusText, headers } = response
  // `set-cookie` is the only header that must not be joined.
  const cookies = headers.has('set-cookie') && { 'set-cookie': headers.getSetCookie() }
  sink.head({ status, statusText, headers: { ...Object.fromEntries(headers), ...cookies } })
  try {
    for await (const chunk of response.body ?? []) {
      await sink.ready()
      if (sink.isDisconnected) return
      sink.chunk(chunk)
    }
    sink.end('complete')
  } catch (error) {
    await sink.failAfterRead(error as Error)
  }
}
