/**
 * What the server says about itself.
 */
import * as z from 'zod'
import { health, healthPath } from '../../server/health.ts'
import { controlDocument } from '../documents.ts'
import { gatewayRoute } from '../route.ts'

export const documentRoutes = [
  gatewayRoute({
    id: 'getHealth',
    method: 'get',
    path: healthPath,
    summary: 'Whether the server is up; needs no token',
    tag: 'Server',
    response: z.object({ data: z.strictObject({ status: z.literal('ok') }) }),
    run: () => health,
  }),
  gatewayRoute({
    id: 'getControlDocument',
    method: 'get',
    path: '/openapi.json',
    summary: 'Read this document',
    tag: 'Server',
    response: z.looseObject({ openapi: z.string() }),
    run: ({ routes }) => controlDocument(routes),
  }),
]
