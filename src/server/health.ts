/**
 * Whether the server is up, and whether it takes new sandboxes. Answered without a token and without loading the
 * control API, as both are asked for in a loop before and beside everything else.
 */
import type { IncomingMessage } from 'node:http'
import { json, ok, type Reply } from '../http/reply.ts'
import type { Sandboxes } from '../sandbox/sandboxes.ts'

const healthPath = '/health'
const readinessPath = '/ready'

/** The answer to one of the two questions; undefined where the request asks neither. */
export function readHealth(
  { method, url = '' }: IncomingMessage,
  { isDraining }: Pick<Sandboxes, 'isDraining'>,
): Reply | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined
  const path = url.split('?', 1)[0]
  if (path === `/__understudy${healthPath}`) return ok({ data: { status: 'ok' } })
  if (path !== `/__understudy${readinessPath}`) return undefined
  return json(isDraining ? 503 : 200, { data: { status: isDraining ? 'draining' : 'ready' } })
}
