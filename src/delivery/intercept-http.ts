/**
 * Intercepts `node:http` and `node:https` requests when they ask their agent for a connection. Requests for the gateway
 * get an in-process connection to our own server, so that resets, truncated bodies and stalls behave as on a socket.
 */
import {
  type Agent,
  type ClientRequest,
  createServer,
  type IncomingMessage,
  Agent as NodeAgent,
  type RequestOptions,
  type ServerResponse,
  request as sendRequest,
} from 'node:http'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { serve } from './deliver.ts'
import { type Answered, decideDestination, type InterceptSetup } from './intercept-destination.ts'
import { toRecord } from './intercept-dispatch.ts'
import { toRequest } from './intercept-handlers.ts'
import { PipeSocket } from './intercept-socket.ts'
import { type ActiveInterception, registry, replaceMethod } from './interceptions.ts'
import { NodeSink, toNodeCall } from './node.ts'

/** This method is undocumented, but unchanged since Node 0.12. Other interceptors and agents also use it. */
type AddRequest = (this: Agent, request: ClientRequest, options: ConnectOptions, ...rest: unknown[]) => void

interface ConnectOptions {
  readonly host?: string
  readonly port?: number | string
  readonly [passedTo]?: Arrival['older']
}

type Waiting = ClientRequest & {
  readonly timeout?: number
  onSocket(socket: PipeSocket | undefined, error?: Error): void
}

/** Interceptions that a forwarded request has yet to pass through. All package copies share this key. */
const passedTo = Symbol.for('gateway-understudy.passed-to')

export type Judge = (request: ClientRequest, url: URL) => Verdict
type Verdict = ((arrival: Arrival) => void) | Error | 'pass'

export function replaceAddRequest(): void {
  replaceMethod(NodeAgent.prototype, 'addRequest', substituteFor)
}

function substituteFor(addRequest: AddRequest): AddRequest {
  const listeners = new WeakMap<object, (request: IncomingMessage, response: ServerResponse) => void>()
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    response.shouldKeepAlive = false
    listeners.get(request.socket)?.(request, response)
  })
  server.requestTimeout = 0
  server.headersTimeout = 0

  return function (request, options, ...rest) {
    const chain = options[passedTo] ?? registry.active
    for (const [at, { onRequest }] of chain.entries()) {
      const url = urlOf(request, options)
      const verdict = onRequest(request, url)
      if (verdict === 'pass') continue
      const waiting = request as Waiting
      // An error of another realm is no instance of ours.
      if (typeof verdict !== 'function') return waiting.onSocket(undefined, verdict)
      const [near, far] = [new PipeSocket(request.protocol === 'https:'), new PipeSocket(false)]
      near.peer = far
      far.peer = near
      const older = chain.slice(at + 1)
      listeners.set(far, (request, response) => verdict({ url, agent: this, older, request, response }))
      server.emit('connection', far)
      waiting.onSocket(near)
      if (waiting.timeout) near.setTimeout(waiting.timeout)
      return
    }
    addRequest.call(this, request, options, ...rest)
  }
}

function urlOf({ protocol, path, host }: ClientRequest, { port }: ConnectOptions): URL {
  const isBare = host.includes(':') && !host.startsWith('[')
  const origin = `${protocol}//${isBare ? `[${host}]` : host}${port === undefined ? '' : `:${port}`}`
  return new URL(path.startsWith('/') ? origin + path : path, origin)
}

export function onRequest(setup: InterceptSetup): Judge {
  const { gateway, handlers } = setup
  return (request, url) => {
    const outgoing = { method: request.method, url, headers: toRecord(request.getHeaders()) }
    const decide = () => decideDestination(setup, outgoing, registry.active)
    const mayHandle = handlers.mayHandle(url)
    const verdict = mayHandle ? {} : decide()
    if (verdict === 'pass' || verdict instanceof Error) return verdict
    // Captured here, because the async context is lost on the server end of the connection.
    const sandbox = gateway.sandboxes.current?.getStore()
    const answer = ({ request, response }: Arrival, answered: Answered, body?: Uint8Array) =>
      serve(gateway, { ...toNodeCall(request, new NodeSink(response), { body, sandbox }), ...answered })
    const tryHandlers = async (arrival: Arrival) => {
      const body = new Uint8Array(await buffer(arrival.request))
      const handled = await handlers.respond(toRequest(outgoing, body))
      if (handled instanceof Response) return sendResponse(arrival, handled)
      const verdict = handled === 'pass' ? handled : decide()
      if (verdict === 'pass') return passThrough(arrival, body)
      if (verdict instanceof Error) arrival.response.socket?.destroy()
      else await answer(arrival, verdict, body)
    }
    return (arrival) => {
      const served = mayHandle ? tryHandlers(arrival) : answer(arrival, verdict)
      served.catch(() => arrival.response.socket?.destroy())
    }
  }
}

interface Arrival {
  readonly url: URL
  readonly agent: Agent
  /** Interceptions to try next if this one passes the request through. */
  readonly older: readonly ActiveInterception[]
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

async function sendResponse({ response }: Arrival, handled: Response): Promise<void> {
  const { status, statusText, headers, body } = handled
  if (handled.type === 'error') return void response.socket?.destroy()
  response.writeHead(status, statusText || undefined, [...headers].flat())
  if (!body) return void response.end()
  await pipeline(Readable.fromWeb(body as never), response).catch(() => response.socket?.destroy())
}

function passThrough({ url, agent, older, request, response }: Arrival, body: Uint8Array): void {
  const { method, headers } = request
  const forwarded = sendRequest(url, { method, headers, agent, [passedTo]: older } as RequestOptions)
  forwarded.on('response', (incoming) => {
    // `connection` is a hop-by-hop header, and this connection ends with the reply.
    const { connection: _, ...headers } = incoming.headers
    response.writeHead(incoming.statusCode as number, incoming.statusMessage, headers)
    incoming.pipe(response)
  })
  forwarded.on('error', () => response.socket?.destroy())
  forwarded.end(body)
}
