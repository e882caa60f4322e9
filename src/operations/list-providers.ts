/** Model providers. Spec: GET /providers. */
import * as z from 'zod'
import { ok } from '../http/reply.ts'
import { defineOperation } from '../operation.ts'
import { Provider } from '../resources/provider.ts'

export const listProviders = defineOperation({
  id: 'listProviders',
  method: 'get',
  path: '/providers',
  doc: { summary: 'List all providers', tag: 'Providers' },
  output: z.lazy(() => z.object({ data: z.array(Provider) })),
  resolve: async ({ sandbox }) =>
    ok(await sandbox.tables.providers.memo('reply', (data) => Object.freeze({ data }))),
})
