/** Tests how requests are routed and read, independent of the operation: paths, media types and bodies. */
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createGateway, defineOperation, ok } from '../../src/index.ts'
import { startServer } from '../../src/serve.ts'
import { call } from '../call.ts'
import { raw, request } from '../server/raw.ts'

describe('requests', () => {
  it.each([
    ['application/json', 400],
    ['application/vnd.api+json; charset=utf-8', 400],
    ['application/x-json', 415],
    ['application/jsonp', 415],
    ['text/json', 415],
  ])('are validated only after their content type: %s leads to a %i', async (type, expected) => {
    const headers = { 'content-type': type }
    expect((await call(createGateway(), 'POST /responses', { body: {}, headers })).status).toBe(expected)
  })

  it('are accepted with an unknown one-letter query parameter, which adds a warning', async () => {
    const gateway = createGateway()
    expect((await call(gateway, 'GET /benchmarks?x')).status).toBe(200)
    expect(gateway.journal.entries()[0]?.warnings.join()).toContain('query.x')
  })

  it('are rejected with an unknown query parameter in strict mode, except limit and offset', async () => {
    const gateway = createGateway({ strict: true })
    const statusOf = async (search: string) => (await call(gateway, `GET /providers?${search}`)).status
    expect([await statusOf('limit=1'), await statusOf('offset=1')]).toEqual([200, 200])
    expect([await statusOf('limits=1'), await statusOf('page=1')]).toEqual([400, 400])
  })

  it.each(['GET', 'HEAD'])('are served without reading their body if the method is %s', async (method) => {
    await using server = await startServer({ limits: { requestBodyBytes: 10 } })
    const headers = { host: 'localhost', authorization: 'Bearer any', connection: 'close' }
    const sent = request(`${method} /api/v1/providers`, headers, '{"unread":"body of a request"}')
    expect(await raw(server.port, sent).closed()).toMatch(/^HTTP\/1.1 200 /)
    expect(server.gateway.journal.entries()).toMatchObject([
      { method, status: 200, requestText: { text: '' } },
    ])
  })
  it('get a 410 in a disabled default sandbox, whether they name it by path, by key or not at all', async () => {
    const gateway = createGateway({ limits: { defaultSandbox: false } })
    const statusOf = async (origin: string, apiKey = 'any') => {
      const baseUrl = `https://gateway.example${origin}/api/v1`
      return (await call({ fetch: gateway.fetch, baseUrl, apiKey }, 'GET /providers')).status
    }
    const { apiKey } = createGateway()
    expect([await statusOf(''), await statusOf('/sandboxes/default'), await statusOf('', apiKey)]).toEqual([
      410, 410, 410,
    ])
    expect(await statusOf('', gateway.createSandbox().apiKey)).toBe(200)
  })
})

describe('paths with parameters', () => {
  const paths = ['/things/{first}/{second}', '/things/{id}/parts', '/things/{id}/~all', '/{any}/things/parts']
  const operation = (path: string) =>
    defineOperation({
      id: `at${paths.indexOf(path)}`,
      method: 'get',
      path,
      doc: { summary: path, tag: 'Things' },
      output: z.string(),
      resolve: () => ok(path),
    })

  it.each([[paths], [paths.toReversed()]])(
    'prefer literal segments to parameters, registered in the order %j',
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

describe('a reply function', () => {
  it('receives the conversation, including stored responses', async () => {
    const gateway = createGateway({ timeScale: 0, storedResponses: true })
    const ask = (body: object) =>
      call(gateway, 'POST /responses', { body: { model: 'aurora/dawn-2', ...body } })
    const { body } = await ask({ input: 'First' })
    const conversations: object[] = []
    gateway.reply(({ conversation }) => {
      conversations.push(conversation)
      return 'Done'
    })
    await ask({ input: 'Second', previous_response_id: body.id })
    expect(conversations).toMatchObject([
      {
        items: [{ role: 'user', text: 'First' }, { role: 'assistant' }, { role: 'user', text: 'Second' }],
      },
    ])
  })

  it('warns of a long Retry-After only in real time', async () => {
    const warningsFor = async (seconds: number, timeScale: number) => {
      const gateway = createGateway({ timeScale })
      const headers = { 'retry-after': String(seconds) }
      gateway.use({ on: 'listProviders', fault: { name: 'status', status: 429, headers } })
      await call(gateway, 'GET /providers')
      return gateway.journal.entries()[0]?.warnings
    }
    const warning =
      'Retry-After is 6 s: clients that retry automatically sleep this long in real time, so disable their retries or send a shorter Retry-After'
    const warnings = [await warningsFor(5, 1), await warningsFor(6, 1), await warningsFor(6, 0)]
    expect(warnings).toEqual([[], [warning], []])
  })
})
