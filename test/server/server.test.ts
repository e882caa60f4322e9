/** Tests the server's address and shutdown. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { type RunningServer as Server, startServer as startInProcess, startServer } from '../../src/serve.ts'
import { open } from '../call.ts'
import { hasExtra } from '../has-extra.ts'
import { raw, request } from './raw.ts'

const slow = { on: 'createResponse', fault: { name: 'slow-stream', perToken: 3 } } as const
const body = { model: 'aurora/dawn-2', input: 'Hello?', stream: true, max_output_tokens: 30 }
const openStream = (server: Server) => open(server, 'POST /responses', { body })

describe('startServer', () => {
  it('listens on a free loopback port, and returns the port', async () => {
    await using server = await startServer()
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`)
    expect(server.baseUrl).toBe(`${server.url}/api/v1`)
    expect((await open(server, 'GET /providers')).status).toBe(200)
  })

  it('serves an existing gateway', async () => {
    const gateway = createGateway()
    await using server = await startInProcess({ gateway })
    gateway.fail(402)
    expect((await open(server, 'GET /providers')).status).toBe(402)
    expect(gateway.journal.last('listProviders')?.status).toBe(402)
  })

  it('listens on IPv6', async () => {
    await using server = await startServer({ host: '::1' })
    expect(server.url).toBe(`http://[::1]:${server.port}`)
    expect((await fetch(`${server.url}/__understudy/health`)).status).toBe(200)
  })

  it('throws if the port is in use', async () => {
    await using server = await startServer()
    await expect(startServer({ port: server.port })).rejects.toMatchObject({
      message: expect.stringContaining(`Port ${server.port} is in use`),
      code: 'EADDRINUSE',
    })
  })
})

describe('GET /', () => {
  it.runIf(hasExtra('exports'))('returns links that work', async () => {
    await using server = await startServer()
    const { data } = await (await fetch(server.url)).json()
    const { api, ...documents } = data
    expect(api).toBe('/api/v1')
    expect((await open({ baseUrl: server.url + api }, 'GET /providers')).status).toBe(200)
    for (const path of Object.values(documents))
      expect((await fetch(`${server.url}${path}`)).status).toBe(200)
  })
})

describe.runIf(hasExtra('console'))('the console', () => {
  it('is served to GET and HEAD, and not without the option', async () => {
    await using server = await startServer()
    const page = `${server.url}/__understudy/`
    const [get, head, post] = await Promise.all(
      ['GET', 'HEAD', 'POST'].map((method) => fetch(page, { method })),
    )
    expect([get, head, post].map((reply) => reply?.status)).toEqual([200, 200, 404])
    expect(get?.headers.get('content-type')).toContain('text/html')
    expect([await get?.text(), await head?.text()]).toEqual([expect.stringContaining('<html'), ''])
    await using bare = await startServer({ console: false })
    expect((await fetch(`${bare.url}/__understudy/`)).status).toBe(404)
  })
})

it('a server keeps no connections in memory that have closed', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  await using server = await startServer()
  let socket: WeakRef<object> | undefined
  const onSocket = (message: unknown) => {
    socket = new WeakRef((message as { socket: object }).socket)
  }
  subscribe('net.server.socket', onSocket)
  await raw(server.port, request('GET /openapi.json', { host: 'localhost', connection: 'close' })).closed()
  unsubscribe('net.server.socket', onSocket)
  expect(socket).toBeDefined()
  for (let round = 0; round < 20 && socket?.deref(); round++) {
    await new Promise((resolve) => setTimeout(resolve))
    collectGarbage()
  }
  expect(socket?.deref() === undefined).toBe(true)
})

describe('close()', () => {
  it('aborts open replies by default', async () => {
    const server = await startServer()
    await server.gateway.use(slow)
    const unread = await openStream(server)
    await server.close()
    await expect(unread.text()).rejects.toThrow()
    // The binary's journal has ended with its process.
    expect(await server.gateway.journal.last('createResponse')).toMatchObject({
      delivery: 'aborted-by-client',
    })
  })

  it('waits for open replies up to graceMs', async () => {
    const server = await startServer()
    await server.gateway.use(slow)
    const unread = await openStream(server)
    const [text] = await Promise.all([unread.text(), server.close(5000)])
    expect(text).toContain('data: [DONE]')
  })

  it.each<[string, (server: Server) => Promise<unknown>]>([
    [
      'a stalled stream',
      async (server) => {
        await server.gateway.use('stream-stall')
        await (await openStream(server)).body?.getReader().read()
      },
    ],
    [
      'a request that never gets a reply',
      async (server) => {
        await server.gateway.use({ on: '*', fault: 'timeout' })
        open(server, 'GET /providers').catch(() => {})
        await server.gateway.journal.waitFor('listProviders')
      },
    ],
    ['a client of the event stream', (server) => fetch(`${server.url}/__understudy/events`)],
    ['a connection without a request', (server) => once(raw(server.port).socket, 'connect')],
    ['incomplete headers', (server) => once(raw(server.port, 'GET /api/v1/pro').socket, 'connect')],
    ['an idle keep-alive connection', (server) => fetch(`${server.baseUrl}/providers`)],
  ])('does not wait for %s', async (_, begin) => {
    const server = await startServer()
    await begin(server)
    // The grace period is far longer than the test's timeout.
    await server.close(600_000)
  })

  it('aborts open replies after graceMs', async () => {
    const server = await startServer()
    await server.gateway.use({ on: '*', fault: 'timeout' })
    const unread = open(server, 'GET /providers')
    unread.catch(() => {})
    await server.gateway.journal.waitFor('listProviders')
    await server.close(20)
    await expect(unread).rejects.toThrow()
  })
})
