/**
 * Bodies that nobody waits for any more. A reply may be out before its request is whole, a refusal most times; a client
 * that goes on sending, a byte now and then, would keep the connection for ever.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { defaultTimeoutMs } from '../delivery/node.ts'

const { setTimeout, clearTimeout, setImmediate } = globalThis

/**
 * Cuts the connection where the body has not come to its end in time after the reply.
 *
 * @param timeoutMs Real milliseconds.
 */
export function cutUnreadBody(
  request: IncomingMessage,
  response: ServerResponse,
  timeoutMs = defaultTimeoutMs,
): void {
  const cut = () => {
    if (request.complete || request.destroyed) return
    const timer = setTimeout(() => request.destroy(), timeoutMs)
    request.once('close', () => clearTimeout(timer))
    request.once('end', () => clearTimeout(timer))
    request.resume()
  }
  // Node calls a request complete only after it has handed on the last byte, by when the reply may be out.
  setImmediate(() => {
    if (request.complete) return
    if (response.writableFinished) cut()
    else response.once('finish', () => setImmediate(cut))
  })
}
