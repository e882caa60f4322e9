/**
 * The `x-request-id` of replies that the gateway has not made: the same for the same request and status.
 */
import type { IncomingMessage } from 'node:http'
import { hash } from '../lib/seed.ts'

/** @param request Undefined where Node could not read one. */
export function replyId(
  request: Pick<IncomingMessage, 'method' | 'url'> | undefined,
  status: number,
): string {
  const { method = '', url = '' } = request ?? {}
  return `req_${hash('server', method, url, status)}`
}
