/**
 * The server itself over HTTP: health, metrics, the document of the control API.
 */

import * as z from 'zod'
import { controlDocument } from './documents.ts'
import { gatewayOperation } from './operation.ts'

export const documentOperations = [
  gatewayOperation({
    id: 'getHealth',
    route: 'GET /health',
    doc: { summary: 'Whether the server is up; needs no token', tag: 'Server' },
    output: z.object({ data: z.strictObject({ status: z.literal('ok') }) }),
    resolve: () => ({ data: { status: 'ok' } }),
  }),
  gatewayOperation({
    id: 'getReadiness',
    route: 'GET /ready',
    doc: {
      summary: 'Whether the server takes new sandboxes: 503 while it drains; needs no token',
      tag: 'Server',
    },
    output: z.object({ data: z.strictObject({ status: z.enum(['ready', 'draining']) }) }),
    resolve: ({ gateway }) => ({ data: { status: gateway.sandboxes.isDraining ? 'draining' : 'ready' } }),
  }),
  gatewayOperation({
    id: 'drain',
    route: 'POST /drain',
    doc: { summary: 'Take no new sandboxes from now on; those that live stay', tag: 'Server' },
    resolve: ({ gateway }) => gateway.sandboxes.drain(),
  }),
  gatewayOperation({
    id: 'getControlDocument',
    route: 'GET /openapi.json',
    doc: { summary: 'Read this document', tag: 'Server' },
    output: z.looseObject({ openapi: z.string() }),
    resolve: ({ operations }) => controlDocument(operations),
  }),
]
