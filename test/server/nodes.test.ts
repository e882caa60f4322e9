/**
 * One server of several: the names of its sandboxes, what it says to requests for another node's, and its end.
 */
import { afterEach, describe, expect, it } from 'vitest'
import { connectGateway } from '../../src/remote.ts'
import { type RunningServer, type ServerOptions, startServer } from '../../src/serve.ts'
import { open } from '../call.ts'

const running: RunningServer[] = []
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

describe('Ids of sandboxes', () => {
  it('count, where the server has no name', async () => {
    const { gateway } = await start()
    expect((await gateway.createSandbox()).id).toBe('s1')
    expect((await gateway.createSandbox()).id).toBe('s2')
  })

  it('begin with the name of the node, and so do the keys', async () => {
    const { gateway } = await asNode('n3')
    const { id, apiKey, baseUrl } = await gateway.createSandbox()
    expect(id).toMatch(/^n3s1x[0-9a-z]{8,}$/)
    expect(apiKey).toMatch(/^us-n3s1x[0-9a-z]{8,}-[0-9a-f]{16}$/)
    expect((await readProviders(baseUrl)).status).toBe(200)
  })

  it('never come back when a node is started again', async () => {
    const first = await (await asNode('n3')).gateway.createSandbox()
    const again = await asNode('n3')
    const second = await again.gateway.createSandbox()
    expect(second.id).not.toBe(first.id)
    expect((await readProviders(again.server.baseUrl, first.apiKey)).status).toBe(410)
  })

  it.each(['3', 'n', 'N3', 'n3s', 'a-1', ''])('refuse %j as the name of a node', async (node) => {
    await expect(asNode(node)).rejects.toThrow('sandboxes.node')
  })
})

describe('A request for the sandbox of another node', () => {
  it('is a 421 that names the node, by path, by key, and over the control API', async () => {
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
      expect(error.message).toContain("lives on node 'n2', and this is 'n1'")
      expect(error.metadata).toEqual({ node: 'n2' })
    }
  })

  it('is a 410 on a server that has no name', async () => {
    const { server } = await start()
    expect((await readProviders(`${server.url}/sandboxes/n2s1xabcdefgh/api/v1`)).status).toBe(410)
  })
})

describe('A sandbox with a name of the client’s own', () => {
  it('is made once, and found from then on', async () => {
    const { server, gateway, control } = await asNode('n1')
    const first = await (await control('PUT /sandboxes/checkout-7', { seed: 5 })).json()
    const second = await (await control('PUT /sandboxes/checkout-7')).json()
    expect(first.data).toMatchObject({ id: 'checkout-7' })
    expect(second).toEqual(first)
    expect((await readProviders(server.baseUrl, first.data.apiKey)).status).toBe(200)
    expect((await gateway.createSandbox({ id: 'checkout-7' })).apiKey).toBe(first.data.apiKey)
    expect(server.gateway.createSandbox({ id: 'checkout-7' }).apiKey).toBe(first.data.apiKey)
  })

  it('may be a fork', async () => {
    const { gateway } = await start()
    await using origin = await gateway.createSandbox()
    await origin.db.workspaces.update('production', { name: 'Renamed' })
    const fork = await origin.fork('mine')
    expect(fork.id).toBe('mine')
    expect(await fork.db.workspaces.get('production')).toMatchObject({ name: 'Renamed' })
  })

  it.each(['s7', 'n2s1xabcdefgh', 'Upper', 'a--b', '-a', 'a b', 'x'.repeat(65)])(
    'refuses the name %j',
    async (name) => {
      const { control } = await start()
      const reply = await control(`PUT /sandboxes/${encodeURIComponent(name)}`)
      expect(reply.status).toBe(400)
    },
  )
})

describe('A server behind a balancer', () => {
  it('says by which address it was called, and where it is reached directly', async () => {
    const { server, control } = await asNode('n1', { advertise: 'http://10.0.0.7:4141/' })
    const { data } = await (await control('POST /sandboxes')).json()
    expect(data.baseUrl).toBe(`${server.url}/sandboxes/${data.id}/api/v1`)
    expect(data.directUrl).toBe(`http://10.0.0.7:4141/sandboxes/${data.id}/api/v1`)
  })

  it('refuses requests that name no sandbox, where it has no default one', async () => {
    const { server, gateway } = await start({ sandboxes: { default: false } })
    const refusal = await readProviders(server.baseUrl)
    expect(refusal.status).toBe(410)
    expect((await refusal.json()).error.message).toContain('POST /__understudy/sandboxes')
    const sandbox = await gateway.createSandbox()
    expect((await readProviders(server.baseUrl, sandbox.apiKey)).status).toBe(200)
  })
})

describe('A server that drains', () => {
  it('is up and not ready, takes no new sandboxes, and serves those that live', async () => {
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
