/** Client for the control API. Calls operations by id, and throws server errors as `GatewayError`. */
import { EventSourceParserStream } from 'eventsource-parser/stream'
import { GatewayError, messageOf } from '../http/errors.ts'
import type { CallSummary } from '../journal/summary.ts'
import type { ErrorEnvelope } from '../resources/error-envelope.ts'
import { routePaths } from './route-paths.ts'

export type RouteId = keyof typeof routePaths

/** Values of a route's path parameters, by name. */
export type RouteParams<Id extends RouteId> = Readonly<Record<Named<(typeof routePaths)[Id]>, string>>

type Named<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Named<Rest>
  : never

export interface CallOptions {
  /** Query parameters. Undefined ones are omitted. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
  /** If true, `settled` does not wait for the request. */
  readonly isOpenEnded?: true
}

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

  /** Creates a client for the same server. Its `settled` waits only for its own requests. */
  clone(): ControlClient {
    return new ControlClient(this.origin, this.#token)
  }

  /** Returns the reply's `data`, or undefined for a reply without a body. */
  async data<Data, Id extends RouteId>(
    id: Id,
    params: RouteParams<Id>,
    options: CallOptions = {},
  ): Promise<Data> {
    return (await this.whole<{ data: Data }, Id>(id, params, options)).data
  }

  /** Returns the reply's whole body. */
  async whole<Body, Id extends RouteId>(
    id: Id,
    params: RouteParams<Id>,
    options: CallOptions = {},
  ): Promise<Body> {
    const text = await this.text(id, params, options)
    // A test checks that all replies match the client's return types.
    return (text === '' ? {} : JSON.parse(text)) as Body
  }

  /** Returns the reply's body as text. */
  async text<Id extends RouteId>(
    id: Id,
    params: RouteParams<Id>,
    options: CallOptions = {},
  ): Promise<string> {
    const call = this.response(id, params, options).then((response) => response.text())
    if (!options.isOpenEnded) this.#inFlight.add(call)
    try {
      return await call
    } finally {
      this.#inFlight.delete(call)
    }
  }

  /** Waits for requests in flight. Throws the first error if any of them failed. */
  async settled(): Promise<void> {
    const outcomes = await Promise.allSettled(this.#inFlight)
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  }

  /** Returns the reply as soon as it starts, so that its body can be read as it arrives. */
  async response<Id extends RouteId>(
    id: Id,
    params: RouteParams<Id>,
    options: CallOptions,
  ): Promise<Response> {
    if (this.ended !== undefined) throw new GatewayError(410, this.ended)
    const response = await this.#send(id, params, options)
    if (response.ok) return response
    throw toError(response.status, await response.text())
  }

  #send(
    id: RouteId,
    params: Readonly<Record<string, string>>,
    { query = {}, body, headers, signal }: CallOptions,
  ): Promise<Response> {
    const [method = '', path = ''] = routePaths[id].split(' ')
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
    const parameters = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    )
    const search = parameters.length > 0 ? `?${new URLSearchParams(parameters)}` : ''
    return fetch(`${this.origin}/__understudy${filled}${search}`, {
      method,
      headers: {
        ...(this.#token !== undefined && { authorization: `Bearer ${this.#token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(signal && { signal }),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch((cause) => {
      if (signal?.aborted) throw signal.reason
      const message = isUnreachable(cause)
        ? `No gateway is running at ${this.origin}: start one with \`npx gateway-understudy\``
        : `The gateway at ${this.origin} closed the connection before it replied to ${method} ${filled}`
      throw new Error(message, { cause })
    })
  }
}

/** Returns true if no server was reached, false if the server closed the connection. */
function isUnreachable({ cause }: { cause?: { code?: string } }): boolean {
  return !['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(cause?.code ?? '')
}

function toError(status: number, text: string): Error {
  try {
    const { error }: ErrorEnvelope = JSON.parse(text)
    return new GatewayError(status, error.message, error.metadata ?? undefined)
  } catch {
    return new GatewayError(status, `${messageOf(status)}: ${text}`)
  }
}

export type GatewayEvent =
  /** Calls whose reply began or ended since the last event. */
  | { id: string; event: 'calls'; calls: CallSummary[] }
  /** Sent if events were missed, and first in a stream that does not resume. Reload the journal. */
  | { id: string; event: 'resync' }

export interface FollowOptions {
  /** Id of the last event received. The stream resumes after it. Default: only new events. */
  after?: string | undefined
  /** Ends the stream, and with it any loop over the events. */
  signal?: AbortSignal | undefined
}

export async function* followEvents(
  client: ControlClient,
  { after, signal }: FollowOptions,
): AsyncGenerator<GatewayEvent, void> {
  try {
    const { body } = await client.response('followEvents', {}, { query: { after }, signal })
    const events = (body as NonNullable<typeof body>)
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream())
    for await (const { id = '', event, data } of events) {
      if (event === 'calls') yield { id, event, calls: JSON.parse(data).calls }
      else if (event === 'resync') yield { id, event }
    }
  } catch (error) {
    if (!signal?.aborted) throw error
  }
}
