/** Control operations for the server. */

import * as z from 'zod'
import { gatewayOperation } from './operation.ts'

export const documentOperations = [
  gatewayOperation('getHealth', 'GET /health', {
    doc: { summary: 'Health check. Does not require the token' },
    output: z.object({ data: z.strictObject({ status: z.literal('ok') }) }),
    resolve: () => ({ data: { status: 'ok' } }),
  }),
]
