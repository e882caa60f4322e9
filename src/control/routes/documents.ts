/**
 * What the server says about itself.
 */
import * as z from 'zod'
import { controlDocument } from '../documents.ts'
import { gatewayRoute } from '../route.ts'

export const documentRoutes = [
  gatewayRoute({
    id: 'getHealth',
    summary: 'Whether the server is up; needs no token',
    tag: 'Server',
    response: z.object({ data: z.strictObject({ status: z.literal('ok') }) }),
    run: () => ({ data: { status: 'ok' } }),
  }),
  gatewayRoute({
    id: 'getReadiness',
    summary: 'Whether the server takes new sandboxes: 503 while it drains; needs no token',
    tag: 'Server',
    response: z.object({ data: z.strictObject({ status: z.enum(['ready', 'draining']) }) }),
    run: ({ gateway }) => ({ data: { status: gateway.sandboxes.isDraining ? 'draining' : 'ready' } }),
  }),
  gatewayRoute({
    id: 'drain',
    summary: 'Take no new sandboxes from now on; those that live stay',
    tag: 'Server',
    run: ({ gateway }) => gateway.sandboxes.drain(),
  }),
  gatewayRoute({
    id: 'getMetrics',
    summary: 'Read the figures of the server, in the text format of Prometheus',
    tag: 'Server',
    type: 'text/plain; version=0.0.4; charset=utf-8',
    response: z.string(),
    run: ({ metrics }) => metrics.text(),
  }),
  gatewayRoute({
    id: 'getControlDocument',
    summary: 'Read this document',
    tag: 'Server',
    response: z.looseObject({ openapi: z.string() }),
    run: ({ routes }) => controlDocument(routes),
  }),
]
