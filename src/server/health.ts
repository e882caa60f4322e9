/**
 * Whether the server is up. Answered without a token and without loading the control API, as it is asked for in a
 * loop before anything else.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ok } from '../http/reply.ts'
import { send } from './send.ts'

export const healthPath = '/health'
export const health = { data: { status: 'ok' } } as const

export function isHealth({ method, url = '' }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && url.split('?', 1)[0] === `/__understudy${healthPath}`
}

export function sendHealth(response: ServerResponse): void {
  send(response, ok(health))
}
