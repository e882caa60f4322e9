/** CORS headers and preflight replies for origins that the guard accepts. Credentials are not allowed. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { replyId } from './send.ts'

/** Reply headers that pages may read in addition to safelisted ones. */
const exposed = [
  'x-request-id',
  'request-id',
  'x-understudy-scenario',
  'x-understudy-assumptions',
  'x-understudy-warnings',
  'x-understudy-reason',
  'retry-after',
  'retry-after-ms',
  'x-should-retry',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
].join(', ')

/** Headers that preflight replies allow in addition to the requested ones. */
const defaultHeaders = ['authorization', 'content-type', 'x-understudy-scenario']

export function allowOrigin(origin: string, response: ServerResponse): void {
  response.setHeader('access-control-allow-origin', origin)
  response.setHeader('vary', 'origin')
  response.setHeader('access-control-expose-headers', exposed)
}

export function answerPreflight(request: IncomingMessage, response: ServerResponse): void {
  const { headers } = request
  const requested = headers['access-control-request-headers']?.toLowerCase().split(',') ?? []
  const allowed = new Set([...defaultHeaders, ...requested.map((name) => name.trim())])
  response.writeHead(204, {
    'x-request-id': replyId(request, 204),
    'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
    'access-control-allow-headers': [...allowed].join(', '),
    'access-control-max-age': '600',
  })
  response.end()
}
