/**
 * The catalogue of model providers. Spec: GET /providers.
 */
import * as z from 'zod'
import { ok } from '../http/reply.ts'
import { whenThere } from '../lib/when-there.ts'
import { defineOperation } from '../operation.ts'
import { Provider } from '../resources/provider.ts'

/** Lists all providers, in the order of the database. */
export const listProviders = defineOperation({
  id: 'listProviders',
  method: 'get',
  path: '/providers',
  summary: 'List all providers',
  tag: 'Providers',
  response: z.lazy(() => z.object({ data: z.array(Provider) })),
  resolve: ({ sandbox }) =>
    whenThere(
      sandbox.tables.providers.memo('reply', (data) => Object.freeze({ data })),
      ok,
    ),
})
