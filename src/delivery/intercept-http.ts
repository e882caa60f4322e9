/**
 * Requests of `node:http` and `node:https` clients, caught where each of them asks its agent for a connection. A request
 * for the gateway gets a connection within the process, with our own server at the other end, so that resets, half-sent
 * bodies and silence are the same as on a socket.
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
import { type InterceptSetup, type Outgoing, verdictOn } from './intercept-destination.ts'
import { toRecord } from './intercept-dispatch.ts'
import { connectedPair, type PipeSocket } from './intercept-socket.ts'
import { NodeSink, toNodeCall } from './node.ts'

/** Undocumented, the same since Node 0.12, and what other interceptors and agents rely on. */
type Agents = {
  addRequest(this: Agent, request: ClientRequest, options: ConnectOptions, ...rest: unknown[]): void
}

interface ConnectOptions {
  readonly host?: string
  readonly port?: number | string
  /** Set for requests that go their way. */
  readonly [passedOn]?: boolean
}

/** What an agent knows of a request that waits for its connection. */
type Waiting = ClientRequest & {
  readonly timeout?: number
  onSocket(socket: PipeSocket | undefined, error?: Error): void
}

const passedOn = Symbol('passed on')

/** The listener that serves a request here, the error that refuses it, or that it passes through. */
type Verdict = ((arrival: Arrival) => void) | Error | 'pass'

/** Starts to intercept; the function returned ends that. */
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
    const verdict = options[passedOn] ? 'pass' : judge(request, url)
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
    // Whoever has put theirs before ours in the meantime goes on calling it.
    if (agents.addRequest === intercepted) agents.addRequest = addRequest
    judge = () => 'pass'
  }
}

function urlOf({ protocol, path, host }: ClientRequest, { port }: ConnectOptions): URL {
  const isBare = host.includes(':') && !host.startsWith('[')
  const origin = `${protocol}//${isBare ? `[${host}]` : host}${port === undefined ? '' : `:${port}`}`
  return new URL(path.startsWith('/') ? origin + path : path, origin)
}

/** Decides on each request: one of the user's handlers responds, or the gateway does, or it is refused, or passes. */
export function onRequest(setup: InterceptSetup): (request: ClientRequest, url: URL) => Verdict {
  const { gateway, handlers } = setup
  return (request, url) => {
    const { method } = request
    const outgoing = { method, url, headers: toRecord(request.getHeaders()) }
    const mayAnswer = handlers.mayAnswer(url)
    const verdict = mayAnswer ? 'answer' : verdictOn(setup, outgoing)
    if (verdict !== 'answer') return verdict
    // Captured here: at the other end of the connection, the async context of the caller is gone.
    const sandbox = gateway.sandboxes.current.get()
    return (arrival) => {
      const answered = mayAnswer
        ? tryHandlers(setup, outgoing, arrival, sandbox)
        : answer(setup, arrival, { sandbox })
      answered.catch(() => arrival.response.socket?.destroy())
    }
  }
}

/** A request that arrived at our end of its connection. */
interface Arrival {
  readonly url: URL
  /** The agent that its client has chosen. */
  readonly agent: Agent
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

async function answer(
  { gateway }: InterceptSetup,
  { request, response }: Arrival,
  options: { body?: Uint8Array; sandbox: Sandbox | undefined },
): Promise<void> {
  await serve(gateway, toNodeCall(request, new NodeSink(response), options))
}

async function tryHandlers(
  setup: InterceptSetup,
  outgoing: Outgoing,
  arrival: Arrival,
  sandbox: Sandbox | undefined,
): Promise<void> {
  const { method, url, headers } = outgoing
  const body = new Uint8Array(await buffer(arrival.request))
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const answered = await setup.handlers.answer(
    new Request(url, { method, headers, body: hasBody ? body : null }),
  )
  if (answered instanceof Response) return sendResponse(arrival, answered)
  const verdict = answered === 'pass' ? 'pass' : verdictOn(setup, outgoing)
  if (verdict === 'answer') return answer(setup, arrival, { body, sandbox })
  if (verdict === 'pass') passOn(arrival, body)
  else arrival.response.socket?.destroy()
}

/** Sends the response of one of the user's handlers; one that breaks off breaks the connection. */
async function sendResponse({ response }: Arrival, answered: Response): Promise<void> {
  const { status, statusText, headers, body } = answered
  if (answered.type === 'error') return void response.socket?.destroy()
  response.writeHead(status, statusText || undefined, [...headers].flat())
  if (!body) return void response.end()
  await pipeline(Readable.fromWeb(body as never), response).catch(() => response.socket?.destroy())
}

/** Sends a request on to where it was going, and the response back. */
function passOn({ url, agent, request, response }: Arrival, body: Uint8Array): void {
  const { method, headers } = request
  const again = sendRequest(url, { method, headers, agent, [passedOn]: true } as RequestOptions)
  again.on('response', (answered) => {
    // Hop-by-hop: this connection ends with the reply.
    const { connection: _, ...headers } = answered.headers
    response.writeHead(answered.statusCode ?? 502, answered.statusMessage, headers)
    answered.pipe(response)
  })
  again.on('error', () => response.socket?.destroy())
  again.end(body)
}
