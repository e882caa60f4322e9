/** Control operations for the server: health, and the control API's OpenAPI document. */

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
    id: 'getControlDocument',
    route: 'GET /openapi.json',
    doc: { summary: 'Read this document', tag: 'Server' },
    output: z.looseObject({ openapi: z.string() }),
    resolve: ({ operations }) => controlDocument(operations),
  }),
]
