/** Tests that work grows in proportion to the number of paths in an OpenAPI document. */
import { expect, it } from 'vitest'
import { createGateway } from '../../../src/index.ts'
import { call } from '../../call.ts'
import { growthOf, list } from '../../payload-scaling/large-inputs.ts'

const document = (count: number) => ({
  openapi: '3.1.0',
  info: { title: 'Own', version: '1' },
  paths: Object.fromEntries(
    list(count, (index) => [
      `/own/${index}/{id}`,
      {
        get: {
          responses: {
            200: {
              description: 'x',
              content: { 'application/json': { schema: { $ref: `#/components/schemas/S${index}` } } },
            },
          },
        },
      },
    ]),
  ),
  components: { schemas: Object.fromEntries(list(count, (index) => [`S${index}`, { type: 'string' }])) },
})

it('createGateway takes time proportional to the number of paths in an OpenAPI document', {
  retry: 3,
}, async () => {
  const growth = await growthOf((count) => {
    const openapi = document(count >> 2)
    return () => call(createGateway({ openapi } as never), 'GET /own/1/x')
  })
  expect(growth).toBeLessThanOrEqual(10)
})
