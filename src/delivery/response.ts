/** The `Response` transport, for `fetch` and MSW. Connection faults reject the `fetch` or fail its body. */
import type { Ending, Sink } from '../gateway/call.ts'
import { toBytes } from '../http/encode.ts'
import type { Reply } from '../http/reply.ts'
import { setTimeout } from '../lib/real-timers.ts'

export class ConnectionError extends TypeError {
  constructor(message: string, how: 'close' | 'reset') {
    super(message, { cause: brokenConnection(how) })
  }
}

export function brokenConnection(how: 'close' | 'reset'): Error {
  return how === 'reset'
    ? Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
    : Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' })
}

/**
 * Waits in real time before an error, so that clients read the last chunk first. Clients that decompress the body need
 * more turns of the event loop, because the decompressing thread may be busy.
 */
export async function linger(turns: number, ms: number): Promise<void> {
  for (const _ of Array(turns)) await new Promise((resolve) => setTimeout(resolve, ms))
}

export class ResponseSink implements Sink {
  readonly hasConnection = false
  isDisconnected = false
  readonly response: Promise<Response>
  readonly #settle: Omit<PromiseWithResolvers<Response>, 'promise'>
  readonly #announcesChunks: boolean
  #disconnected: AbortController | undefined
  #body: ReadableStreamDefaultController<Uint8Array> | undefined
  /** Resolves when the reader requests a chunk. Undefined if the reader is already waiting for a chunk. */
  #requested: PromiseWithResolvers<void> | undefined = Promise.withResolvers<void>()
  #isCompressed: boolean | undefined

  /**
   * @param announcesChunks If true, streams have a `transfer-encoding: chunked` header. Without this header,
   * intercepted clients cannot distinguish a failed body from a complete one.
   */
  constructor(signal: AbortSignal, announcesChunks: boolean) {
    const { promise, ...settle } = Promise.withResolvers<Response>()
    this.response = promise
    this.#settle = settle
    this.#announcesChunks = announcesChunks
    signal.addEventListener('abort', () => this.#leave(signal.reason))
  }

  get disconnected(): AbortSignal {
    this.#disconnected ??= new AbortController()
    if (this.isDisconnected) this.#disconnected.abort()
    return this.#disconnected.signal
  }

  abort(error: unknown): void {
    this.#leave(new TypeError('fetch failed', { cause: error }))
  }

  #leave(reason: unknown): void {
    this.isDisconnected = true
    this.#request()
    this.#disconnected?.abort(reason)
    this.fail(reason)
  }

  #request(): void {
    this.#requested?.resolve()
    this.#requested = undefined
  }

  whole({ status, headers }: Reply, body: string | Uint8Array | undefined): void {
    this.#settle.resolve(new Response(body as BodyInit | undefined, { status, headers }))
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
      // Without a queue, slow readers apply backpressure, and chunks before a connection error are delivered.
      { highWaterMark: 0 },
    )
    const isChunked = this.#announcesChunks && !('content-length' in headers)
    const framed = isChunked ? { ...headers, 'transfer-encoding': 'chunked' } : headers
    this.#settle.resolve(new Response(body, { status, headers: framed }))
  }

  ready(): Promise<void> | undefined {
    return this.#requested?.promise
  }

  chunk(bytes: string | Uint8Array): void {
    this.#requested = Promise.withResolvers<void>()
    this.#body?.enqueue(toBytes(bytes))
  }

  async end(how: Ending): Promise<void> {
    if (how === 'stall') return
    if (how === 'complete') return void (this.isDisconnected || this.#body?.close())
    if (!this.#body) return this.fail(new ConnectionError('fetch failed', how))
    await this.#requested?.promise
    await linger(this.#isCompressed ? 30 : 1, 4)
    this.fail(new ConnectionError('terminated', how))
  }

  fail(reason: unknown): void {
    this.#settle.reject(reason)
    this.#body?.error(reason)
  }
}
