/** Client for the control API. Throws the server's errors as `GatewayError`. */
import type * as z from 'zod'
import { GatewayError, messageOf } from '../http/errors.ts'
import { fieldsOf, parseJson } from '../lib/json.ts'
import type { ErrorEnvelope } from '../resources/error-envelope.ts'
import type { operationGroups } from './control.ts'
import type { ControlOperation } from './operation.ts'
import { routePaths } from './route-paths.ts'

export type RouteId = keyof typeof routePaths

export type RouteParams<Id extends RouteId> = Readonly<Record<Named<(typeof routePaths)[Id]>, string>>

type Named<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Named<Rest>
  : never

type Groups = typeof operationGroups
type Operation = Groups[keyof Groups][number] | ControlOperation<'exportCall', Exported>
/** Declared here, because the operation belongs to an extra. */
type Exported = z.ZodType<{ data: { text: string } }>

/** An operation's whole reply, typed by its schema. Undefined for a reply without a body. */
export type Result<Id extends RouteId> =
  Extract<Operation, { id: Id }> extends ControlOperation<Id, infer Output> ? z.output<Output> : unknown

export type Data<Id extends RouteId> = Result<Id> extends { data: infer Inner } ? Inner : undefined

export interface CallOptions {
  /** Undefined parameters are omitted. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

type Request<Id extends RouteId> = [id: Id, params: RouteParams<Id>, options?: CallOptions]

export class ControlClient {
  /** Server origin, such as `http://127.0.0.1:4141`. */
  readonly origin: string
  readonly #token: string | undefined
  readonly #inFlight = new Set<Promise<string>>()
  /** Reason why the client's sandbox no longer exists, if it was disposed or deleted. */
  ended: string | undefined

  /** @param token Undefined for a server that does not require one. */
  constructor(origin: string, token: string | undefined) {
    this.origin = origin
    this.#token = token
  }

  /** Returns a client for the same server, whose `settled` waits only for its own requests. */
  clone(): ControlClient {
    return new ControlClient(this.origin, this.#token)
  }

  async data<Id extends RouteId>(...request: Request<Id>): Promise<Data<Id>> {
    return ((await this.whole(...request)) as { data: Data<Id> }).data
  }

  async whole<Id extends RouteId>(...request: Request<Id>): Promise<Result<Id>> {
    const call = this.#send(...request)
    if (!request[0].startsWith('waitFor')) this.#inFlight.add(call)
    try {
      const text = await call
      // The server checks its replies against the same schemas.
      return (text === '' ? {} : JSON.parse(text)) as Result<Id>
    } finally {
      this.#inFlight.delete(call)
    }
  }

  /** Waits for requests in flight, except `waitFor…` operations. Throws the first error if any failed. */
  async settled(): Promise<void> {
    const outcomes = await Promise.allSettled(this.#inFlight)
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  }

  async #send<Id extends RouteId>(...[id, params, options = {}]: Request<Id>): Promise<string> {
    if (this.ended !== undefined) throw new GatewayError(410, this.ended)
    const { query = {}, body, signal = null } = options
    const [method = '', path = ''] = routePaths[id].split(' ')
    const values: Readonly<Record<string, string>> = params
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))
    const url = new URL(`${this.origin}/__understudy${filled}`)
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value))
    const headers = new Headers(body === undefined ? {} : { 'content-type': 'application/json' })
    if (this.#token !== undefined) headers.set('authorization', `Bearer ${this.#token}`)
    const sent = { method, headers, body: JSON.stringify(body), signal }
    const response = await fetch(url, sent).catch((cause) => {
      if (signal?.aborted) throw signal.reason
      const isClosed = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(cause.cause?.code)
      const message = isClosed
        ? `The gateway at ${this.origin} closed the connection before it replied to ${method} ${filled}`
        : `No gateway is running at ${this.origin}: start one with \`npx gateway-understudy\``
      throw new Error(message, { cause })
    })
    const text = await response.text()
    if (response.ok) return text
    const { error } = fieldsOf(parseJson(text)) as Partial<ErrorEnvelope>
    const message = error?.message ?? `${messageOf(response.status)}: ${text}`
    throw new GatewayError(response.status, message, error?.metadata ?? undefined)
  }
}
