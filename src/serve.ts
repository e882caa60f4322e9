/**
 * Serves a gateway over HTTP: provides `startServer()` for tests, and runs the command line if executed as a program.
 * The control API is loaded on first use.
 */
import { realpathSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
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
import { inCall } from './lib/call-names.ts'
import { monotonic } from './lib/clock.ts'
import { loadOnce } from './lib/load-once.ts'
import { type Duration, toMilliseconds } from './lib/numbers.ts'
import { printError, surviveOutputErrors } from './lib/print.ts'
import { allowOrigin, answerPreflight, isPreflight } from './server/cors.ts'
import { Guard } from './server/guard.ts'
import { readHealth } from './server/health.ts'
import { type RequestLine, toRequestLine } from './server/request-line.ts'
import { rootReply } from './server/root.ts'
import { refuse, refuseSocket, refuseTunnel, send } from './server/send.ts'
import { readServerOptions, toListenError } from './server/server-options.ts'
import { cutUnreadBody } from './server/unread-body.ts'
import { gatewaySetup } from './setup.ts'

export type { RequestLine }

export interface ServerOptions extends GatewayOptions {
  /** Port to listen on. Default: any free port. */
  port?: number
  /** Address to listen on. Default: 127.0.0.1, which only this machine can reach. */
  host?: string
  /** Accepted host names, in addition to loopback names and `host`. Default: none. */
  allowedHosts?: string[]
  /**
   * Origins allowed to call the API, such as `https://app.example`, in addition to loopback and the server's own
   * origin. `*` allows every origin. Default: none.
   */
  allowedOrigins?: string[]
  /** Bearer token that control requests require. Default: none on loopback, generated on other addresses. */
  token?: string
  /** URL of this node that bypasses the load balancer, such as `http://10.0.0.7:4141`. Default: none. */
  advertise?: string
  /** If true, serves the console, a web page, at `/__understudy/`. Default: true. */
  console?: boolean
  /** Existing gateway to serve. Cannot be combined with gateway options. Default: a new gateway. */
  gateway?: GatewayCore
  /**
   * Maximum real time to receive a request body: milliseconds or `'1m'`. Headers must arrive within the same time, and
   * within 10 s. Default: 30 s.
   */
  requestTimeoutMs?: Duration
  /** Called after each request completes. Errors that the callback throws are printed. Default: none. */
  onRequest?: (line: RequestLine) => unknown
}

export interface RunningServer extends AsyncDisposable {
  /** The gateway that the server runs. */
  readonly gateway: GatewayCore
  /** Port that the server listens on. */
  readonly port: number
  /** URL of the server, such as `http://127.0.0.1:4141`. */
  readonly url: string
  /** Base URL for clients, such as `http://127.0.0.1:4141/api/v1`. */
  readonly baseUrl: string
  /** Bearer token for control requests; undefined if none is required. */
  readonly token: string | undefined
  /**
   * Stops accepting requests and shuts down.
   *
   * @param graceMs Maximum wait for open replies, in real milliseconds. Default: 0.
   */
  close(graceMs?: number): Promise<void>
}

/**
 * Runs the command line: `serve`, which is the default, or another command that `--help` lists. Sets
 * `process.exitCode`.
 */
export async function runCommandLine(args: readonly string[] = process.argv.slice(2)): Promise<void> {
  const { run } = await import('./cli/command-line.ts')
  surviveOutputErrors()
  await run(args, startServer)
}

/** Maximum time to receive request headers, in real milliseconds. */
// mutation: equivalent (a millisecond more makes no difference)
const maxHeadersTimeoutMs = 10_000
/** Maximum header size in bytes. Larger headers get a 431. */
const maxHeaderSize = 16 * 1024
/** Interval at which Node checks for requests with slow headers, in milliseconds. */
// mutation: equivalent (any similar interval works)
const connectionsCheckingInterval = 500

/** Interval at which a server that is shutting down closes idle connections, in real milliseconds. */
// mutation: equivalent (any similar interval works)
const idleCheckMs = 20

const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis

/**
 * Starts a server. Throws a `TypeError` for an invalid option, and an error with Node's `code`, such as `EADDRINUSE`,
 * if the server cannot listen on its address.
 */
export function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  return inCall('startServer', () => start(options))
}

async function start(options: ServerOptions): Promise<RunningServer> {
  const { server: serverOptions, gateway: gatewayOptions } = readServerOptions(
    options,
    optionNames(gatewaySetup.extras),
  )
  const {
    port = 0,
    host = '127.0.0.1',
    allowedHosts = [],
    allowedOrigins = [],
    token,
    advertise,
    console: hasConsole = true,
    gateway,
    onRequest,
  } = serverOptions
  const requestTimeoutMs = toMilliseconds(serverOptions.requestTimeoutMs ?? defaultTimeoutMs)
  const core = gateway ?? new GatewayCore(gatewayOptions, gatewaySetup)
  const guard = new Guard({ host, allowedHosts, allowedOrigins, token })
  let control: Control | undefined
  const loadControl = loadOnce(async () => {
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
    // HTTP/1.0 requests may have no `Host`, so their replies use the local address instead.
    const { localAddress = '', localPort } = request.socket
    request.headers.host ??= `${hostOf(localAddress)}:${localPort}`
    if (secure) request.headers['x-forwarded-proto'] = 'https'
    // The console accepts links from other origins. It requires no token, because the user enters the token
    // on the page.
    const file = hasConsole ? await fileOf(core, request) : undefined
    if (file) return send(response, file)
    guard.assertSameOrigin(request)
    const health = readHealth(request, core.sandboxes)
    if (health) return send(response, health)
    guard.assertToken(request)
    const control = await loadControl()
    return send(response, await control.handle(toCall(request, sink)))
  }

  const serveRequest = async (request: IncomingMessage, sink: NodeSink): Promise<CallRecord | undefined> => {
    const { response } = sink
    try {
      guard.assertHost(request)
      // A server rejects expectations that it cannot meet. Spec: RFC 9110, 10.1.1.
      if ((request.headers.expect ?? '100-continue').toLowerCase() !== '100-continue')
        throw new GatewayError(417, "Unsupported Expect header: only '100-continue' is supported")
      if (/^\/__understudy(?![^/?])/.test(request.url ?? '')) return void (await serveControl(request, sink))
      const { origin, host } = request.headers
      if (origin !== undefined) {
        guard.assertOrigin(origin, host)
        allowOrigin(origin, response)
      }
      if (request.method === 'OPTIONS' && isPreflight(request)) return void answerPreflight(request, response)
      if (request.url === '/openapi.json') {
        const { apiDocument } = await import('./control/documents.ts')
        return void (await send(response, ok(apiDocument(core))))
      }
      const isRoot = /^\/(?:\?|$)/.test(request.url ?? '')
      const root = isRoot && rootReply(request, hasConsole && core.extras.some(({ files }) => files))
      if (root) return void (await send(response, root))
      return await serve(core, toCall(request, sink))
    } catch (error) {
      refuse(response, error)
    } finally {
      if (!request.complete) cutUnreadBody(request, response, requestTimeoutMs)
    }
  }

  /** Newest reply on each connection. A connection is in use while this reply is open and not stalled. */
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
  // The guard, which uses the error envelope, rejects requests without a `Host`.
  const settings = { maxHeaderSize, connectionsCheckingInterval, requireHostHeader: false }
  const { secureServer } = core.extras.find((extra) => extra.secureServer) ?? {}
  // Extras cannot name Node's types.
  type Server = ReturnType<typeof createServer>
  const secure = (await secureServer?.(settings, listener, [host, ...allowedHosts])) as Server | undefined
  const server = secure ?? createServer(settings, listener)
  server.on('checkExpectation', listener)
  server.on('checkContinue', listener)
  server.on('connect', refuseTunnel)
  server.on(secure ? 'secureConnection' : 'connection', (socket: Socket) => {
    connections.set(socket, undefined)
    socket.once('close', () => connections.delete(socket))
  })
  server.headersTimeout = Math.min(maxHeadersTimeoutMs, requestTimeoutMs)
  // The gateway enforces the timeout for bodies, so that slow requests get a reply and a journal entry.
  server.requestTimeout = 0
  server.on('clientError', refuseSocket)

  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(toListenError(error, port, host)))
    server.listen(port, host, resolve)
  })
  const { port: bound } = server.address() as AddressInfo
  const url = `${secure ? 'https' : 'http'}://${hostOf(host)}:${bound}`
  const leave = core.sandboxes.serveAt(`${url}/api/v1`)

  const close = (graceMs = 0) =>
    new Promise<void>((resolve) => {
      const cut = setTimeout(() => server.closeAllConnections(), graceMs)
      // Idle keep-alive connections, stalled replies and event streams would keep the server running.
      const endIdle = () => {
        control?.close()
        for (const [socket, sink] of connections)
          if (!sink || sink.isSilent || sink.response.closed) socket.destroy()
      }
      // mutation: equivalent (the interval does the same moments later)
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

/** Returns the file that an extra serves at the path, or a 304 if the client has cached it. */
async function fileOf({ extras }: GatewayCore, request: IncomingMessage): Promise<Reply | undefined> {
  const { method, url = '/', headers } = request
  if (method !== 'GET' && method !== 'HEAD') return undefined
  for (const { files } of extras) {
    const reply = await files?.(url)
    if (!reply) continue
    const { etag } = reply.headers
    const isCached = etag !== undefined && etag === headers['if-none-match']
    return isCached ? { ...reply, status: 304, body: { kind: 'none' } } : reply
  }
  return undefined
}

/** Returns the host to use in URLs: wildcard addresses become loopback, and IPv6 addresses get brackets. */
function hostOf(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

/** Returns true if Node was started with this file, directly or through a link. */
function isProgram(): boolean {
  const [, program] = process.argv
  try {
    // mutation: equivalent (tested in a child process, without mutants)
    return program !== undefined && realpathSync(program) === fileURLToPath(import.meta.url)
  } catch {
    // mutation: equivalent (tested in a child process, without mutants)
    return false
  }
}

// Not awaited, because `require` cannot load a module with top-level await.
// mutation: equivalent (tested in a child process, without mutants)
if (isProgram()) runCommandLine()
