/**
 * A reply as a `Response`, for `fetch` and MSW. A fault of the connection is what a client would see of it: a rejected
 * `fetch`, or a body that breaks off.
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

/** A broken connection, as Node reports it. */
export function brokenConnection(how: 'close' | 'reset'): Error {
  return how === 'reset'
    ? Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
    : Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' })
}

const { setTimeout } = globalThis

/** Real milliseconds between the last chunk and an error: an immediate one would overtake it in the client's pipes. */
const lingerMs = 4
/** Number of these pauses if the client behind MSW decompresses the body: another thread does that, and may be busy. */
const lingersOfCompressed = 30

export class ResponseSink implements Sink {
  readonly hasConnection = false
  hasLeft = false
  /** The response, once its head is there. Rejects if the connection ends before that. */
  readonly response: Promise<Response>
  readonly #settle: Omit<PromiseWithResolvers<Response>, 'promise'>
  readonly #announcesChunks: boolean
  #left: AbortController | undefined
  #body: ReadableStreamDefaultController<Uint8Array> | undefined
  /** Resolves when the reader wants a chunk. */
  #wanted = Promise.withResolvers<void>()
  #isWanted = false
  #isCompressed = false

  /**
   * @param signal Aborts when the client disconnects.
   * @param announcesChunks If true, streams have `transfer-encoding: chunked`: under interception, a body that fails
   *   looks like one that has ended, unless the head says how it ends.
   */
  constructor(signal: AbortSignal, announcesChunks = false) {
    const { promise, ...settle } = Promise.withResolvers<Response>()
    this.response = promise
    this.#settle = settle
    this.#announcesChunks = announcesChunks
    // A client's request follows its signal only weakly: this listener keeps both alive.
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
    this.#want()
    this.fail(reason)
  }

  #want(): void {
    this.#isWanted = true
    this.#wanted.resolve()
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
        pull: () => this.#want(),
        cancel: (reason) => this.#leave(reason),
      },
      // On demand: a reader that stops holds the writer back, and has what was written before a connection breaks.
      { highWaterMark: 0 },
    )
    const isChunked = this.#announcesChunks && !('content-length' in headers)
    const framed = isChunked ? { ...headers, 'transfer-encoding': 'chunked' } : headers
    this.#settle.resolve(new Response(body, { status, headers: framed }))
  }

  ready(): Promise<void> | undefined {
    return this.#isWanted ? undefined : this.#wanted.promise
  }

  chunk(bytes: string | Uint8Array): void {
    this.#isWanted = false
    this.#wanted = Promise.withResolvers<void>()
    this.#body?.enqueue(toBytes(bytes))
  }

  async end(how: Ending): Promise<void> {
    if (how === 'stall') return
    if (how === 'complete') return void (this.hasLeft || this.#body?.close())
    if (!this.#body) return this.fail(new ConnectionError('fetch failed', how))
    await this.#wanted.promise
    const lingers = this.#isCompressed ? lingersOfCompressed : 1
    for (let turn = 0; turn < lingers; turn++) await new Promise((resolve) => setTimeout(resolve, lingerMs))
    this.fail(new ConnectionError('terminated', how))
  }

  /** Rejects the response, or breaks its body. */
  fail(reason: unknown): void {
    this.#settle.reject(reason)
    this.#body?.error(reason)
  }
}
