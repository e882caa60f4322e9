/**
 * Asks a control API for its routes, by their ids. Refusals come back as what they were there, a `GatewayError`.
 */
import { GatewayError, messageOf } from '../http/errors.ts'
import type { ErrorEnvelope } from '../resources/error-envelope.ts'
import { type RouteId, type RouteParams, routePaths } from './route-paths.ts'

/** What goes along with a call of a route. */
export interface Sent {
  /** Parameters without a value are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

export class ControlClient {
  /** `http://127.0.0.1:4141` */
  readonly origin: string
  readonly #headers: Record<string, string>

  /** @param token Where the server wants one. */
  constructor(origin: string, token: string | undefined) {
    this.origin = origin
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  }

  /** The `data` of the reply; nothing, where it has no body. */
  async data<Data, Id extends RouteId>(id: Id, params: RouteParams<Id>, sent: Sent = {}): Promise<Data> {
    return (await this.whole<{ data: Data }, Id>(id, params, sent)).data
  }

  /** The body of the reply as a whole. */
  async whole<Body, Id extends RouteId>(id: Id, params: RouteParams<Id>, sent: Sent = {}): Promise<Body> {
    const text = await this.text(id, params, sent)
    // The routes are declared on the other side, and a test holds each of them to what this side expects.
    return (text === '' ? {} : JSON.parse(text)) as Body
  }

  /** The body of the reply as text. */
  async text<Id extends RouteId>(id: Id, params: RouteParams<Id>, sent: Sent = {}): Promise<string> {
    return (await this.response(id, params, sent)).text()
  }

  /** A reply that is read while it comes. */
  async response<Id extends RouteId>(id: Id, params: RouteParams<Id>, sent: Sent): Promise<Response> {
    const response = await this.#send(id, params, sent)
    if (response.ok) return response
    throw asError(response.status, await response.text())
  }

  #send(
    id: RouteId,
    params: Readonly<Record<string, string>>,
    { query = {}, body, headers, signal }: Sent,
  ): Promise<Response> {
    const [method = '', path = ''] = routePaths[id].split(' ')
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
    const given = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    )
    const search = given.length > 0 ? `?${new URLSearchParams(given)}` : ''
    const type = body === undefined ? undefined : { 'content-type': 'application/json' }
    return fetch(`${this.origin}/__understudy${filled}${search}`, {
      method,
      headers: { ...this.#headers, ...type, ...headers },
      ...(signal && { signal }),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch((cause) => {
      if (signal?.aborted) throw signal.reason
      const message = isUnreachable(cause)
        ? `No gateway answers at ${this.origin}: start one with \`npx gateway-understudy\``
        : `The gateway at ${this.origin} broke the connection before it answered ${method} ${filled}`
      throw new Error(message, { cause })
    })
  }
}

/** Whether a request has met nobody, as against one whose connection broke. */
function isUnreachable({ cause }: { cause?: { code?: string } }): boolean {
  return !['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(cause?.code ?? '')
}

function asError(status: number, text: string): Error {
  try {
    const { error }: ErrorEnvelope = JSON.parse(text)
    return new GatewayError(status, error.message, error.metadata ?? undefined)
  } catch {
    return new GatewayError(status, `${messageOf(status)}: ${text}`)
  }
}
