import { type CustomOperationId, createGateway } from 'gateway-understudy'
import { expect, test } from 'vitest'

const file = {
  type: 'object',
  required: ['id', 'name'],
  properties: {
    id: { type: 'string', readOnly: true },
    name: { type: 'string', minLength: 3 },
  },
}
const content = { 'application/json': { schema: file } }
const responses = { 200: { description: 'A file', content } }
const openapi = {
  openapi: '3.1.0',
  info: { title: 'Files', version: '1' },
  paths: {
    '/files': { post: { operationId: 'createFile', requestBody: { content }, responses } },
    '/files/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      get: { operationId: 'getFile', responses },
    },
  },
}

const gateway = createGateway({ openapi })
const headers = { authorization: 'Bearer any', 'content-type': 'application/json' }
const send = (method: string, path: string, body?: object) =>
  gateway.fetch(`https://gateway.example/api/v1${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  })

test('keeps what requests create', async () => {
  const made = await (await send('POST', '/files', { name: 'tides.csv' })).json()

  expect(made).toMatchObject({ id: expect.stringMatching(/^file_/), name: 'tides.csv' })
  expect(await (await send('GET', `/files/${made.id}`)).json()).toEqual(made)
  expect((await send('GET', '/files/unknown')).status).toBe(404)
})

test('checks requests, and fails like any other operation', async () => {
  expect((await send('POST', '/files', { name: 'a' })).status).toBe(400)
  using _outage = gateway.fail(503, { on: 'getFile' as CustomOperationId })
  expect((await send('GET', '/files/abc')).status).toBe(503)
})
