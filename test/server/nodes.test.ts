/** Tests a cluster node: sandbox ids, requests for other nodes' sandboxes, and draining. */
import { afterEach, describe, expect, it } from 'vitest'
import { connectGateway } from '../../src/remote.ts'
import { type RunningServer as Server, type ServerOptions, startServer } from '../../src/serve.ts'
import { open } from '../call.ts'

const running: Server[] = []
afterEach(async () => {
  for (const server of running.splice(0)) await server.close()
})

async function start(options: ServerOptions = {}) {
  const server = await startServer(options)
  running.push(server)
  const gateway = await connectGateway(server.url)
  const control = (line: string, body?: unknown) =>
    open({ baseUrl: `${server.url}/__understudy` }, line, { body })
  return { server, gateway, control }
}

const asNode = (node: string, options: ServerOptions = {}) => start({ sandboxes: { node }, ...options })

const readProviders = (baseUrl: string, apiKey?: string) => open({ baseUrl, apiKey }, 'GET /providers')

describe('sandbox ids', () => {
  it('are numbered if the server has no node name', async () => {
    const { gateway } = await start()
    expect((await gateway.createSandbox()).id).toBe('s1')
    expect((await gateway.createSandbox()).id).toBe('s2')
  })

  it('start with the node name, as do the keys', async () => {
    const { gateway } = await asNode('n3')
    const { id, apiKey, baseUrl } = await gateway.createSandbox()
    expect(id).toMatch(/^n3s1x[0-9a-z]{8,}$/)
    expect(apiKey).toMatch(/^us-n3s1x[0-9a-z]{8,}-[0-9a-f]{16}$/)
    expect((await readProviders(baseUrl)).status).toBe(200)
  })

  it('are never reused after a restart', async () => {
    const first = await (await asNode('n3')).gateway.createSandbox()
    const again = await asNode('n3')
    const second = await again.gateway.createSandbox()
    expect(second.id).not.toBe(first.id)
    expect((await readProviders(again.server.baseUrl, first.apiKey)).status).toBe(410)
  })

  it.each(['3', 'n', 'N3', 'n3s', 'a-1', ''])('cannot start with the node name %j', async (node) => {
    await expect(asNode(node)).rejects.toThrow('sandboxes.node')
  })
})

describe("a request for another node's sandbox", () => {
  it('gets a 421 that names the node, by path, by key and in the control API', async () => {
    const theirs = await (await asNode('n2')).gateway.createSandbox()
    const { server, control } = await asNode('n1')
    const replies = [
      await readProviders(`${server.url}/sandboxes/${theirs.id}/api/v1`),
      await readProviders(server.baseUrl, theirs.apiKey),
      await control(`GET /sandboxes/${theirs.id}`),
    ]
    for (const reply of replies) {
      expect(reply.status).toBe(421)
      expect(reply.headers.get('x-understudy-node')).toBe('n2')
      const { error } = await reply.json()
      expect(error.message).toContain("is on node 'n2', but this is 'n1'")
      expect(error.metadata).toEqual({ node: 'n2' })
    }
  })

  it('gets a 410 from a server without a node name', async () => {
    const { server } = await start()
    expect((await readProviders(`${server.url}/sandboxes/n2s1xabcdefgh/api/v1`)).status).toBe(410)
  })
})

describe('a sandbox with a client-chosen id', () => {
  it('is created once and then reused', async () => {
    const { server, gateway, control } = await asNode('n1')
    const first = await (await control('PUT /sandboxes/checkout-7', { seed: 5 })).json()
    const second = await (await control('PUT /sandboxes/checkout-7')).json()
    expect(first.data).toMatchObject({ id: 'checkout-7' })
    expect(second).toEqual(first)
    expect((await readProviders(server.baseUrl, first.data.apiKey)).status).toBe(200)
    expect((await gateway.createSandbox({ id: 'checkout-7' })).apiKey).toBe(first.data.apiKey)
    expect((await server.gateway.createSandbox({ id: 'checkout-7' })).apiKey).toBe(first.data.apiKey)
  })

  it('can be a fork', async () => {
    const { gateway } = await start()
    await using origin = await gateway.createSandbox()
    await origin.db.workspaces.update('production', { name: 'Renamed' })
    const fork = await origin.fork('mine')
    expect(fork.id).toBe('mine')
    expect(await fork.db.workspaces.get('production')).toMatchObject({ name: 'Renamed' })
  })

  it.each(['s7', 'n2s1xabcdefgh', 'Upper', 'a--b', '-a', 'a b', 'x'.repeat(65)])(
    'cannot have the id %j',
    async (name) => {
      const { control } = await start()
      const reply = await control(`PUT /sandboxes/${encodeURIComponent(name)}`)
      expect(reply.status).toBe(400)
    },
  )
})

describe('a server behind a load balancer', () => {
  it("returns the address that the client used and the node's direct address", async () => {
    const { server, control } = await asNode('n1', { advertise: 'http://10.0.0.7:4141/' })
    const { data } = await (await control('POST /sandboxes')).json()
    expect(data.baseUrl).toBe(`${server.url}/sandboxes/${data.id}/api/v1`)
    expect(data.directUrl).toBe(`http://10.0.0.7:4141/sandboxes/${data.id}/api/v1`)
  })

  it('rejects requests that select no sandbox if it has no default sandbox', async () => {
    const { server, gateway } = await start({ sandboxes: { default: false } })
    const refusal = await readProviders(server.baseUrl)
    expect(refusal.status).toBe(410)
    expect((await refusal.json()).error.message).toContain('POST /__understudy/sandboxes')
    const sandbox = await gateway.createSandbox()
    expect((await readProviders(server.baseUrl, sandbox.apiKey)).status).toBe(200)
  })
})

describe('a draining server', () => {
  it('is healthy but not ready, rejects new sandboxes, and serves existing ones', async () => {
    const { server, gateway, control } = await start()
    const sandbox = await gateway.createSandbox()
    expect((await control('GET /ready')).status).toBe(200)
    await gateway.drain()
    expect((await control('GET /health')).status).toBe(200)
    const ready = await control('GET /ready')
    expect([ready.status, await ready.json()]).toEqual([503, { data: { status: 'draining' } }])
    expect((await control('POST /sandboxes')).status).toBe(503)
    expect((await readProviders(server.baseUrl, sandbox.apiKey)).status).toBe(200)
  })
})
