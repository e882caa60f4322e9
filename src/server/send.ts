/** Sends replies that do not come from the gateway: control API replies, files, and early errors. */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { deliver, unrecorded } from '../delivery/deliver.ts'
import { NodeSink } from '../delivery/node.ts'
import { envelope, GatewayError, messageOf, toReply } from '../http/errors.ts'
import type { Reply } from '../http/reply.ts'
import { printError } from '../lib/print.ts'
import { hash } from '../lib/seed.ts'

/** Adds an `x-request-id` and sends the reply. Resolves when the whole reply has been written. */
export async function send(response: ServerResponse, reply: Reply): Promise<void> {
  const { req } = response
  const headers = { 'x-request-id': replyId(req, reply.status), ...reply.headers }
  await deliver({ ...reply, headers }, new NodeSink(response), unrecorded(req.method ?? ''))
}

/** Responds with an error. Unexpected errors are bugs: they are printed, and the client gets a 500. */
export function refuse(response: ServerResponse, error: unknown): void {
  if (!(error instanceof GatewayError)) printError(error instanceof Error ? `${error.stack}` : String(error))
  if (response.headersSent) return void response.destroy()
  const rejection =
    error instanceof GatewayError ? error : new GatewayError(500, `Bug in Understudy: ${error}`)
  void send(response, toReply(rejection))
}

/** A socket with Node's internal reference to the response in flight. */
type Connection = Duplex & { _httpMessage?: (ServerResponse & { req: IncomingMessage }) | null }

/** Handles a request that Node rejects: malformed, with oversized headers, or too slow. */
export function refuseSocket(error: Error & { code?: string }, socket: Connection): void {
  const { _httpMessage: previous } = socket
  if (!socket.writable) return void socket.destroy()
  // The previous request was complete and may have changed state, so its reply is sent in full.
  if (previous?.req.complete) return void previous.once('finish', () => socket.destroy())
  if (previous?.headersSent) return void socket.destroy()
  endSocket(socket, statusOf[error.code ?? ''] ?? envelope(400, 'Malformed HTTP request'))
}

/** Rejects a CONNECT request. Accepting it would turn the connection into a tunnel. */
export function refuseTunnel(request: IncomingMessage, socket: Duplex): void {
  endSocket(socket, envelope(405, 'CONNECT is for proxies, and this server is not a proxy'), request)
}

function endSocket(socket: Duplex, { status, headers, body }: Reply, request?: IncomingMessage): void {
  const text = body.kind === 'json' ? (body.text ?? JSON.stringify(body.value)) : ''
  const head = Object.entries({
    'x-request-id': replyId(request, status),
    ...headers,
    'content-length': Buffer.byteLength(text),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...head, '', text].join('\r\n'))
}

const statusOf: Record<string, Reply> = {
  HPE_HEADER_OVERFLOW: envelope(431, 'Request headers exceed 16 KB'),
  ERR_HTTP_REQUEST_TIMEOUT: envelope(408, messageOf(408)),
}

/** @param request Undefined if Node could not parse it. */
export function replyId(request: IncomingMessage | undefined, status: number): string {
  const { method = '', url = '' } = request ?? {}
  return `req_${hash('server', method, url, status)}`
}
