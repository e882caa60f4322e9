/**
 * Asks a control API. Refusals come back as what they were there, a `GatewayError`.
 */
import { GatewayError, messageOf } from '../http/errors.ts'
import type { ErrorEnvelope } from '../resources/error-envelope.ts'

export class ControlClient {
  readonly #origin: string
  readonly #headers: Record<string, string>

  /**
   * @param origin `http://127.0.0.1:4141`
   * @param token Where the server wants one.
   */
  constructor(origin: string, token: string | undefined) {
    this.#origin = origin
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  }

  /** These give the `data` of the reply; nothing, where it has no body. */
  get<Data>(path: string): Promise<Data> {
    return this.#data('GET', path)
  }

  post<Data>(path: string, body?: unknown): Promise<Data> {
    return this.#data('POST', path, body)
  }

  put<Data>(path: string, body?: unknown): Promise<Data> {
    return this.#data('PUT', path, body)
  }

  patch<Data>(path: string, body: unknown): Promise<Data> {
    return this.#data('PATCH', path, body)
  }

  delete<Data>(path: string): Promise<Data> {
    return this.#data('DELETE', path)
  }

  /** The body of the reply as a whole. */
  async whole<Body>(method: string, path: string, body?: unknown): Promise<Body> {
    const response = await this.#send(method, path, body)
    const text = await response.text()
    // The routes are declared on the other side, and their tests hold them to what this side expects.
    if (response.ok) return (text === '' ? {} : JSON.parse(text)) as Body
    throw asError(response.status, text)
  }

  /** A reply that is read while it comes. */
  async stream(path: string, headers: Record<string, string>, signal?: AbortSignal): Promise<Response> {
    const response = await this.#send('GET', path, undefined, { headers, signal })
    if (response.ok) return response
    throw asError(response.status, await response.text())
  }

  async #data<Data>(method: string, path: string, body?: unknown): Promise<Data> {
    return (await this.whole<{ data: Data }>(method, path, body)).data
  }

  #send(
    method: string,
    path: string,
    body: unknown,
    { headers, signal }: { headers?: Record<string, string>; signal?: AbortSignal | undefined } = {},
  ): Promise<Response> {
    const type = body === undefined ? undefined : { 'content-type': 'application/json' }
    return fetch(`${this.#origin}/__understudy${path}`, {
      method,
      headers: { ...this.#headers, ...type, ...headers },
      ...(signal && { signal }),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch((cause) => {
      if (signal?.aborted) throw signal.reason
      throw new Error(`No gateway answers at ${this.#origin}: start one with \`npx gateway-understudy\``, {
        cause,
      })
    })
  }
}

function asError(status: number, text: string): Error {
  try {
    const { error }: ErrorEnvelope = JSON.parse(text)
    return new GatewayError(status, error.message, error.metadata ?? undefined)
  } catch {
    return new GatewayError(status, `${messageOf(status)}: ${text}`)
  }
}
