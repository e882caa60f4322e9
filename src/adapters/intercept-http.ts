/**
 * Requests of `node:http` and `node:https` clients, caught where each of them asks its agent for a connection. One
 * for the gateway gets a connection within the process, with our own server at its other end, so that resets,
 * half-sent bodies and silence are what they are on a socket.
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
import { pipeline } from 'node:stream/promises'
import { connectedPair, type PipeSocket } from './intercept-socket.ts'

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

/** What becomes of a request: its listener here, the error that ends it, or that it goes its way. */
export type Verdict = ((arrival: Arrival) => void) | Error | 'pass'

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

/** A request that came to a listener here, and what answers it. */
export interface Arrival {
  readonly url: URL
  /** The agent that its client has chosen. */
  readonly agent: Agent
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** Sends a `Response`; one that breaks off breaks the connection. */
export async function sendResponse({ response }: Arrival, answer: Response): Promise<void> {
  const { status, statusText, headers, body } = answer
  if (answer.type === 'error') return void response.socket?.destroy()
  response.writeHead(status, statusText || undefined, [...headers].flat())
  if (!body) return void response.end()
  await pipeline(Readable.fromWeb(body as never), response).catch(() => response.socket?.destroy())
}

/** Sends a request on to where it was going, and its answer back. */
export function passOn({ url, agent, request, response }: Arrival, body: Uint8Array): void {
  const { method, headers } = request
  const again = sendRequest(url, { method, headers, agent, [passedOn]: true } as RequestOptions)
  again.on('response', (answer) => {
    // This connection is not that one: it ends with the reply.
    const { connection: _, ...headers } = answer.headers
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, headers)
    answer.pipe(response)
  })
  again.on('error', () => response.socket?.destroy())
  again.end(body)
}
