import * as msw from 'msw'
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import OpenAI from 'openai'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createGateway, type Gateway, type GatewayOptions } from '../../src/index.ts'
import { handlers } from '../../src/msw.ts'
import { operations } from '../../src/operations/index.ts'
import { call } from '../call.ts'

const authorization = 'Bearer sk-test'
const anywhere = 'https://somewhere.example/api/v1'

/** Intercepts with MSW for the rest of the test. An unhandled request is an error. */
function intercept(options: GatewayOptions = {}): {
  gateway: Gateway
  server: ReturnType<typeof setupServer>
} {
  const gateway = createGateway(options)
  const server = setupServer(...handlers(gateway))
  server.listen(strictOptions)
  onTestFinished(() => server.close())
  return { gateway, server }
}

const strictOptions: object = { onUnhandledFrame: 'error', onUnhandledRequest: 'error' }

const get = (url: string, init: RequestInit = {}) => fetch(url, { headers: { authorization }, ...init })

it('handlers() throws in Bun and Deno, whose fetch MSW 3 does not intercept', () => {
  const gateway = createGateway()
  const versions = { ...process.versions, bun: '1.3.0' }
  vi.stubGlobal('process', Object.create(process, { versions: { value: versions } }))
  onTestFinished(() => void vi.unstubAllGlobals())
  if ('graphql' in msw) expect(handlers(gateway)).not.toEqual([])
  else
    expect(() => handlers(gateway)).toThrow(
      'MSW 3 does not intercept fetch in Bun: pass fetch: gateway.fetch to the client, or use intercept(gateway) from gateway-understudy/node',
    )
})

describe('MSW handlers', () => {
  it('compare the base URL as a URL', async () => {
    intercept({ baseUrl: 'https://Models.Example:443/api/v1' })
    const statuses = ['/api/v1/providers', '/api/v1beta/providers'].map(async (path) => {
      const { status } = await get(`https://models.example${path}`)
      return status
    })
    expect(await Promise.all(statuses)).toEqual([200, 404])
  })

  it('return 405 for another method of a known path, even without a baseUrl', async () => {
    intercept()
    const response = await get(`${anywhere}/providers`, { method: 'PUT' })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('consist of one handler per operation and one for unmatched requests', () => {
    const gateway = createGateway({ onlySpecified: true })
    const paths = handlers(gateway).map(({ info }) => String(info.header))
    const lines = operations.map(({ method, path }) => `${method.toUpperCase()} */api/v1${path}`)
    expect(paths.slice(0, -1)).toEqual(lines.map((line) => line.replace(/\{(\w+)\}/g, ':$1')))
    expect(paths.slice(0, -1)).toContain('PATCH */api/v1/workspaces/:id')
    expect(paths).toHaveLength(operations.length + 1)
  })

  it('can be overridden individually', async () => {
    const { server } = intercept()
    server.use(http.get('*/api/v1/providers', () => HttpResponse.json({ data: 'mine' })))
    expect(await (await get(`${anywhere}/providers`)).json()).toEqual({ data: 'mine' })
    expect((await get(`${anywhere}/presets/code-review`)).status).toBe(200)
  })

  it('can be limited to some operations', () => {
    const some = handlers(createGateway(), 'createResponse', 'listProviders')
    expect(some.map(({ info }) => String(info.header)).slice(0, -1)).toEqual([
      'GET */api/v1/providers',
      'POST */api/v1/responses',
    ])
  })

  it.each([
    ['all operations', [], 200],
    ['an operation', ['createResponse'], 200],
    ['another operation', ['listProviders'], undefined],
  ] as const)('of %s answer at the address of a public API with %s: %s', async (_title, ids, status) => {
    const gateway = createGateway()
    const server = setupServer(...handlers(gateway, ...ids))
    server.listen({ onUnhandledFrame: 'error', onUnhandledRequest: 'error' } as object)
    onTestFinished(() => server.close())
    const body = { model: 'a/b', input: 'Hello' }
    const sent = call({ baseUrl: 'https://api.openai.com/v1' }, 'POST /responses', { body })
    if (status === undefined) await expect(sent).rejects.toThrow()
    else expect((await sent).status).toBe(status)
    const warnings = gateway.journal.entries().flatMap((entry) => entry.warnings)
    expect(warnings).toEqual(
      status === undefined ? [] : [expect.stringMatching('because baseUrl is not set')],
    )
  })

  it("ignore the application's own paths without a baseUrl", async () => {
    const { gateway, server } = intercept()
    const printed = vi.spyOn(console, 'error').mockReturnValue()
    onTestFinished(() => printed.mockRestore())
    server.use(http.get('https://app.example/api/v1/users', () => HttpResponse.json('own')))
    expect(await (await get('https://app.example/api/v1/users')).json()).toBe('own')
    await expect(get('https://app.example/accounts')).rejects.toThrow()
    expect(gateway.journal.entries()).toEqual([])
  })

  it('match any origin and path prefix without a baseUrl', async () => {
    intercept()
    expect((await get('http://localhost:8099/some/proxy/api/v1/providers')).status).toBe(200)
  })

  it('return the 404 envelope for unknown paths under baseUrl, and leave unrelated requests unhandled', async () => {
    const { gateway } = intercept({ baseUrl: 'https://gateway.example/api/v1' })
    const printed = vi.spyOn(console, 'error').mockReturnValue()
    onTestFinished(() => printed.mockRestore())
    const response = await get('https://gateway.example/api/v1/files', { method: 'POST' })
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({
      error: { code: 404, message: expect.stringContaining('no operation handles POST /files') },
    })
    await expect(get('https://mail.example/inbox')).rejects.toThrow()
    expect(gateway.journal.unmatched()).toHaveLength(1)
  })

  it('return 404 with the reason for requests to another host that appear to be meant for the gateway', async () => {
    const { gateway } = intercept({ baseUrl: 'https://gateway.example/api/v1' })
    const { status, body } = await call({ baseUrl: anywhere }, 'GET /providers')
    expect([status, body.error.message]).toEqual([
      404,
      "Resource not found: the gateway's operations are under https://gateway.example/api/v1, so check the client's base URL",
    ])
    expect(gateway.journal.unmatched()).toMatchObject([{ path: '/api/v1/providers', status: 404 }])
  })

  it('work side by side for two gateways with base URLs', async () => {
    const [first, second] = ['one', 'two'].map((name) =>
      createGateway({ baseUrl: `https://${name}.example/api/v1` }),
    ) as [Gateway, Gateway]
    const server = setupServer(...handlers(first), ...handlers(second))
    server.listen(strictOptions)
    onTestFinished(() => server.close())
    expect((await get('https://one.example/api/v1/providers')).status).toBe(200)
    expect((await get('https://two.example/api/v1/providers')).status).toBe(200)
    expect((await get('https://two.example/api/v1/provider')).status).toBe(404)
    expect([first.journal.size, second.journal.size]).toEqual([1, 2])
  })

  it('match a path that only a rule scripts', async () => {
    const { gateway } = intercept()
    gateway.use({ on: 'POST /images/generations', reply: { body: { data: [] } } })
    const response = await get(`${anywhere}/images/generations`, { method: 'POST' })
    expect(await response.json()).toEqual({ data: [] })
  })

  it.each([undefined, 'https://somewhere.example/api/v1'])(
    'select a sandbox by path (baseUrl %s)',
    async (baseUrl) => {
      const { gateway } = intercept(baseUrl ? { baseUrl } : {})
      const sandbox = gateway.createSandbox()
      const response = await get(`https://somewhere.example/sandboxes/${sandbox.id}/api/v1/providers`)
      expect(response.status).toBe(200)
      expect(sandbox.journal.calls('listProviders')).toHaveLength(1)
      expect(gateway.journal.entries()).toEqual([])
    },
  )

  it('let a client cancel a rejection before it retries, and a stream that it does not read', async () => {
    const { gateway } = intercept()
    gateway.fail(429, { times: 1, headers: { 'retry-after-ms': '1' } })
    const client = new OpenAI({ apiKey: 'any', baseURL: anywhere })
    const request = { model: 'aurora/dawn-2', input: 'Hello' }
    const { output_text } = await client.responses.create(request)
    expect(output_text).not.toBe('')
    gateway.use({ on: 'createResponse', fault: { name: 'stream-stall', afterEvents: 2 } })
    for await (const _ of await client.responses.create({ ...request, stream: true })) break
    await expect
      .poll(() => gateway.journal.entries().map(({ status, delivery }) => [status, delivery]))
      .toEqual([
        [429, 'complete'],
        [200, 'complete'],
        [200, 'aborted-by-client'],
      ])
  })
})
