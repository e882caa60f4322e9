/**
 * Regression tests for cross-origin pages, keys outside `apiKeys`, malformed request heads and endless
 * bodies. A rejected request gets the error envelope and changes nothing.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { type RunningServer as Server, startServer } from '../../src/serve.ts'
import { open } from '../call.ts'
import { raw, request } from './raw.ts'

let server: Server
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
beforeEach(() => server.gateway.reset())

const key = { authorization: 'Bearer any' }

/** Sends bytes and returns everything received until the server closes the connection. */
async function exchange({ port }: Pick<Server, 'port'>, ...bytes: string[]) {
  const answer = await raw(port, ...bytes).closed()
  const [head = '', text = ''] = answer.split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), head: head.toLowerCase(), text, answer }
}

function refusal(code: number) {
  return expect.stringContaining(`{"error":{"code":${code},"message":`)
}

function patch(headers: Record<string, string>, { port } = server) {
  const all = { host: `127.0.0.1:${port}`, ...key, connection: 'close', ...headers }
  return request('PATCH /api/v1/workspaces/production', all, '{"name":"Broken"}')
}

async function nothingIsDone() {
  expect((await server.gateway.db.workspaces.get('production'))?.name).toBe('Production')
  expect(await server.gateway.journal.entries()).toEqual([])
}

describe('a cross-origin page', () => {
  it.each([
    'https://evil.example',
    'null',
    'http://localhost.evil.example',
    'http://127.0.0.1.evil.example',
    'app://localhost',
    'file://',
    'http://10.0.0.1',
  ])('cannot PATCH the default sandbox from %s', async (origin) => {
    const { status, head, text } = await exchange(server, patch({ origin }))
    expect([status, text]).toEqual([403, refusal(403)])
    expect(head).not.toContain('access-control')
    await nothingIsDone()
  })

  it('cannot send a preflight or read the OpenAPI document', async () => {
    const origin = 'https://evil.example'
    for (const line of ['OPTIONS /api/v1/workspaces/production', 'GET /openapi.json']) {
      const headers = {
        host: 'localhost',
        origin,
        'access-control-request-method': 'PATCH',
        connection: 'close',
      }
      const { status, head } = await exchange(server, request(line, headers))
      expect([status, head.includes('access-control')]).toEqual([403, false])
    }
  })

  it.each(['http://localhost:5173', 'https://127.0.0.1', 'http://[::1]:3000', 'http://app.localhost'])(
    'can call the API if its origin is local: %s',
    async (origin) => {
      const { status, head } = await exchange(server, patch({ origin }))
      expect(status).toBe(200)
      expect(head).toContain(`access-control-allow-origin: ${origin}`)
      // A cache must not serve one origin's reply to another.
      expect(head).toContain('vary: origin')
    },
  )

  it('can call the API if its origin, or every origin, is allowed', async () => {
    await using restricted = await startServer({ allowedOrigins: ['https://App.example/', 'null'] })
    for (const [origin, status] of [
      ['https://app.example', 200],
      ['null', 200],
      ['https://app.example:444', 403],
    ] as const)
      expect((await exchange(restricted, patch({ origin }, restricted))).status).toBe(status)
    await using open = await startServer({ allowedOrigins: ['*'] })
    for (const origin of ['https://evil.example', 'null'])
      expect((await exchange(open, patch({ origin }, open))).status).toBe(200)
  })

  it('can call the API under its own host name', async () => {
    await using named = await startServer({ allowedHosts: ['understudy.test'] })
    const own = { host: 'understudy.test', origin: 'http://understudy.test' }
    expect((await exchange(named, patch(own, named))).status).toBe(200)
  })
})

describe('an API key with apiKeys set', () => {
  const gateway = createGateway({ apiKeys: ['listed', 'other'] })
  const sandbox = gateway.createSandbox()
  const gone = gateway.createSandbox()
  gone.dispose()
  const status = async (path: string, apiKey: string) =>
    (
      await open(
        { fetch: gateway.fetch, baseUrl: `https://gateway.example${path}`, apiKey },
        'GET /providers',
      )
    ).status

  it.each([
    ['us-x-0000000000000000', 401],
    ['unlisted', 401],
    ['liste', 401],
    [gone.apiKey, 401],
    [`${sandbox.apiKey}0`, 401],
    ['us-default-0', 401],
    ['listed', 200],
    ['other', 200],
    [sandbox.apiKey, 200],
    [gateway.sandboxes.default.apiKey, 200],
  ])('must be listed or belong to a live sandbox, on every path: %s', async (key, expected) => {
    expect(await status('/api/v1', key)).toBe(expected)
    expect(await status(`/sandboxes/${sandbox.id}/api/v1`, key)).toBe(expected)
    expect(await status('/sandboxes/default/api/v1', key)).toBe(expected)
    // 401 comes before 410, so that unauthenticated clients learn nothing about sandboxes.
    expect(await status(`/sandboxes/${gone.id}/api/v1`, key)).toBe(expected === 200 ? 410 : 401)
  })
})

describe('a malformed request head', () => {
  it('is rejected if it has no Host header, or two', async () => {
    const line = 'PATCH /api/v1/workspaces/production HTTP/1.1\r\n'
    const rest =
      'authorization: Bearer any\r\ncontent-length: 17\r\nconnection: close\r\n\r\n{"name":"Broken"}'
    for (const hosts of [
      '',
      'host: localhost\r\nHost: localhost\r\n',
      'host: localhost\r\nhost: evil.example\r\n',
    ]) {
      const { status, text } = await exchange(server, line + hosts + rest)
      expect([status, text]).toEqual([400, refusal(400)])
    }
    await nothingIsDone()
  })

  it('is rejected if it has two Authorization headers, of which Node would keep the first', async () => {
    const line = 'PATCH /api/v1/workspaces/production HTTP/1.1\r\nhost: localhost\r\n'
    const keys = 'authorization: Bearer any\r\nAuthorization: Bearer other\r\n'
    const rest = 'content-length: 17\r\nconnection: close\r\n\r\n{"name":"Broken"}'
    const { status, text } = await exchange(server, line + keys + rest)
    expect([status, text]).toEqual([400, expect.stringContaining('More than one Authorization header')])
    await nothingIsDone()
  })

  it('is rejected if it has an unsupported Expect header', async () => {
    const { status, text } = await exchange(server, patch({ expect: 'the-unexpected' }))
    expect([status, text]).toEqual([417, refusal(417)])
    await nothingIsDone()
    expect((await exchange(server, patch({ expect: '100-continue' }))).answer).toContain('HTTP/1.1 200')
  })
})

describe('garbage on a connection', () => {
  const head = (header: string) =>
    `PATCH /api/v1/workspaces/production HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer any\r\n${header}\r\n\r\n`
  const chunked = head('transfer-encoding: chunked')

  it.each([
    ['11\r\n{"name":"Broken"}\r\nZZZ\r\n'],
    ['11\r\n{"name":"Broken"}GARBAGE'],
    ['10\r\n{"name":"Broken"}\r\n0\r\n\r\n'],
    ['11\r\n{"name":"Broken"}\r\n0\r\nGAR\0BAGE\r\n\r\n'],
    ['11\r\n{"name":"Broken"}\r\n\x16\x03\x01'],
  ])('changes nothing in the middle of a PATCH body: %j', async (body) => {
    for (const bytes of [[chunked + body], [chunked, body]]) {
      const { status, text } = await exchange(server, ...bytes)
      expect([status, text]).toEqual([400, refusal(400)])
    }
    expect((await server.gateway.db.workspaces.get('production'))?.name).toBe('Production')
  })

  it('does not cut off the pending reply to a complete PATCH sent before it', async () => {
    await server.gateway.use({ on: 'updateWorkspace', fault: { name: 'latency', ms: 20 } })
    const whole = `${head('content-length: 17')}{"name":"Broken"}`
    for (const bytes of [[`${whole}GARBAGE\r\n\r\n`], [whole, 'GARBAGE\r\n\r\n']]) {
      const { status, text } = await exchange(server, ...bytes)
      expect([status, JSON.parse(text).data.name]).toEqual([200, 'Broken'])
    }
  })

  it('does not cut off the open stream for a complete request sent before it', async () => {
    await using paced = await startServer({ latency: { perToken: 1 } })
    const body = '{"model":"aurora/dawn-2","input":"Hello?","stream":true}'
    const headers = { host: 'localhost', ...key }
    const socket = raw(paced.port, request('POST /api/v1/responses', headers, body))
    await socket.until('response.created')
    socket.socket.write('GARBAGE\r\n\r\n')
    expect(await socket.closed()).toContain('data: [DONE]')
  })
})
