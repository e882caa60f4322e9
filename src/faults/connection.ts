/**
 * Faults to the connection that carries a reply: to its head, to what comes after it, or to all of it.
 */
import * as z from 'zod'
import type { Reply } from '../http/reply.ts'
import { defineFault } from './fault.ts'

export const slowHead = defineFault({
  name: 'slow-head',
  layer: 'connection',
  summary:
    'Status line and headers dribble in, byte by byte; through MSW and fetch, the promise resolves late.',
  decides: ['head'],
  params: () =>
    z.strictObject({ ms: z.number().min(0).default(2000).describe('Milliseconds that the head takes.') }),
  apply({ ms }, context, reply) {
    if (ms > 0) context.acted()
    else context.missed('it takes no time')
    return { ...reply, transport: { ...reply.transport, headMs: ms } }
  },
})

export const truncatedHead = defineFault({
  name: 'truncated-head',
  layer: 'connection',
  summary:
    'The connection closes in the middle of the headers, after the status line; through MSW and fetch, a fetch that fails.',
  decides: ['head', 'connection'],
  removes: ['headers', 'type', 'encoding', 'length', 'body', 'stream', 'json', 'tail', 'end', 'chunks'],
  params: () => z.strictObject({}),
  apply(_params, context, reply) {
    context.acted()
    return { ...reply, transport: { ...reply.transport, headIsCut: true } }
  },
})

export const idleConnectionClosed = defineFault({
  name: 'idle-connection-closed',
  layer: 'connection',
  summary:
    'The reply is whole and keeps the connection alive; then the connection closes before the next request.',
  decides: ['connection'],
  params: () =>
    z.strictObject({
      afterMs: z.number().min(0).default(0).describe('Milliseconds after the reply.'),
    }),
  apply({ afterMs }, context, reply) {
    if (!context.hasConnection) {
      context.missed('through MSW and fetch there is no connection that stays open')
      return reply
    }
    context.acted()
    return { ...reply, transport: { ...reply.transport, closeAfterMs: afterMs } }
  },
})

export const lostReply = defineFault({
  name: 'lost-reply',
  layer: 'connection',
  summary:
    'The operation has done its work, a write included, and the connection is reset before a byte of the reply.',
  needs: ['own'],
  decides: ['answer'],
  removes: ['reply'],
  params: () => z.strictObject({}),
  apply(_params, context): Reply {
    context.acted()
    return { status: 0, headers: {}, body: { kind: 'hang-up', how: 'reset' } }
  },
})
