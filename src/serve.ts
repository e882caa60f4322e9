/**
 * The gateway on a port: `startServer()` for tests, and the command line where this file is run as a program. The API
 * goes straight to the socket; the control API beside it is loaded when somebody first asks for it.
 */
import { realpathSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { gatewaySetup } from './cli/scenario-file.ts'
import type { Control } from './control/control.ts'
import { serve } from './delivery/deliver.ts'
import { defaultTimeoutMs, NodeSink, toNodeCall } from './delivery/node.ts'
import type { GatewayOptions } from './extras/exports.ts'
import type { Call } from './gateway/call.ts'
import { optionNames } from './gateway/extra.ts'
import { GatewayCore } from './gateway/gateway.ts'
import { GatewayError } from './http/errors.ts'
import { ok, type Reply } from './http/reply.ts'
import type { CallRecord } from './journal/call-record.ts'
import { monotonic } from './lib/clock.ts'
import { printError, surviveOutputErrors } from './lib/print.ts'
import { retried } from './lib/retried.ts'
import { allowOrigin, answerPreflight, isPreflight } from './server/cors.ts'
import { Guard } from './server/guard.ts'
import { readHealth } from './server/health.ts'
import { type RequestLine, toRequestLine } from './server/request-line.ts'
import { refuse, refuseSocket, refuseTunnel, send } from './server/send.ts'
import { readServerOptions, whyNot } from './server/server-options.ts'
import { cutUnreadBody } from './server/unread-body.ts'

export type { RequestLine }

export interface ServerOptions extends GatewayOptions {
  /** The port to listen on. Default: any free one. */
  port?: number
  /** The address to listen on. Default: 127.0.0.1, which only this machine reaches. */
  host?: string
  /** Names under which the server is called, beside the loopback ones and `host`. Default: none. */
  allowedHosts?: string[]
  /**
   * Origins whose pages may call the API, beside loopback and the server's own: `https://app.example`; `*` stands for
   * all. Default: none.
   */
  allowedOrigins?: string[]
  /** What control requests carry as their bearer. Default: none; beyond loopback, one is made. */
  token?: string
  /** Where this very server is reached past a balancer, as in `http://10.0.0.7:4141`. Default: nowhere else. */
  advertise?: string
  /** Whether `/__understudy/` shows the console, a page for people. Default: true. */
  console?: boolean
  /** A gateway that is there already; then options of `createGateway` are not for the server. Default: a new one. */
  gateway?: GatewayCore
  /** Real milliseconds that the body of a request may take; its headers have at most 10,000. Default: 30,000. */
  requestTimeoutMs?: number
  /** Called after each request completes. An error that it throws is printed. Default: none. */
  onRequest?: (line: RequestLine) => unknown
}

export interface RunningServer extends AsyncDisposable {
  /** The gateway that answers. */
  readonly gateway: GatewayCore
  /** The port that it listens on. */
  readonly port: number
  /** `http://127.0.0.1:4141` */
  readonly url: string
  /** `http://127.0.0.1:4141/api/v1` */
  readonly baseUrl: string
  /** What control requests carry as their bearer; undefined where they need none. */
  readonly token: string | undefined
  /**
   * Takes no more requests, and ends.
   *
   * @param graceMs Real milliseconds in which open replies may finish. Default: 0.
   */
  close(graceMs?: number): Promise<void>
}

/** Runs the command line: `serve`, `validate`, `scenarios`, `openapi`. */
export async function runCommandLine(args: readonly string[] = process.argv.slice(2)): Promise<void> {
  const { run } = await import('./cli/command-line.ts')
  surviveOutputErrors()
  await run(args, startServer)
}

/** Real milliseconds that the headers of a request may take. */
const maxHeadersTimeoutMs = 10_000
/** Headers longer than this are a 431. */
const maxHeaderSize = 16 * 1024
/** How often Node looks for headers that take too long. */
const connectionsCheckingInterval = 500

/** Real milliseconds between two looks for connections that nobody needs any more, at the end. */
const idleCheckMs = 20

const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis

/**
 * Starts a server. Throws one clear line for an option that is wrong, and for an address that it cannot listen on, with
 * the `code` that Node gives it: `EADDRINUSE` for example.
 */
export async function startServer(given: ServerOptions = {}): Promise<RunningServer> {
  const { own, options } = readServerOptions(given, optionNames(gatewaySetup.extras))
  const {
    port = 0,
    host = '127.0.0.1',
    allowedHosts = [],
    allowedOrigins = [],
    token,
    advertise,
    console: hasConsole = true,
    gateway,
    requestTimeoutMs = defaultTimeoutMs,
    onRequest,
  } = own
  const core = gateway ?? new GatewayCore(options, gatewaySetup)
  const guard = new Guard({ host, allowedHosts, allowedOrigins, token })
  let control: Control | undefined
  const loadControl = retried(async () => {
    const { Control, controlOperations } = await import('./control/control.ts')
    const directOrigin = advertise && new URL(advertise).origin
    control = new Control({ gateway: core, directOrigin, operations: await controlOperations(core) })
    return control
  })

  const toCall = (request: IncomingMessage, sink: NodeSink): Call =>
    toNodeCall(request, sink, {
      timeoutMs: requestTimeoutMs,
      awaitsContinue: request.headers.expect !== undefined,
    })

  const serveControl = async (request: IncomingMessage, sink: NodeSink): Promise<void> => {
    const { response } = sink
    response.setHeader('x-content-type-options', 'nosniff')
    response.setHeader('cache-control', 'no-store')
    // A request of HTTP/1.0 names no host: replies then name the address that it came to.
    const { localAddress = '', localPort } = request.socket
    request.headers.host ??= `${hostOf(localAddress)}:${localPort}`
    // Whoever follows a link comes from elsewhere, and the page is where the token is typed.
    const file = hasConsole ? await fileOf(core, request) : undefined
    if (file) return send(response, file)
    guard.assertSameOrigin(request)
    const health = readHealth(request, core.sandboxes)
    if (health) return send(response, health)
    guard.assertToken(request)
    const control = await loadControl()
    return send(response, await control.answer(toCall(request, sink)))
  }

  const serveRequest = async (request: IncomingMessage, sink: NodeSink): Promise<CallRecord | undefined> => {
    const { response } = sink
    try {
      guard.assertHost(request)
      if (!isMet(request)) throw new GatewayError(417, 'Nothing is expected of this server but 100-continue')
      if (isControl(request)) return void (await serveControl(request, sink))
      const { origin, host } = request.headers
      if (origin !== undefined) {
        guard.assertOrigin(origin, host)
        allowOrigin(origin, response)
      }
      if (isPreflight(request)) return void answerPreflight(request, response)
      if (request.url === '/openapi.json') return void (await sendApiDocument(core, response))
      return await serve(core, toCall(request, sink))
    } catch (error) {
      refuse(response, error)
    } finally {
      if (!request.complete) cutUnreadBody(request, response, requestTimeoutMs)
    }
  }

  /** The newest reply of each connection: while it is open and not silent, the connection is in use. */
  const connections = new Map<Socket, NodeSink | undefined>()
  const listener: RequestListener = (request, response) => {
    const sink = new NodeSink(response)
    connections.set(request.socket, sink)
    const served = serveRequest(request, sink)
    if (!onRequest) return
    const startedAt = monotonic()
    response.once('close', async () => {
      const line = toRequestLine(request, response, startedAt, await served)
      try {
        await onRequest(line)
      } catch (error) {
        printError(`[understudy] startServer: onRequest threw ${error}`)
      }
    })
  }
  // The guard itself refuses a request without a `Host`, in the envelope.
  const settings = { maxHeaderSize, connectionsCheckingInterval, requireHostHeader: false }
  const server = createServer(settings, listener)
  server.on('checkExpectation', listener)
  server.on('checkContinue', listener)
  server.on('connect', refuseTunnel)
  server.on('connection', (socket: Socket) => {
    connections.set(socket, undefined)
    socket.once('close', () => connections.delete(socket))
  })
  server.headersTimeout = Math.min(maxHeadersTimeoutMs, requestTimeoutMs)
  // The gateway times bodies, so that a late one gets a reply and enters the journal.
  server.requestTimeout = 0
  server.on('clientError', refuseSocket)

  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(whyNot(error, port, host)))
    server.listen(port, host, resolve)
  })
  const { port: bound } = server.address() as AddressInfo
  const url = `http://${hostOf(host)}:${bound}`
  const leave = core.sandboxes.serveAt(`${url}/api/v1`)

  const close = (graceMs = 0) =>
    new Promise<void>((resolve) => {
      const cut = setTimeout(() => server.closeAllConnections(), graceMs)
      // Clients keep idle connections for the next request, silent replies stay open, and followers of events stay on.
      const endIdle = () => {
        control?.close()
        for (const [socket, sink] of connections)
          if (!sink || sink.isSilent || sink.response.closed) socket.destroy()
      }
      endIdle()
      const idle = setInterval(endIdle, idleCheckMs)
      server.close(() => {
        leave()
        clearTimeout(cut)
        clearInterval(idle)
        resolve()
      })
      if (graceMs === 0) server.closeAllConnections()
    })
  return {
    gateway: core,
    port: bound,
    url,
    baseUrl: `${url}/api/v1`,
    token: guard.token,
    close,
    [Symbol.asyncDispose]: () => close(),
  }
}

/** The API's own document, made when somebody asks for it. */
async function sendApiDocument(gateway: GatewayCore, response: ServerResponse): Promise<void> {
  const { apiDocument } = await import('./control/documents.ts')
  await send(response, ok(apiDocument(gateway)))
}

/** Returns the file that an extra has for a request; 304 if the caller has it. */
async function fileOf({ extras }: GatewayCore, request: IncomingMessage): Promise<Reply | undefined> {
  const { method, url = '/', headers } = request
  if (method !== 'GET' && method !== 'HEAD') return undefined
  for (const { file } of extras) {
    const found = await file?.(url)
    if (!found) continue
    const { etag } = found.headers
    const isKnown = etag !== undefined && etag === headers['if-none-match']
    return isKnown ? { ...found, status: 304, body: { kind: 'none' } } : found
  }
  return undefined
}

function isControl({ url = '/' }: IncomingMessage): boolean {
  return /^\/__understudy(?![^/?])/.test(url)
}

/** Whether nothing is expected that the server does not do. Spec: RFC 9110, 10.1.1. */
function isMet({ headers: { expect } }: IncomingMessage): boolean {
  return expect === undefined || expect.toLowerCase() === '100-continue'
}

/** How the server is reached from this machine: an address that stands for all of them is none to call. */
function hostOf(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

/** Whether Node was started with this very file, be it by a link to it. */
function isProgram(): boolean {
  const [, program] = process.argv
  try {
    // mutation: equivalent: tested in a process without mutants
    return program !== undefined && realpathSync(program) === fileURLToPath(import.meta.url)
  } catch {
    return false
  }
}

// Not awaited: a module that waits at its top cannot be `require`d.
if (isProgram()) runCommandLine()
