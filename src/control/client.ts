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

/** Calls that stay open until something happens: nobody need wait for them at the end. */
const endless: readonly RouteId[] = ['waitForCalls', 'followEvents']

export class ControlClient {
  /** `http://127.0.0.1:4141` */
  readonly origin: string
  readonly #headers: Record<string, string>
  /** Calls that are under way, by sandbox. */
  readonly #open = new Map<string, Map<Promise<unknown>, RouteId>>()

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
  text<Id extends RouteId>(id: Id, params: RouteParams<Id>, sent: Sent = {}): Promise<string> {
    const call = this.response(id, params, sent).then((response) => response.text())
    this.#watch(id, params, call)
    return call
  }

  /** A reply that is read while it comes. */
  async response<Id extends RouteId>(id: Id, params: RouteParams<Id>, sent: Sent): Promise<Response> {
    const response = await this.#send(id, params, sent)
    if (response.ok) return response
    throw asError(response.status, await response.text())
  }

  /**
   * Waits for the calls about a sandbox that are still under way, because nobody has awaited them. Throws where one of
   * them fails: nobody else would see it.
   */
  async finish(sandbox: string): Promise<void> {
    for (const [call, id] of this.#open.get(sandbox) ?? []) {
      await call.catch((error: Error) => {
        const message = `'${id}' of sandbox '${sandbox}' was not awaited, and has failed: ${error.message}`
        throw new Error(`${message} (put \`await\` before the call)`, { cause: error })
      })
    }
  }

  #watch(id: RouteId, params: Readonly<Record<string, string>>, call: Promise<unknown>): void {
    const { sandbox } = params
    if (sandbox === undefined || endless.includes(id)) return
    const open = this.#open.get(sandbox) ?? new Map<Promise<unknown>, RouteId>()
    this.#open.set(sandbox, open.set(call, id))
    const over = () => {
      open.delete(call)
      if (open.size === 0) this.#open.delete(sandbox)
    }
    call.then(over, over)
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
      throw new Error(`No gateway answers at ${this.origin}: start one with \`npx gateway-understudy\``, {
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
