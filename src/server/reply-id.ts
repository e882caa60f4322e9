/**
 * The `x-request-id` of replies that do not come from the gateway. Deterministic for a request and status.
 */
import type { IncomingMessage } from 'node:http'
import { hash } from '../lib/seed.ts'

/** @param request Undefined if Node could not parse it. */
export function replyId(
  request: Pick<IncomingMessage, 'method' | 'url'> | undefined,
  status: number,
): string {
  const { method = '', url = '' } = request ?? {}
  return `req_${hash('server', method, url, status)}`
}
