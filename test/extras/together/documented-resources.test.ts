/** Tests an OpenAPI document with an operation that the `management` extension has, too. */
import { expect, it } from 'vitest'
import { createGateway } from '../../../src/index.ts'

it('the document does not repeat the operation of the extension', () => {
  const responses = { 200: { description: 'OK' } }
  const openapi = {
    openapi: '3.1.0',
    info: { title: 'Gateway', version: '1' },
    paths: { '/keys': { get: { operationId: 'keys', responses } } },
  }
  const { operations } = createGateway({ openapi })
  const ids = operations.filter(({ path, method }) => path === '/keys' && method === 'get')
  expect(ids.map(({ id }) => id)).toEqual(['listApiKeys'])
})
