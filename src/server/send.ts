/**
 * Sends replies that come from the server and not from the gateway: those of the control API, and refusals of
 * requests that reach neither. Refusals have the error envelope.
 */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { deliver, unrecorded } from '../delivery/deliver.ts'
import { NodeSink } from '../delivery/node.ts'
import { envelope, GatewayError, messageOf, toReply } from '../http/errors.ts'
import type { Reply } from '../http/reply.ts'
import { printError } from '../lib/print.ts'
import { replyId } from './reply-id.ts'

/** Sends a reply under an id of its own. Resolves when all of it is out. */
export async function send(response: ServerResponse, reply: Reply): Promise<void> {
  const { req } = response
  const headers = { 'x-request-id': replyId(req, reply.status), ...reply.headers }
  await deliver({ ...reply, headers }, new NodeSink(response), unrecorded(req.method ?? ''))
}

/** Answers with an error; our own mistake is a loud 500. */
export function refuse(response: ServerResponse, error: unknown): void {
  if (!(error instanceof GatewayError)) printError(error instanceof Error ? `${error.stack}` : String(error))
  if (response.headersSent) return void response.destroy()
  const refusal =
    error instanceof GatewayError ? error : new GatewayError(500, `Mistake in understudy: ${error}`)
  void send(response, toReply(refusal))
}

/** A connection, with what Node keeps at it: the reply that is under way. */
type Connection = Duplex & { _httpMessage?: (ServerResponse & { req: IncomingMessage }) | null }

/** Answers what is not even a request: Node has read no more of it than where it went wrong. */
export function refuseSocket(error: Error & { code?: string }, socket: Connection): void {
  const { _httpMessage: earlier } = socket
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  // The request before was whole, and may have changed something: its caller gets all of its reply.
  if (earlier?.req.complete) return void earlier.once('finish', () => socket.destroy())
  if (earlier?.headersSent) return void socket.destroy()
  endSocket(socket, statusOf[error.code ?? ''] ?? malformed)
}

/** Refuses a tunnel: from then on the connection would not be HTTP. */
export function refuseTunnel(request: IncomingMessage, socket: Duplex): void {
  endSocket(socket, envelope(405, 'CONNECT is for proxies, and this server is none'), request)
}

function endSocket(socket: Duplex, reply: Reply, request?: IncomingMessage): void {
  const { status, headers, text } = rendered(reply, request)
  const head = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...head, '', text].join('\r\n'))
}

const malformed = envelope(400, 'Malformed HTTP request')

const statusOf: Record<string, Reply> = {
  HPE_HEADER_OVERFLOW: envelope(431, 'The headers are longer than 16 KB'),
  ERR_HTTP_REQUEST_TIMEOUT: envelope(408, messageOf(408)),
}

function rendered({ status, headers, body }: Reply, request: IncomingMessage | undefined) {
  const named = { 'x-request-id': replyId(request, status), ...headers }
  if (body.kind !== 'json') return { status, headers: named, text: '' }
  const text = body.text ?? JSON.stringify(body.value)
  return { status, text, headers: { ...named, 'content-length': String(Buffer.byteLength(text)) } }
}
