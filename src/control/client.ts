/**
 * Calls control operations by their ids. Refusals are thrown as the `GatewayError` that they were on the server.
 */
import { EventSourceParserStream } from 'eventsource-parser/stream'
import { GatewayError, messageOf } from '../http/errors.ts'
import type { CallSummary } from '../journal/entry.ts'
import type { ErrorEnvelope } from '../resources/error-envelope.ts'
import { routePaths } from './route-paths.ts'

export type RouteId = keyof typeof routePaths

/** The parameters in the path of a route. */
export type RouteParams<Id extends RouteId> = Readonly<Record<Named<(typeof routePaths)[Id]>, string>>

type Named<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Named<Rest>
  : never

export interface Sent {
  /** Parameters without a value are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
  /** If true, `settled` does not wait for the call. */
  readonly isOpenEnded?: true
}

export class ControlClient {
  /** `http://127.0.0.1:4141` */
  readonly origin: string
  readonly #token: string | undefined
  readonly #inFlight = new Set<Promise<string>>()

  /** @param token Undefined for a server that requires none. */
  constructor(origin: string, token: string | undefined) {
    this.origin = origin
    this.#token = token
  }

  /** A client of the same server, with calls of its own to wait for. */
  another(): ControlClient {
    return new ControlClient(this.origin, this.#token)
  }

  /** Returns the `data` of the reply; undefined for a reply without a body. */
  async data<Data, Id extends RouteId>(id: Id, params: RouteParams<Id>, sent: Sent = {}): Promise<Data> {
    return (await this.whole<{ data: Data }, Id>(id, params, sent)).data
  }

  /** Returns the whole body of the reply. */
  async whole<Body, Id extends RouteId>(id: Id, params: RouteParams<Id>, sent: Sent = {}): Promise<Body> {
    const text = await this.text(id, params, sent)
    // A test checks the replies of all routes against what the methods of the client return.
    return (text === '' ? {} : JSON.parse(text)) as Body
  }

  /** Returns the body of the reply as text. */
  async text<Id extends RouteId>(id: Id, params: RouteParams<Id>, sent: Sent = {}): Promise<string> {
    const call = this.response(id, params, sent).then((response) => response.text())
    if (!sent.isOpenEnded) this.#inFlight.add(call)
    try {
      return await call
    } finally {
      this.#inFlight.delete(call)
    }
  }

  /** Waits for the calls in flight. Throws the error of the first that fails. */
  async settled(): Promise<void> {
    const outcomes = await Promise.allSettled(this.#inFlight)
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  }

  /** Returns a reply to read while it arrives. */
  async response<Id extends RouteId>(id: Id, params: RouteParams<Id>, sent: Sent): Promise<Response> {
    const response = await this.#send(id, params, sent)
    if (response.ok) return response
    throw toError(response.status, await response.text())
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
        ? `No gateway answers at ${this.origin}: start one with \`npx gateway-understudy\``
        : `The gateway at ${this.origin} broke the connection before it answered ${method} ${filled}`
      throw new Error(message, { cause })
    })
  }
}

/** If true, there was no server, as against one that broke the connection. */
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
  /** Calls that were answered, or whose delivery is over, since the last event. */
  | { id: string; event: 'calls'; calls: CallSummary[] }
  /** Some were missed, or this is the first event: read the journal anew. */
  | { id: string; event: 'resync' }

export interface FollowOptions {
  /** The id of the last event seen: what came since is sent. Default: from now on. */
  after?: string | undefined
  /** Ends the stream; the loop then ends too. */
  signal?: AbortSignal | undefined
}

export async function* followEvents(
  client: ControlClient,
  { after, signal }: FollowOptions,
): AsyncGenerator<GatewayEvent, void> {
  const headers: Record<string, string> = after === undefined ? {} : { 'last-event-id': after }
  try {
    const { body } = await client.response('followEvents', {}, { headers, signal })
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
