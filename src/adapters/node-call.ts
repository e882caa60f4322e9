/**
 * A `node:http` request as the corridor takes it.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Call } from '../gateway/call.ts'
import { readNodeBody } from './node-body.ts'

export interface ServeOptions {
  /** Real milliseconds that the body of a request may take. Default: 30,000. */
  readonly bodyTimeoutMs?: number | undefined
  /** Has the replies of which nothing more will come, for as long as their connections are open. Default: nobody asks. */
  readonly silent?: Set<ServerResponse>
}

export class NodeCall implements Call {
  readonly hasConnection = true
  readonly method: string
  readonly path: string
  readonly search: string
  readonly headers: Record<string, string>
  readonly response: ServerResponse
  readonly silent: ServeOptions['silent']
  readonly #request: IncomingMessage
  readonly #bodyTimeoutMs: number | undefined
  #signal: AbortSignal | undefined

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    { bodyTimeoutMs, silent }: ServeOptions = {},
  ) {
    const { url = '/', method = 'GET', headers } = request
    const question = url.indexOf('?')
    this.method = method
    this.path = question === -1 ? url : url.slice(0, question)
    this.search = question === -1 ? '' : url.slice(question)
    // Node joins repeated headers; the one that it keeps as a list, `set-cookie`, is none of a request.
    this.headers = headers as Record<string, string>
    this.response = response
    this.silent = silent
    this.#request = request
    this.#bodyTimeoutMs = bodyTimeoutMs
  }

  /** Whether the connection ended before the reply did. */
  get hasLeft(): boolean {
    return this.response.closed && !this.response.writableFinished
  }

  /** Aborts when the client leaves. Made on first use: an AbortController costs 6 µs, and most calls need none. */
  get signal(): AbortSignal {
    if (this.#signal) return this.#signal
    const left = new AbortController()
    const leave = () => {
      if (this.hasLeft) left.abort()
    }
    if (this.response.closed) leave()
    else this.response.once('close', leave)
    this.#signal = left.signal
    return left.signal
  }

  readBody(limit: number, isText?: boolean): Promise<string> {
    return readNodeBody(this.#request, limit, this.#bodyTimeoutMs, isText)
  }
}
