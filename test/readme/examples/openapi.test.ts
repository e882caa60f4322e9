import { type CustomOperationId, createGateway } from 'gateway-understudy'
import { expect, test } from 'vitest'

const file = {
  type: 'object',
  required: ['id', 'bytes'],
  properties: { id: { type: 'string', pattern: '^file_[a-z]{8}$' }, bytes: { type: 'integer', minimum: 0 } },
}
const openapi = {
  openapi: '3.1.0',
  info: { title: 'Files', version: '1' },
  paths: {
    '/files/{id}': {
      get: {
        operationId: 'getFile',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string', minLength: 3 } }],
        responses: { 200: { description: 'A file', content: { 'application/json': { schema: file } } } },
      },
    },
  },
}

const gateway = createGateway({ openapi })
const get = (path: string) =>
  gateway.fetch(`https://gateway.example/api/v1${path}`, { headers: { authorization: 'Bearer any' } })

test('replies according to the document', async () => {
  expect(await (await get('/files/abc')).json()).toEqual({
    id: expect.stringMatching(/^file_[a-z]{8}$/),
    bytes: expect.any(Number),
  })
  expect((await get('/files/a')).status).toBe(400)
})

test('fails like any other operation', async () => {
  using _outage = gateway.fail(503, { on: 'getFile' as CustomOperationId })
  expect((await get('/files/abc')).status).toBe(503)
})
