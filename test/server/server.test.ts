/**
 * The server as a part of a test: what it loads, what it tells, and how it ends.
 */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, vi } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { type RequestLine, type RunningServer, startServer } from '../../src/serve.ts'
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

  it('tells of every request when it is over', async () => {
    const lines: RequestLine[] = []
    await using server = await startServer({ onRequest: (line) => lines.push(line) })
    server.gateway.use({ on: 'getPreset', fault: 'connection-reset' })
    await open(server, 'GET /providers?a=1')
    await open(server, 'GET /presets/x').catch(() => {})
    await fetch(`${server.url}/__understudy/sandboxes`)
    await vi.waitUntil(() => lines.length === 3)
    expect(lines).toMatchObject([
      { method: 'GET', path: '/api/v1/providers?a=1', status: 200, rule: undefined, delivery: 'complete' },
      { path: '/api/v1/presets/x', status: 0, rule: 'rule#1', delivery: 'cut' },
      { path: '/__understudy/sandboxes', status: 200, delivery: 'complete' },
    ])
    for (const { durationMs } of lines) expect(durationMs).toBeGreaterThan(0)
  })
})

describe('close', () => {
  it('breaks open replies off, unless they are given time', async () => {
    const server = await startServer()
    server.gateway.use(slow)
    const unread = await openStream(server)
    await server.close()
    await expect(unread.text()).rejects.toThrow()
    expect(server.gateway.journal.last('createResponse')?.delivery).toBe('client-left')
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

it('loads neither the control API nor MSW, faker, YAML or the command line before somebody asks', async () => {
  const script = `
    import { registerHooks } from 'node:module'
    const loaded = new Set()
    registerHooks({ load(url, context, next) { loaded.add(url); return next(url, context) } })
    const { startServer } = await import(${JSON.stringify(join(import.meta.dirname, '../../src/serve.ts'))})
    const server = await startServer()
    await fetch(server.baseUrl + '/providers', { headers: { authorization: 'Bearer any' } })
    await fetch(server.url + '/__understudy/health')
    await server.close()
    const packages = [...loaded].map((url) => /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1])
    console.log(JSON.stringify([...new Set(packages.filter(Boolean))]))
  `
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
  const packages: string[] = JSON.parse(stdout)
  expect(packages).toContain('zod')
  for (const late of ['msw', '@faker-js/faker', 'js-yaml', 'commander']) expect(packages).not.toContain(late)
})
