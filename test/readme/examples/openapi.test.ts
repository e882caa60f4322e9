import { type CustomOperationId, createGateway } from 'gateway-understudy'
import { expect, test } from 'vitest'

const file = {
  type: 'object',
  required: ['id', 'size'],
  properties: { id: { type: 'string', format: 'uuid' }, size: { type: 'integer', minimum: 1 } },
}
const openapi = {
  openapi: '3.1.0',
  info: { title: 'Files', version: '1' },
  paths: {
    '/files/{id}': {
      get: {
        operationId: 'getFile',
        responses: { 200: { description: 'A file', content: { 'application/json': { schema: file } } } },
      },
    },
  },
}

const gateway = createGateway({ openapi })
const read = () =>
  gateway.fetch('https://gateway.example/api/v1/files/7', { headers: { authorization: 'Bearer any' } })

test('replies with a sample, and fails like any other operation', async () => {
  expect((await (await read()).json()).size).toBeGreaterThan(0)

  using _outage = gateway.fail(503, { on: 'getFile' as CustomOperationId })
  expect((await read()).status).toBe(503)
})
