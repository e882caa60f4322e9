/** Serves a gateway over HTTP or HTTPS. The control API is loaded on first use. */
import type { IncomingMessage, Server as NodeServer, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Control } from '../control/control.ts'
import { serve } from '../delivery/deliver.ts'
import { NodeSink, toNodeCall } from '../delivery/node.ts'
import type { Call } from '../gateway/call.ts'
import type { GatewayCore } from '../gateway/gateway.ts'
import { GatewayError } from '../http/errors.ts'
import { ok, type Reply } from '../http/reply.ts'
import type { CallRecord } from '../journal/call-record.ts'
import { monotonic } from '../lib/clock.ts'
import { printError } from '../lib/print.ts'
import { clearInterval, clearTimeout, setImmediate, setInterval, setTimeout } from '../lib/real-timers.ts'
import { allowOrigin, answerPreflight } from './cors.ts'
import { Guard } from './guard.ts'
import { createListener } from './listener.ts'
import { toRequestLine } from './request-line.ts'
import { refuse, send } from './send.ts'
import { type ServerSettings, toListenError } from './server-options.ts'

/** Interval at which a server that is shutting down closes idle connections. */
const idleCheckMs = 20

export class Server {
  readonly gateway: GatewayCore
  readonly #settings: ServerSettings
  readonly #guard: Guard
  readonly #listener: NodeServer
  /** Newest reply on each connection. A connection is in use while this reply is open and not stalled. */
  readonly #connections = new Map<Socket, NodeSink | undefined>()
  #control: Promise<Control> | undefined
  #removeBaseUrl = () => {}

  constructor(gateway: GatewayCore, settings: ServerSettings) {
    this.gateway = gateway
    this.#settings = settings
    this.#guard = new Guard(settings)
    this.#listener = createListener(settings, this.#onRequest, (socket) => {
      this.#connections.set(socket, undefined)
      socket.once('close', () => this.#connections.delete(socket))
    })
  }

  get token(): string | undefined {
    return this.#guard.token
  }

  /** Throws an error with Node's `code`, such as `EADDRINUSE`, if the address cannot be used. */
  async listen(): Promise<{ port: number; url: string }> {
    const { host, port, tlsCert } = this.#settings
    await new Promise<void>((resolve, reject) => {
      this.#listener.once('error', (error) => reject(toListenError(error, port, host)))
      this.#listener.listen(port, host, resolve)
    })
    const bound = (this.#listener.address() as AddressInfo).port
    const url = `${tlsCert === undefined ? 'http' : 'https'}://${toUrlHost(host)}:${bound}`
    this.#removeBaseUrl = this.gateway.sandboxes.serveAt(`${url}/api/v1`)
    return { port: bound, url }
  }

  readonly #onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const { onRequest } = this.#settings
    const sink = new NodeSink(response)
    this.#connections.set(request.socket, sink)
    const startedAt = monotonic()
    const served = this.#serve(request, sink)
    if (!onRequest) return
    response.once('close', async () => {
      const line = toRequestLine(request, response, startedAt, await served)
      try {
        await onRequest(line)
      } catch (error) {
        printError(`[understudy] startServer: onRequest threw ${error}`)
      }
    })
  }

  /** @param graceMs Maximum time to wait for open replies, in real milliseconds. */
  close(graceMs = 0): Promise<void> {
    return new Promise((resolve) => {
      const cut = setTimeout(() => this.#listener.closeAllConnections(), graceMs)
      // Idle keep-alive connections and stalled replies would keep the server running.
      const endIdle = () => {
        for (const [socket, sink] of this.#connections)
          if (!sink || sink.isSilent || sink.response.closed) socket.destroy()
      }
      endIdle()
      const idle = setInterval(endIdle, idleCheckMs)
      this.#listener.close(() => {
        this.#removeBaseUrl()
        clearTimeout(cut)
        clearInterval(idle)
        resolve()
      })
      if (graceMs === 0) this.#listener.closeAllConnections()
    })
  }

  async #serve(request: IncomingMessage, sink: NodeSink): Promise<CallRecord | undefined> {
    const { gateway } = this
    const { response } = sink
    const { method, url = '/', headers } = request
    try {
      this.#guard.assertHost(request)
      // A server rejects expectations that it cannot meet. Spec: RFC 9110, 10.1.1.
      if ((headers.expect ?? '100-continue').toLowerCase() !== '100-continue')
        throw new GatewayError(417, "Unsupported Expect header: only '100-continue' is supported")
      if (/^\/__understudy(?![^/?])/.test(url)) return void (await this.#serveControl(request, sink))
      if (headers.origin !== undefined) {
        this.#guard.assertOrigin(headers.origin, headers.host)
        allowOrigin(headers.origin, response)
      }
      const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
      if (isPreflight) return void answerPreflight(request, response)
      const document = url === '/openapi.json' && (await fileOf(gateway, request))
      if (document) return void (await send(response, document))
      if (/^\/(?:\?|$)/.test(url)) return void (await send(response, rootReply(request, this.#hasConsole)))
      this.#guard.assertSource(request)
      return await serve(gateway, this.#toCall(request, sink))
    } catch (error) {
      refuse(response, error)
    } finally {
      if (!request.complete) cutUnreadBody(request, response, this.#settings.requestTimeoutMs)
    }
  }

  async #serveControl(request: IncomingMessage, sink: NodeSink): Promise<void> {
    const { response } = sink
    const { headers, url = '' } = request
    response.setHeader('x-content-type-options', 'nosniff')
    response.setHeader('cache-control', 'no-store')
    // HTTP/1.0 requests may have no `Host`, so their replies use the local address instead.
    const { localAddress = '', localPort } = request.socket
    headers.host ??= `${toUrlHost(localAddress)}:${localPort}`
    if (this.#settings.tlsCert !== undefined) headers['x-forwarded-proto'] = 'https'
    // Other origins may link to the console. Its user enters the token on the page.
    const file = isRead(request) && this.#hasConsole ? await fileOf(this.gateway, request) : undefined
    if (file) return send(response, file)
    this.#guard.assertSameOrigin(request)
    // Requires no token and loads nothing, because orchestrators poll it from startup.
    if (isRead(request) && url.split('?', 1)[0] === '/__understudy/health')
      return send(response, ok({ data: { status: 'ok' } }))
    this.#guard.assertToken(request)
    this.#control ??= loadControl(this.gateway)
    const control = await this.#control
    return send(response, await control.handle(this.#toCall(request, sink)))
  }

  get #hasConsole(): boolean {
    return this.#settings.console && this.gateway.extras.some(({ name }) => name === 'console')
  }

  #toCall(request: IncomingMessage, sink: NodeSink): Call {
    return toNodeCall(request, sink, {
      timeoutMs: this.#settings.requestTimeoutMs,
      awaitsContinue: request.headers.expect !== undefined,
    })
  }
}

async function loadControl(gateway: GatewayCore): Promise<Control> {
  const { Control, controlOperations } = await import('../control/control.ts')
  return new Control({ gateway, operations: await controlOperations(gateway) })
}

function isRead({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** Returns an extra's file for the path, or a 304 if the client has it. */
async function fileOf(
  gateway: GatewayCore,
  { url = '/', headers }: IncomingMessage,
): Promise<Reply | undefined> {
  for (const { files } of gateway.extras) {
    const reply = await files?.(url, gateway)
    if (!reply) continue
    const { etag } = reply.headers
    const isCached = etag !== undefined && etag === headers['if-none-match']
    return isCached ? { ...reply, status: 304, body: { kind: 'none' } } : reply
  }
  return undefined
}

/** Returns a host in the form used in URLs. Wildcard addresses become loopback, and IPv6 addresses get brackets. */
function toUrlHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

/** Returns the reply to `GET /`: a redirect to the console for browsers, a list of links for other clients. */
function rootReply({ headers }: IncomingMessage, hasConsole: boolean): Reply {
  const console = '/__understudy/'
  if (hasConsole && headers.accept?.includes('text/html'))
    return { status: 302, headers: { location: console, vary: 'accept' }, body: { kind: 'none' } }
  const links = {
    api: '/api/v1',
    openapi: '/openapi.json',
    health: '/__understudy/health',
    control: '/__understudy/openapi.json',
  }
  const reply = ok({ data: { ...links, ...(hasConsole && { console }) } })
  return { ...reply, headers: { ...reply.headers, vary: 'accept' } }
}

/** Prevents slow clients whose request was rejected from keeping their connection open forever. */
function cutUnreadBody(request: IncomingMessage, response: ServerResponse, timeoutMs: number): void {
  const cut = () => {
    if (request.complete || request.destroyed) return
    const timer = setTimeout(() => request.destroy(), timeoutMs)
    for (const end of ['close', 'end']) request.once(end, () => clearTimeout(timer))
    request.resume()
  }
  // The reply may have been sent before Node marks the request as complete.
  setImmediate(() => {
    if (request.complete) return
    if (response.writableFinished) cut()
    else response.once('finish', () => setImmediate(cut))
  })
}
