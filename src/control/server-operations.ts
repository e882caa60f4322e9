/** Control operations for the server: health, readiness, draining, and the control API's OpenAPI document. */

import * as z from 'zod'
import { controlDocument } from './documents.ts'
import { gatewayOperation } from './operation.ts'

export const documentOperations = [
  gatewayOperation({
    id: 'getHealth',
    route: 'GET /health',
    doc: { summary: 'Health check. Does not require the token', tag: 'Server' },
    output: z.object({ data: z.strictObject({ status: z.literal('ok') }) }),
    resolve: () => ({ data: { status: 'ok' } }),
  }),
  gatewayOperation({
    id: 'getReadiness',
    route: 'GET /ready',
    doc: {
      summary: 'Readiness check: responds with a 503 while the server drains. Does not require the token',
      tag: 'Server',
    },
    output: z.object({ data: z.strictObject({ status: z.enum(['ready', 'draining']) }) }),
    // mutation: equivalent (the server replies to probes itself, see `health.ts`)
    resolve: ({ gateway }) => ({ data: { status: gateway.sandboxes.isDraining ? 'draining' : 'ready' } }),
  }),
  gatewayOperation({
    id: 'drain',
    route: 'POST /drain',
    doc: { summary: 'Reject new sandboxes from now on. Existing sandboxes are unaffected', tag: 'Server' },
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
