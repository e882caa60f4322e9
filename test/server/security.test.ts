/**
 * Tests hosts, origins, tokens and limits. Any page open in a developer's browser can send requests to the
 * developer's machine.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { controlOperations } from '../../src/control/control.ts'
import { createGateway } from '../../src/index.ts'
import { operations } from '../../src/operations/index.ts'
import { type RunningServer as Server, startServer } from '../../src/serve.ts'
import { hasExtra } from '../has-extra.ts'
import { raw, request } from './raw.ts'

const key = { authorization: 'Bearer any' }
const filled = (path: string) => path.replace('{sandbox}', 'default').replace(/\{\w+\}/g, 'x')
const apiLines = operations.map(({ method, path }) => `${method.toUpperCase()} /api/v1${filled(path)}`)
const controlLines = (await controlOperations(createGateway())).map(
  ({ method, path }) => `${method.toUpperCase()} /__understudy${filled(path)}`,
)

let server: Server
beforeAll(async () => {
  server = await startServer({ limits: { requestBodyBytes: 1000 } })
})
afterAll(() => server.close())

/** Sends a raw request, and returns the reply's status, head and body. */
async function send(line: string, headers: Record<string, string> = {}, { port } = server, body = '') {
  const host = headers['host'] ?? `127.0.0.1:${port}`
  const sent = request(line, { ...headers, host, connection: 'close' }, body)
  const answer = await raw(port, sent).closed()
  const [head = '', text = ''] = answer.split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), head: head.toLowerCase(), body: JSON.parse(text || 'null') }
}

describe('the Host header', () => {
  const others = [
    'GET /openapi.json',
    'OPTIONS /api/v1/providers',
    'GET /',
    'GET /sandboxes/s1/api/v1/providers',
  ]

  it.each([...apiLines, ...controlLines, ...others])('must contain an allowed name for %s', async (line) => {
    const { status, body } = await send(line, { ...key, host: 'evil.example' })
    expect(status).toBe(403)
    expect(body).toEqual({
      error: {
        code: 403,
        message:
          "Host 'evil.example' is not allowed: add it with --allowed-host evil.example, or allowedHosts: ['evil.example']",
      },
    })
  })

  it.each([
    'evil.example:80',
    '127.0.0.1.evil.example',
    'notlocalhost',
    '10.0.0.1',
    '[::2]',
    '127.1.2.999',
    'user@localhost',
    '',
  ])('cannot be %j', async (host) => {
    expect((await send('GET /api/v1/providers', { ...key, host })).status).toBe(403)
  })

  it.each([
    'localhost',
    'LOCALHOST:1',
    'localhost.',
    'app.localhost',
    '127.0.0.1',
    '127.1.2.3:99',
    '[::1]:4141',
  ])('can be %s', async (host) => {
    expect((await send('GET /api/v1/providers', { ...key, host })).status).toBe(200)
  })

  it('is compared with the host of an absolute request target', async () => {
    expect((await send('GET http://evil.example/api/v1/providers', key)).status).toBe(403)
    expect((await send('GET http://evil.example/__understudy/sandboxes')).status).toBe(403)
  })

  it('can be one of allowedHosts, regardless of case and port', async () => {
    await using named = await startServer({ allowedHosts: ['Understudy.Test'] })
    expect(
      (await send('GET /api/v1/providers', { ...key, host: 'understudy.test:4141' }, named)).status,
    ).toBe(200)
    expect((await send('GET /api/v1/providers', { ...key, host: 'other.test' }, named)).status).toBe(403)
  })

  it('can be any IP address, but no other name, if the server listens on all addresses', async () => {
    await using wide = await startServer({ host: '0.0.0.0' })
    expect((await send('GET /api/v1/providers', { ...key, host: '192.168.1.5:4141' }, wide)).status).toBe(200)
    expect((await send('GET /api/v1/providers', { ...key, host: 'evil.example' }, wide)).status).toBe(403)
  })
})

describe('a cross-origin page', () => {
  const pages: [string, Record<string, string>][] = [
    ['with a foreign Origin', { origin: 'https://evil.example' }],
    ['with a loopback origin on another port', { origin: 'http://127.0.0.1:3000' }],
    ['with an opaque Origin', { origin: 'null' }],
    ['with Sec-Fetch-Site: cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['with Sec-Fetch-Site: same-site', { 'sec-fetch-site': 'same-site' }],
    ['with a simple request', { origin: 'https://evil.example', 'content-type': 'text/plain' }],
  ]

  it.each(controlLines)('cannot control the gateway with %s', async (line) => {
    for (const [page, headers] of pages) {
      const { status, head, body } = await send(line, headers)
      expect([status, body.error.code], page).toEqual([403, 403])
      expect(head).not.toContain('access-control-allow-origin')
    }
  })

  const image = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }
  const frame = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }
  const link = { ...frame, 'sec-fetch-dest': 'document', 'sec-fetch-user': '?1' }
  it.each([
    ['an image', { ...image, referer: 'https://evil.example/' }, 403],
    ['an image without Referer', image, 403],
    ['an image, in a browser without Sec-Fetch-Site', { referer: 'https://evil.example/' }, 403],
    [
      'an image of the same site',
      { ...image, 'sec-fetch-site': 'same-site', referer: 'http://a.example/' },
      403,
    ],
    ['a frame', { ...frame, referer: 'https://evil.example/' }, 403],
    ['a link', link, 403],
    ['a local page', { ...image, referer: 'http://localhost:3000/page' }, 200],
    ['the address bar', { ...link, 'sec-fetch-site': 'none' }, 200],
    ['the page itself', { ...image, 'sec-fetch-site': 'same-origin', referer: 'https://evil.example/' }, 200],
  ])('sends GET requests without Origin from %s: %s gets %i', async (_title, headers, status) => {
    const { gateway } = server
    gateway.reset()
    gateway.use({ on: 'listProviders', reply: { body: {} }, times: 1 })
    expect((await send('GET /api/v1/providers', { ...key, ...headers })).status).toBe(status)
    expect([gateway.journal.entries().length, gateway.unusedRules().length]).toEqual(
      status === 200 ? [1, 0] : [0, 1],
    )
    if (status === 403) expect((await send('GET /__understudy/sandboxes', headers)).status).toBe(403)
    // Any page may link to the console.
    if (hasExtra('console'))
      expect((await send('GET /', { ...headers, accept: 'text/html' })).status).toBe(302)
    gateway.reset()
  })

  it('cannot preflight requests to the control API', async () => {
    const { status, head } = await send('OPTIONS /__understudy/sandboxes', {
      origin: 'https://evil.example',
      'access-control-request-method': 'POST',
    })
    expect(status).toBe(403)
    expect(head).not.toContain('access-control-allow')
  })

  it('differs from a same-origin page, which can control the gateway', async () => {
    const origin = `http://127.0.0.1:${server.port}`
    expect(
      (await send('GET /__understudy/sandboxes', { origin, 'sec-fetch-site': 'same-origin' })).status,
    ).toBe(200)
    expect((await send('GET /__understudy/sandboxes', { 'sec-fetch-site': 'none' })).status).toBe(200)
  })

  const forms = ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain']
  it.each(forms)(
    'cannot reset a sandbox by submitting a %s form, even if it has no Origin header',
    async (type) => {
      await server.gateway.use({ on: 'listProviders', fault: 'empty-body' })
      for (const body of ['', 'a=b']) {
        const headers = { 'content-type': type }
        const reset = await send('POST /__understudy/sandboxes/default/reset', headers, server, body)
        expect([reset.status, reset.body.error.code]).toEqual([415, 415])
        expect(reset.body.error.message).toContain('send application/json')
      }
      expect(await server.gateway.unusedRules()).toHaveLength(1)
      for (const headers of [{}, { 'content-type': 'application/json' }] as Record<string, string>[])
        expect((await send('POST /__understudy/sandboxes/default/reset', headers)).status).toBe(204)
      expect(await server.gateway.unusedRules()).toEqual([])
    },
  )
})

describe('a control API reply', () => {
  it.each([
    ['GET /__understudy/sandboxes', {}, 200],
    ['HEAD /__understudy/health', {}, 200],
    ['POST /__understudy/sandboxes/default/snapshots', {}, 201],
    ['GET /__understudy/none', {}, 404],
    ['GET /__understudy/sandboxes/x\\y', {}, 410],
    ['GET /__understudy\\sandboxes', { authorization: 'Bearer any' }, 404],
    ['GET /__understudy/sandboxes', { origin: 'https://evil.example' }, 403],
    ['GET /__understudy/sandboxes', { host: 'localhost:' }, 200],
    ['POST /__understudy/sandboxes', { 'content-type': 'text/html' }, 415],
  ] as [string, Record<string, string>, number][])(
    'is not cached or sniffed, and has an envelope if it is an error: %s %j',
    async (line, headers, expected) => {
      const { status, head, body } = await send(line, headers)
      expect(status).toBe(expected)
      if (status >= 400) expect(body.error.code).toBe(status)
      if (!line.includes('__understudy/')) return
      expect(head).toContain('x-content-type-options: nosniff')
      expect(head).toContain('cache-control: no-store')
    },
  )
})

describe('HTTP/1.0', () => {
  const exchange = async (text: string) => raw(server.port, text).closed()

  it('requires no Host', async () => {
    const head = 'HTTP/1.0\r\nauthorization: Bearer any\r\n\r\n'
    expect(await exchange(`GET /api/v1/providers ${head}`)).toMatch(/^HTTP\/1.1 200 /)
    const list = await exchange(`GET /__understudy/sandboxes ${head}`)
    expect(list).toContain(`"baseUrl":"http://127.0.0.1:${server.port}/api/v1"`)
  })

  it('rejects a foreign host in the Host header and in an absolute request target', async () => {
    expect(await exchange('GET /api/v1/providers HTTP/1.0\r\nhost: evil.example\r\n\r\n')).toMatch(/ 403 /)
    expect(await exchange('GET http://evil.example/api/v1/providers HTTP/1.0\r\n\r\n')).toMatch(/ 400 /)
  })
})

describe('the token', () => {
  let wide: Server
  beforeAll(async () => {
    wide = await startServer({ host: '0.0.0.0' })
  })
  afterAll(() => wide.close())

  it('is generated for each start if the server listens on a non-loopback address', async () => {
    await using other = await startServer({ host: '0.0.0.0' })
    expect(wide.token).toMatch(/^[\w-]{32}$/)
    expect(other.token).not.toBe(wide.token)
    expect(server.token).toBeUndefined()
  })

  const guarded = controlLines.filter((line) => !/\/(health|ready)$/.test(line))
  it.each(guarded)('is required for %s', async (line) => {
    for (const authorization of [undefined, 'Bearer wrong', `Bearer ${wide.token}x`, `Basic ${wide.token}`]) {
      const { status, head, body } = await send(line, authorization ? { authorization } : {}, wide)
      expect([status, body.error.code]).toEqual([401, 401])
      expect(head).toContain('www-authenticate: bearer')
    }
  })

  it('gives access to the control API, and is not required for health checks or the API', async () => {
    const authorization = `Bearer ${wide.token}`
    expect((await send('GET /__understudy/sandboxes', { authorization }, wide)).status).toBe(200)
    expect((await send('GET /__understudy/health', {}, wide)).body).toEqual({ data: { status: 'ok' } })
    expect((await send('GET /api/v1/providers', key, wide)).status).toBe(200)
  })

  it('is required on loopback if it is set', async () => {
    await using given = await startServer({ token: 'secret' })
    expect((await send('GET /__understudy/sandboxes', {}, given)).status).toBe(401)
    const authorization = 'Bearer secret'
    expect((await send('GET /__understudy/sandboxes', { authorization }, given)).status).toBe(200)
  })
})

describe('a server with limits', () => {
  const host = () => ({ host: `127.0.0.1:${server.port}` })
  const next = () => request('GET /api/v1/providers', { ...host(), ...key, connection: 'close' })
  const patch = (headers: Record<string, string>, body = '') =>
    request('PATCH /api/v1/workspaces/production', { ...host(), ...key, ...headers }, body)

  it.each(['PATCH /api/v1/workspaces/production', 'POST /__understudy/sandboxes'])(
    'rejects a larger body for %s with a 413, and keeps the connection usable',
    async (line) => {
      const headers = { ...host(), ...key, 'content-type': 'application/json' }
      const connection = raw(server.port, request(line, headers, ' '.repeat(1001)))
      expect(await connection.until('"code":413')).toMatch(/^HTTP\/1.1 413 /)
      connection.socket.write(next())
      expect((await connection.closed()).match(/HTTP\/1.1 (\d+)/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200'])
    },
  )

  it.each(['PATCH /api/v1/workspaces/production', 'POST /__understudy/sandboxes'])(
    'sends 100 Continue for %s unless the announced body is too long',
    async (line) => {
      const headers = { ...host(), ...key, 'content-type': 'application/json', expect: '100-continue' }
      const sent = (length: number) => request(line, { ...headers, 'content-length': String(length) })
      const refused = await raw(server.port, sent(1001)).closed()
      expect(refused).toMatch(/^HTTP\/1.1 413 /)
      expect(refused).not.toContain('100 Continue')
      const connection = raw(server.port, sent(2))
      expect(await connection.until('\r\n\r\n')).toBe('HTTP/1.1 100 Continue\r\n\r\n')
      connection.socket.write('{}')
      expect(await connection.until('"data"')).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 20[01] /)
      connection.socket.destroy()
    },
  )

  it('accepts less than 16 KB of headers, and rejects more with a 431', async () => {
    // Node counts the path, and the names and values of headers.
    const long = (bytes: number) => {
      const headers = { ...host(), ...key, connection: 'close', 'x-long': '' }
      const others = ['/api/v1/providers', ...Object.entries(headers).flat()].join('').length
      return request('GET /api/v1/providers', { ...headers, 'x-long': 'x'.repeat(bytes - others) })
    }
    expect(await raw(server.port, long(16_383)).closed()).toMatch(/^HTTP\/1.1 200 /)
    const refused = await raw(server.port, long(16_384)).closed()
    expect(refused).toMatch(/^HTTP\/1.1 431 /)
    expect(refused).toContain('{"error":{"code":431,"message":"Request headers exceed 16 KB"}}')
  })

  // The executable has no flag for the timeout.
  describe('with a short requestTimeoutMs', () => {
    let impatient: Server
    beforeAll(async () => {
      impatient = await startServer({ limits: { requestBodyBytes: 1000 }, requestTimeoutMs: '150ms' })
    })
    afterAll(() => impatient.close())

    it('closes the connection if a body is too large and never ends', async () => {
      const connection = raw(impatient.port, patch({ 'content-length': '5000' }), ' '.repeat(2000))
      expect((await connection.closed()).match(/HTTP\/1.1 (\d+)/g)).toEqual(['HTTP/1.1 413'])
    })

    it('rejects headers that never end with a 408, and closes the connection', async () => {
      const refused = await raw(
        impatient.port,
        'GET /api/v1/providers HTTP/1.1\r\nhost: 127.0.0.1\r\n',
      ).closed()
      expect(refused).toMatch(/^HTTP\/1.1 408 /)
      expect(refused).toContain('{"error":{"code":408,"message":"Operation timed out"}}')
    })

    it.each(['PATCH /api/v1/workspaces/production', 'POST /__understudy/sandboxes'])(
      'rejects an incomplete body for %s with a 408, and closes the connection',
      async (line) => {
        const head = request(line, {
          ...host(),
          ...key,
          'content-type': 'application/json',
          'content-length': '9',
        })
        const refused = await raw(impatient.port, head, '{').closed()
        expect(refused).toMatch(/^HTTP\/1.1 408 /)
        expect(refused).toContain('{"error":{"code":408,"message":"Operation timed out"}}')
      },
    )
  })

  it('records a client that disconnects while sending its body as aborted-by-client', async () => {
    const { journal } = server.gateway
    await journal.clear()
    const connection = raw(server.port, patch({ 'content-length': '9' }), '{')
    await new Promise((resolve) => connection.socket.once('connect', resolve))
    connection.socket.destroy()
    await vi.waitFor(async () => {
      expect(await journal.last('updateWorkspace')).toMatchObject({
        delivery: 'aborted-by-client',
        schemaViolation: false,
      })
    })
  })
})

describe('names with path traversal or prototype keys', () => {
  it.each([
    '../../../etc/passwd',
    '..%2f..%2fpackage.json',
    '/etc/passwd',
    'flaky.json',
    '__proto__',
    'constructor',
  ])('do not identify a scenario: %s', async (name) => {
    const named = { ...key, 'x-understudy-scenario': name }
    expect((await send('GET /api/v1/providers', named)).status).toBe(400)
    const put = `PUT /__understudy/sandboxes/default/scenarios/${name.replaceAll('/', '%2F')}`
    expect((await send(put)).status).toBe(400)
  })

  it.each(['..', '%2e%2e', '..%2f..', '__proto__', 'constructor', 'toString'])(
    'do not identify a sandbox: %s',
    async (id) => {
      expect((await send(`GET /__understudy/sandboxes/${id}/journal`)).status).not.toBe(200)
      expect((await send(`GET /sandboxes/${id}/api/v1/providers`, key)).status).toBe(410)
    },
  )

  it.each(['__proto__', 'constructor', 'hasOwnProperty', '..%2fproviders'])(
    'do not identify a collection: %s',
    async (name) => {
      expect((await send(`GET /__understudy/sandboxes/default/database/${name}`)).status).toBe(400)
    },
  )

  it.each(['__proto__', 'constructor'])('do not identify a record: %s', async (id) => {
    const path = `/__understudy/sandboxes/default/database/workspaces/${id}`
    expect((await send(`GET ${path}`)).status).toBe(404)
    expect((await send(`PATCH /api/v1/workspaces/${id}`, key, server, '{"name":"x"}')).status).toBe(404)
    expect((await send(`GET /api/v1/presets/${id}`, key)).status).toBe(404)
  })

  const json = { 'content-type': 'application/json' }
  const bodies: [string, string, string][] = [
    [
      'PATCH /api/v1/workspaces/production',
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
      '200',
    ],
    ['POST /api/v1/responses', '{"model":"a/b","input":"x","metadata":{"__proto__":{"polluted":1}}}', '200'],
    ['POST /api/v1/responses', '{"model":"a/b","input":"x","\\u005f_proto__":{"polluted":1}}', '200'],
    ['POST /__understudy/sandboxes', '{"__proto__":{"polluted":1}}', '400'],
    ['POST /__understudy/sandboxes', '{"fixtures":{"__proto__":{"polluted":1}}}', '400'],
    ['POST /__understudy/sandboxes/default/scenarios', '{"__proto__":{"polluted":1},"rules":[]}', '400'],
    ['POST /__understudy/sandboxes/default/journal/query', '{"match":{"__proto__":{"polluted":1}}}', '200'],
    ['POST /__understudy/sandboxes/default/journal/query', '{"operation":"constructor"}', '400'],
    ['POST /__understudy/sandboxes/default/database/providers', '{"__proto__":{"polluted":1}}', '201'],
    [
      'PATCH /__understudy/sandboxes/default/database/workspaces/production',
      '{"__proto__":{"polluted":1}}',
      '200',
    ],
  ]
  it.each(bodies)('do not pollute prototypes in %s with %s', async (line, body, status) => {
    const answer = await send(line, { ...key, ...json }, server, body)
    expect(String(answer.status)).toBe(status)
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })

  it('are plain data in headers and queries', async () => {
    const odd = { ...key, __proto__x: 'x', constructor: 'x' }
    expect((await send('GET /api/v1/providers?__proto__=1&constructor=2', odd)).status).toBe(200)
    const named = request('GET /api/v1/providers', { host: 'localhost', ...key, connection: 'close' })
    const answer = await raw(server.port, named.replace('\r\n\r\n', '\r\n__proto__: x\r\n\r\n')).closed()
    expect(answer).toMatch(/^HTTP\/1.1 200 /)
  })
})

describe('CORS on the API', () => {
  const page = { origin: 'http://localhost:5173' }
  const exposed = [
    'x-request-id',
    'x-understudy-scenario',
    'x-understudy-assumptions',
    'retry-after',
    'x-ratelimit-limit',
    'x-ratelimit-remaining',
    'x-ratelimit-reset',
  ]

  it('replies to a preflight without a key, and allows the requested headers', async () => {
    const response = await fetch(`${server.baseUrl}/responses`, {
      method: 'OPTIONS',
      headers: {
        ...page,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,x-stainless-lang',
      },
    })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe(page.origin)
    expect(response.headers.get('access-control-allow-credentials')).toBeNull()
    for (const method of ['GET', 'POST', 'PATCH'])
      expect(response.headers.get('access-control-allow-methods')).toContain(method)
    for (const name of ['authorization', 'content-type', 'x-understudy-scenario', 'x-stainless-lang'])
      expect(response.headers.get('access-control-allow-headers')).toContain(name)
  })

  it('replies to a preflight without consuming a rule that matches every request', async () => {
    await server.gateway.use({ on: '*', times: 1, fault: { name: 'status', status: 503 } })
    const headers = { ...page, 'access-control-request-method': 'GET' }
    expect((await fetch(`${server.baseUrl}/providers`, { method: 'OPTIONS', headers })).status).toBe(204)
    expect(await server.gateway.unusedRules()).toHaveLength(1)
    await server.gateway.resetScenarios()
  })

  it.each([
    ['a reply', '/providers', 200],
    ['an error', '/nowhere', 404],
  ])('allows a page to read %s', async (_, path, status) => {
    const response = await fetch(server.baseUrl + path, { headers: { ...page, ...key } })
    expect(response.status).toBe(status)
    expect(response.headers.get('access-control-allow-origin')).toBe(page.origin)
    for (const name of exposed) expect(response.headers.get('access-control-expose-headers')).toContain(name)
  })

  it('passes OPTIONS requests that are not preflights on to the API, which has no such operation', async () => {
    expect((await send('OPTIONS /api/v1/providers', key)).status).toBe(405)
  })
})
