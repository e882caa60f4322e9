/**
 * Closes connections whose request body is still arriving after the reply, which is common for rejected
 * requests. Otherwise, a slow client could keep its connection open forever.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { defaultTimeoutMs } from '../delivery/node.ts'
import { clearTimeout, setImmediate, setTimeout } from '../lib/real-timers.ts'

/**
 * Destroys the connection if the body has not ended within `timeoutMs` after the reply.
 *
 * @param timeoutMs Milliseconds of real time.
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
  // Node marks a request as complete only after delivering its last byte. The reply may already have been
  // sent by then.
  setImmediate(() => {
    if (request.complete) return
    if (response.writableFinished) cut()
    else response.once('finish', () => setImmediate(cut))
  })
}
