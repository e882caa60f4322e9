/**
 * How requests are routed and read, whatever the operation: paths, media types, bodies.
 */
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createGateway, defineOperation, ok } from '../../src/index.ts'
import { startServer } from '../../src/serve.ts'
import { call } from '../call.ts'
import { raw, request } from '../server/raw.ts'

describe('A body', () => {
  it.each([
    ['application/json', 400],
    ['application/vnd.api+json; charset=utf-8', 400],
    ['application/x-json', 415],
    ['application/jsonp', 415],
    ['text/json', 415],
  ])('of the type %s is a %i where it is no request', async (type, expected) => {
    const headers = { 'content-type': type }
    expect((await call(createGateway(), 'POST /responses', { body: {}, headers })).status).toBe(expected)
  })

  it.each(['GET', 'HEAD'])('of a %s is not read', async (method) => {
    await using server = await startServer({ limits: { requestBodyBytes: 10 } })
    const headers = { host: 'localhost', authorization: 'Bearer any', connection: 'close' }
    const sent = request(`${method} /api/v1/providers`, headers, '{"unread":"body of a request"}')
    expect(await raw(server.port, sent).closed()).toMatch(/^HTTP\/1.1 200 /)
    expect(server.gateway.journal.entries()).toMatchObject([{ method, status: 200, rawBody: { text: '' } }])
  })
})

describe('A path with a parameter', () => {
  const paths = ['/things/{first}/{second}', '/things/{id}/parts', '/things/{id}/~all', '/{any}/things/parts']
  const operation = (path: string) =>
    defineOperation({
      id: `at${paths.indexOf(path)}`,
      method: 'get',
      path,
      summary: path,
      tag: 'Things',
      response: z.string(),
      resolve: () => ok(path),
    })

  it.each([[paths], [paths.toReversed()]])(
    'comes after each with a literal step there: %j',
    async (order) => {
      const gateway = createGateway({ operations: order.map(operation) })
      const routed = async (path: string) => (await call(gateway, `GET ${path}`)).body
      expect(await routed('/things/one/parts')).toBe('/things/{id}/parts')
      expect(await routed('/things/one/~all')).toBe('/things/{id}/~all')
      expect(await routed('/things/one/two')).toBe('/things/{first}/{second}')
      expect(await routed('/things/things/parts')).toBe('/things/{id}/parts')
      expect(await routed('/other/things/parts')).toBe('/{any}/things/parts')
    },
  )
})
