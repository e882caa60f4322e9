/**
 * The `Response` transport, for `fetch` and MSW. Connection faults appear as a rejected `fetch` or a failing body.
 */
import type { Ending, Sink } from '../gateway/call.ts'
import { toBytes } from '../http/encode.ts'
import type { Reply } from '../http/reply.ts'

/** A broken connection, as `fetch` reports it. */
export class ConnectionError extends TypeError {
  constructor(message: string, how: 'close' | 'reset') {
    super(message, { cause: brokenConnection(how) })
  }
}

/** Creates the error that Node reports for a broken connection. */
export function brokenConnection(how: 'close' | 'reset'): Error {
  return how === 'reset'
    ? Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
    : Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' })
}

const { setTimeout } = globalThis

/**
 * Real time to wait before raising an error, in milliseconds. Without the delay, clients could see the error
 * before they read the last chunk.
 */
const lingerMs = 4
/**
 * Number of delays before an error for MSW clients that decompress the body, because the decompressing thread
 * may be busy.
 */
const lingersOfCompressed = 30

export class ResponseSink implements Sink {
  readonly hasConnection = false
  hasLeft = false
  /** Resolves when the head is ready. Rejects if the connection ends first. */
  readonly response: Promise<Response>
  readonly #settle: Omit<PromiseWithResolvers<Response>, 'promise'>
  readonly #announcesChunks: boolean
  #left: AbortController | undefined
  #body: ReadableStreamDefaultController<Uint8Array> | undefined
  /** Resolves when the reader requests a chunk. */
  #requested = Promise.withResolvers<void>()
  #isRequested = false
  #isCompressed = false

  /**
   * @param signal Aborts when the client disconnects.
   * @param announcesChunks If true, streams have a `transfer-encoding: chunked` header. Without it, intercepted
   * clients cannot distinguish a failed body from a complete one.
   */
  constructor(signal: AbortSignal, announcesChunks = false) {
    const { promise, ...settle } = Promise.withResolvers<Response>()
    this.response = promise
    this.#settle = settle
    this.#announcesChunks = announcesChunks
    const leave = () => this.#leave(signal.reason)
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
  }

  get left(): AbortSignal {
    this.#left ??= new AbortController()
    if (this.hasLeft) this.#left.abort()
    return this.#left.signal
  }

  #leave(reason: unknown): void {
    this.hasLeft = true
    this.#left?.abort(reason)
    this.#request()
    this.fail(reason)
  }

  #request(): void {
    this.#isRequested = true
    this.#requested.resolve()
  }

  whole({ status, headers }: Reply, body: string | Uint8Array | undefined): void {
    this.#settle.resolve(new Response((body as BodyInit | undefined) ?? null, { status, headers }))
  }

  head({ status, headers }: Reply): void {
    this.#isCompressed = 'content-encoding' in headers
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#body = controller
        },
        pull: () => this.#request(),
        cancel: (reason) => this.#leave(reason),
      },
      // A high-water mark of 0 makes the stream pull-based, so that slow readers apply backpressure, and chunks
      // written before a connection error are delivered.
      { highWaterMark: 0 },
    )
    const isChunked = this.#announcesChunks && !('content-length' in headers)
    const framed = isChunked ? { ...headers, 'transfer-encoding': 'chunked' } : headers
    this.#settle.resolve(new Response(body, { status, headers: framed }))
  }

  ready(): Promise<void> | undefined {
    return this.#isRequested ? undefined : this.#requested.promise
  }

  chunk(bytes: string | Uint8Array): void {
    this.#isRequested = false
    this.#requested = Promise.withResolvers<void>()
    this.#body?.enqueue(toBytes(bytes))
  }

  async end(how: Ending): Promise<void> {
    if (how === 'stall') return
    if (how === 'complete') return void (this.hasLeft || this.#body?.close())
    if (!this.#body) return this.fail(new ConnectionError('fetch failed', how))
    await this.#requested.promise
    const lingers = this.#isCompressed ? lingersOfCompressed : 1
    for (let turn = 0; turn < lingers; turn++) await new Promise((resolve) => setTimeout(resolve, lingerMs))
    this.fail(new ConnectionError('terminated', how))
  }

  /** Rejects the response promise or, if the response has started, makes the body fail. */
  fail(reason: unknown): void {
    this.#settle.reject(reason)
    this.#body?.error(reason)
  }
}
