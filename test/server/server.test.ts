/**
 * The server as a part of a test: where it listens, and how it ends.
 */
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { type RunningServer, startServer } from '../../src/serve.ts'
import { open } from '../call.ts'
import { raw } from './raw.ts'

const slow = { on: 'createResponse', fault: { name: 'slow-stream', everyMs: 3 } } as const
const body = { model: 'aurora/dawn-2', input: 'Hello?', stream: true, max_output_tokens: 30 }
const openStream = (server: RunningServer) => open(server, 'POST /responses', { body })

describe('startServer', () => {
  it('takes any free port of this machine, and says which', async () => {
    await using server = await startServer()
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`)
    expect(server.baseUrl).toBe(`${server.url}/api/v1`)
    expect((await open(server, 'GET /providers')).status).toBe(200)
  })

  it('plays a gateway that is there already', async () => {
    const gateway = createGateway()
    await using server = await startServer({ gateway })
    gateway.fail(402)
    expect((await open(server, 'GET /providers')).status).toBe(402)
    expect(gateway.journal.last('listProviders')?.status).toBe(402)
  })

  it('reaches IPv6 by its address', async () => {
    await using server = await startServer({ host: '::1' })
    expect(server.url).toBe(`http://[::1]:${server.port}`)
    expect((await fetch(`${server.url}/__understudy/health`)).status).toBe(200)
  })

  it('rejects where the port is in use', async () => {
    await using server = await startServer()
    await expect(startServer({ port: server.port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })
})

describe('close', () => {
  it('breaks open replies off, unless they are given time', async () => {
    const server = await startServer()
    server.gateway.use(slow)
    const unread = await openStream(server)
    await server.close()
    await expect(unread.text()).rejects.toThrow()
    expect(server.gateway.journal.last('createResponse')?.delivery).toBe('aborted-by-client')
  })

  it('lets them finish in the time that they are given', async () => {
    const server = await startServer()
    server.gateway.use(slow)
    const unread = await openStream(server)
    const [text] = await Promise.all([unread.text(), server.close(5000)])
    expect(text).toContain('data: [DONE]')
  })

  it.each<[string, (server: RunningServer) => Promise<unknown>]>([
    [
      'a stream that is silent',
      async (server) => {
        server.gateway.use('stream-stall')
        await (await openStream(server)).body?.getReader().read()
      },
    ],
    [
      'a call that is never answered',
      async (server) => {
        server.gateway.use({ on: '*', fault: 'timeout' })
        open(server, 'GET /providers').catch(() => {})
        await server.gateway.journal.waitFor('listProviders')
      },
    ],
    ['who follows the events', (server) => fetch(`${server.url}/__understudy/events`)],
    ['a connection without a request', (server) => once(raw(server.port).socket, 'connect')],
    ['half a head', (server) => once(raw(server.port, 'GET /api/v1/pro').socket, 'connect')],
    ['a connection that waits for the next request', (server) => fetch(`${server.baseUrl}/providers`)],
  ])('does not wait for %s', async (_, begin) => {
    const server = await startServer()
    await begin(server)
    // The time that it gives is far beyond that of the test.
    await server.close(600_000)
  })

  it('breaks them off when that time is over', async () => {
    const server = await startServer()
    server.gateway.use({ on: '*', fault: 'timeout' })
    const unread = open(server, 'GET /providers')
    unread.catch(() => {})
    await server.gateway.journal.waitFor('listProviders')
    await server.close(20)
    await expect(unread).rejects.toThrow()
  })
})
