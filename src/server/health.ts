/**
 * Health and readiness probes. They do not require the token and do not load the control API, because orchestrators
 * poll them from startup.
 */
import type { IncomingMessage } from 'node:http'
import { json, ok, type Reply } from '../http/reply.ts'
import type { Sandboxes } from '../sandbox/sandboxes.ts'

const healthPath = '/health'
const readinessPath = '/ready'

/** Returns the reply to a probe, or undefined for any other request. */
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
