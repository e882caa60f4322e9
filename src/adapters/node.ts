/**
 * The gateway behind a socket, straight from `IncomingMessage` to `ServerResponse`: the fast path, and the faithful
 * one, as only a socket can be reset, fall silent, or stop halfway.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { GatewayCore } from '../gateway/gateway.ts'
import { handle } from '../gateway/handle.ts'
import type { Frame, HangUp } from '../http/reply.ts'
import type { CallRecord } from '../journal/call-record.ts'
import { NodeCall, type ServeOptions } from './node-call.ts'
import { writeFrames } from './node-frames.ts'
import { sendHead } from './node-head.ts'

const { setTimeout } = globalThis

/** Real milliseconds between the last byte and a reset: a reset at once would overtake the bytes. */
const lingerMs = 20
/** How many of these pauses there are where the client unpacks the body. */
const lingersOfPacked = 15

/** Bytes. A longer body is written as its reader reads, so that the connection does not hold it all. */
const longBody = 1024 * 1024

/** Answers one request of a `node:http` server. The promise says when the reply is out. */
export async function serveNode(
  gateway: GatewayCore,
  request: IncomingMessage,
  response: ServerResponse,
  options?: ServeOptions,
): Promise<CallRecord> {
  const call = new NodeCall(request, response, options)
  const record = await handle(gateway, call)
  const writing = call.hasLeft ? record.settled('client-left') : writeReply(record, call)
  if (writing) await writing
  return record
}

/** A promise only where it takes time. */
function writeReply(record: CallRecord, call: NodeCall): Promise<void> | void {
  const { response } = call
  const { status, headers, body, transport } = record.reply
  if (body.kind === 'hang-up') return hangUp(body.how, record, call)
  const content = body.kind === 'json' ? (body.bytes ?? body.text ?? JSON.stringify(body.value)) : ''
  const length = Buffer.byteLength(content)
  if (body.kind === 'json') headers['content-length'] = String(length)
  response.writeHead(status, headers)
  if (!transport) return writeBody(content, length, record, call)
  const { closeAfterMs } = transport
  const { socket } = response
  if (closeAfterMs !== undefined && socket)
    response.once('finish', () => closeLater(socket, record, closeAfterMs))
  return sendHead(record, response, call.signal).then((mayGoOn) =>
    mayGoOn ? writeBody(content, length, record, call) : undefined,
  )
}

/** @param content Of a JSON body, and how many bytes that is. */
function writeBody(
  content: string | Uint8Array,
  length: number,
  record: CallRecord,
  call: NodeCall,
): Promise<void> | void {
  const { response } = call
  const { body } = record.reply
  if (call.method === 'HEAD') response.end()
  else if (body.kind === 'frames') return writeStream(body.frames, record, call)
  else if (length > longBody) return writeStream([{ kind: 'bytes', bytes: content }], record, call)
  else if (body.kind === 'json') {
    record.sent(content, length)
    // ASCII is the same bytes in Latin-1, which takes 5 % less of a POST /responses to write.
    response.end(content, length === content.length ? 'latin1' : 'utf8')
  } else response.end()
  record.settled('complete')
}

/** Closes a connection that was to stay open for the next request. */
async function closeLater(socket: Socket, { state }: CallRecord, ms: number): Promise<void> {
  await state.clock.wait(ms)
  socket.end()
}

async function writeStream(frames: Iterable<Frame>, record: CallRecord, call: NodeCall): Promise<void> {
  const ending = await writeFrames(frames, record, call.response)
  if (ending === 'left') return record.settled('client-left')
  if (ending !== 'complete') return hangUp(ending, record, call)
  call.response.end()
  record.settled('complete')
}

/** Ends the connection as a fault wants it, after everything that was written has been sent. */
async function hangUp(how: HangUp, record: CallRecord, { response, silent }: NodeCall): Promise<void> {
  const { socket } = response
  if (how === 'silence' || !socket) {
    const letGo = record.state.hold(() => {
      record.settled('cut')
      socket?.destroy()
    })
    silent?.add(response)
    response.once('close', () => {
      silent?.delete(response)
      letGo()
      record.settled('client-left')
    })
    return
  }
  record.settled('cut')
  if (how === 'end' || how === 'close') {
    // A chunked body has an end of its own; one that promised more bytes can only lose its connection.
    const endsCleanly = how === 'end' && response.headersSent && !('content-length' in record.replyHeaders)
    if (endsCleanly) response.end()
    else socket.end()
    return
  }
  if (response.headersSent) {
    await new Promise<void>((resolve) => socket.write('', () => resolve()))
    const lingers = 'content-encoding' in record.replyHeaders ? lingersOfPacked : 1
    for (let turn = 0; turn < lingers; turn++) await new Promise((resolve) => setTimeout(resolve, lingerMs))
  }
  socket.resetAndDestroy()
}
