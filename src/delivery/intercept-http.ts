/**
 * Intercepts `node:http` and `node:https` requests as they ask their agent for a connection. Requests for the gateway
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
import type { Sandbox } from '../sandbox/sandbox.ts'
import { serve } from './deliver.ts'
import {
  type Answered,
  decideDestination,
  type InterceptSetup,
  type Outgoing,
} from './intercept-destination.ts'
import { toRecord } from './intercept-dispatch.ts'
import { toRequest } from './intercept-handlers.ts'
import { connectedPair, type PipeSocket } from './intercept-socket.ts'
import { NodeSink, toNodeCall } from './node.ts'

/** This method is undocumented, but unchanged since Node 0.12. Other interceptors and agents also use it. */
type Agents = {
  addRequest(this: Agent, request: ClientRequest, options: ConnectOptions, ...rest: unknown[]): void
}

interface ConnectOptions {
  readonly host?: string
  readonly port?: number | string
  readonly [passesThrough]?: boolean
}

type Waiting = ClientRequest & {
  readonly timeout?: number
  onSocket(socket: PipeSocket | undefined, error?: Error): void
}

const passesThrough = Symbol('passes through')

/** The listener that handles a request, the error that rejects it, or `pass`. */
type Verdict = ((arrival: Arrival) => void) | Error | 'pass'

/** Returns a function that stops the interception. */
export function interceptNodeHttp(judge: (request: ClientRequest, url: URL) => Verdict): () => void {
  const agents = NodeAgent.prototype as unknown as Agents
  const { addRequest } = agents
  const listeners = new WeakMap<object, (request: IncomingMessage, response: ServerResponse) => void>()
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    response.shouldKeepAlive = false
    listeners.get(request.socket)?.(request, response)
  })
  server.requestTimeout = 0
  server.headersTimeout = 0

  const intercepted: Agents['addRequest'] = function (request, options, ...rest) {
    const url = urlOf(request, options)
    const verdict = options[passesThrough] ? 'pass' : judge(request, url)
    if (verdict === 'pass') return addRequest.call(this, request, options, ...rest)
    const waiting = request as Waiting
    if (verdict instanceof Error) return waiting.onSocket(undefined, verdict)
    const [near, far] = connectedPair(request.protocol === 'https:')
    listeners.set(far, (request, response) => verdict({ url, agent: this, request, response }))
    server.emit('connection', far)
    waiting.onSocket(near)
    if (waiting.timeout) near.setTimeout(waiting.timeout)
  }
  agents.addRequest = intercepted
  return () => {
    // An interceptor installed later may still call this function.
    if (agents.addRequest === intercepted) agents.addRequest = addRequest
    judge = () => 'pass'
  }
}

function urlOf({ protocol, path, host }: ClientRequest, { port }: ConnectOptions): URL {
  const isBare = host.includes(':') && !host.startsWith('[')
  const origin = `${protocol}//${isBare ? `[${host}]` : host}${port === undefined ? '' : `:${port}`}`
  return new URL(path.startsWith('/') ? origin + path : path, origin)
}

export function onRequest(setup: InterceptSetup): (request: ClientRequest, url: URL) => Verdict {
  const { gateway, handlers } = setup
  return (request, url) => {
    const { method } = request
    const outgoing = { method, url, headers: toRecord(request.getHeaders()) }
    const mayHandle = handlers.mayHandle(url)
    const verdict = mayHandle ? {} : decideDestination(setup, outgoing)
    if (verdict === 'pass' || verdict instanceof Error) return verdict
    // Captured here, because the async context is lost on the server end of the connection.
    const sandbox = gateway.sandboxes.current?.getStore()
    return (arrival) => {
      const served = mayHandle
        ? tryHandlers(setup, outgoing, arrival, sandbox)
        : serveArrival(setup, arrival, verdict, { sandbox })
      served.catch(() => arrival.response.socket?.destroy())
    }
  }
}

interface Arrival {
  readonly url: URL
  readonly agent: Agent
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

async function serveArrival(
  { gateway }: InterceptSetup,
  { request, response }: Arrival,
  answered: Answered,
  options: { body?: Uint8Array; sandbox: Sandbox | undefined },
): Promise<void> {
  await serve(gateway, { ...toNodeCall(request, new NodeSink(response), options), ...answered })
}

async function tryHandlers(
  setup: InterceptSetup,
  outgoing: Outgoing,
  arrival: Arrival,
  sandbox: Sandbox | undefined,
): Promise<void> {
  const body = new Uint8Array(await buffer(arrival.request))
  const handled = await setup.handlers.respond(toRequest(outgoing, body))
  if (handled instanceof Response) return sendResponse(arrival, handled)
  const verdict = handled === 'pass' ? 'pass' : decideDestination(setup, outgoing)
  if (verdict === 'pass') forwardToHost(arrival, body)
  else if (verdict instanceof Error) arrival.response.socket?.destroy()
  else await serveArrival(setup, arrival, verdict, { body, sandbox })
}

/** Closes the connection if the body fails. */
async function sendResponse({ response }: Arrival, handled: Response): Promise<void> {
  const { status, statusText, headers, body } = handled
  if (handled.type === 'error') return void response.socket?.destroy()
  response.writeHead(status, statusText || undefined, [...headers].flat())
  if (!body) return void response.end()
  await pipeline(Readable.fromWeb(body as never), response).catch(() => response.socket?.destroy())
}

function forwardToHost({ url, agent, request, response }: Arrival, body: Uint8Array): void {
  const { method, headers } = request
  const forwarded = sendRequest(url, { method, headers, agent, [passesThrough]: true } as RequestOptions)
  forwarded.on('response', (incoming) => {
    // `connection` is a hop-by-hop header, and this connection ends with the reply.
    const { connection: _, ...headers } = incoming.headers
    response.writeHead(incoming.statusCode as number, incoming.statusMessage, headers)
    incoming.pipe(response)
  })
  forwarded.on('error', () => response.socket?.destroy())
  forwarded.end(body)
}
