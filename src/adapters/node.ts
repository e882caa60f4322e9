/**
 * The gateway behind a socket, straight from `IncomingMessage` to `ServerResponse`: the fast path, and the faithful
 * one, as only a socket can be reset, fall silent, or stop halfway.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Exchange } from '../gateway/exchange.ts'
import type { GatewayCore } from '../gateway/gateway.ts'
import { handle } from '../gateway/handle.ts'
import type { Frame, HangUp } from '../http/reply.ts'
import { NodeCall } from './node-call.ts'
import { isChunk, play } from './play.ts'

/** Real timers, also under the fake ones of a test runner: they wait for the socket, not in sandbox time. */
const { setImmediate, setTimeout } = globalThis

/** Real milliseconds between the last byte and a reset: a reset at once would overtake the bytes. */
const lingerMs = 20

/**
 * Answers one request of a `node:http` server. The promise says when the reply is out.
 *
 * @param bodyTimeoutMs Real milliseconds that the body may take. Default: 30,000.
 */
export async function serveNode(
  gateway: GatewayCore,
  request: IncomingMessage,
  response: ServerResponse,
  bodyTimeoutMs?: number,
): Promise<Exchange> {
  const call = new NodeCall(request, response, bodyTimeoutMs)
  const exchange = await handle(gateway, call)
  if (call.hasLeft) exchange.settle('client-left')
  else await send(exchange, call, response)
  return exchange
}

async function send(exchange: Exchange, call: NodeCall, response: ServerResponse): Promise<void> {
  const { status, headers, body } = exchange.reply
  switch (body.kind) {
    case 'hang-up':
      return hangUp(body.how, exchange, response)
    case 'frames':
      response.writeHead(status, headers)
      if (call.method === 'HEAD') break
      return stream(body.frames, exchange, response, call.signal)
    case 'json': {
      const text = body.text ?? JSON.stringify(body.value)
      const length = body.bytes?.byteLength ?? Buffer.byteLength(text)
      headers['content-length'] = String(length)
      response.writeHead(status, headers)
      if (call.method === 'HEAD') break
      exchange.sent(body.bytes ?? text, length)
      response.end(body.bytes ?? text)
      return exchange.settle('complete')
    }
    case 'none':
      response.writeHead(status, headers)
  }
  response.end()
  exchange.settle('complete')
}

async function stream(
  frames: Iterable<Frame>,
  exchange: Exchange,
  response: ServerResponse,
  left: AbortSignal,
): Promise<void> {
  const steps = play(frames, exchange, left)
  for (let begun = false; ; begun = true) {
    const { done, value } = steps.next()
    if (left.aborted) return exchange.settle('client-left')
    if (done) {
      if (value === 'complete') {
        response.end()
        return exchange.settle('complete')
      }
      if (!begun) response.flushHeaders()
      return hangUp(value, exchange, response)
    }
    if (isChunk(value)) {
      exchange.sent(value)
      if (!response.write(value)) await drained(response)
    } else {
      // The head comes at once, also when the first event is late.
      if (!begun) response.flushHeaders()
      await (value ?? new Promise((resolve) => setImmediate(resolve)))
    }
  }
}

/** Until a slow reader has made room, or has left. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    response.on('drain', done)
    response.on('close', done)
  })
}

/** Ends the connection as a fault wants it; what was written has left by then. */
async function hangUp(how: HangUp | 'left', exchange: Exchange, response: ServerResponse): Promise<void> {
  const { socket } = response
  if (how === 'silence' || how === 'left' || !socket) {
    response.once('close', () => exchange.settle('client-left'))
    return
  }
  exchange.settle('cut')
  if (how === 'end') {
    // A chunked body has an end of its own; one that promised more bytes can only lose its connection.
    if (response.headersSent && !('content-length' in exchange.replyHeaders)) response.end()
    else socket.end()
    return
  }
  if (response.headersSent) {
    await new Promise<void>((resolve) => socket.write('', () => resolve()))
    await new Promise((resolve) => setTimeout(resolve, lingerMs))
  }
  socket.resetAndDestroy()
}
