/**
 * The reply to `GET /`: a redirect to the console for browsers, links for any other client.
 */
import type { IncomingMessage } from 'node:http'
import { ok, type Reply } from '../http/reply.ts'

const links = {
  api: '/api/v1',
  openapi: '/openapi.json',
  health: '/__understudy/health',
  control: '/__understudy/openapi.json',
}
const consolePath = '/__understudy/'

/** Returns the reply to `GET /`, or undefined for any other request. */
export function rootReply({ method, headers }: IncomingMessage, hasConsole: boolean): Reply | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined
  if (hasConsole && headers.accept?.includes('text/html'))
    return { status: 302, headers: { location: consolePath, vary: 'accept' }, body: { kind: 'none' } }
  const reply = ok({ data: hasConsole ? { ...links, console: consolePath } : links })
  return { ...reply, headers: { ...reply.headers, vary: 'accept' } }
}
