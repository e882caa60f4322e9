import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Duplex, Readable } from 'node:stream'
import axios from 'axios'
import { HttpResponse, http, passthrough } from 'msw'
import { setupServer } from 'msw/node'
import {
  MockAgent,
  setGlobalDispatcher,
  Agent as UndiciAgent,
  connect as undiciConnect,
  fetch as undiciFetch,
  request as undiciRequest,
  upgrade as undiciUpgrade,
} from 'undici'
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  type MockInstance,
  onTestFinished,
  vi,
} from 'vitest'
import { createGateway, type InterceptOptions, intercept } from '../../src/node.ts'
import { changedGlobals, orders, readGlobals } from './globals.ts'

const place = Symbol.for('undici.globalDispatcher.2')
const globalDispatcher = () => Reflect.get(globalThis, place)

const key = { authorization: 'Bearer any' }
const anywhere = 'https://models.example/api/v1'

/** One client per transport. */
const clients: Record<string, (url: string, headers?: Record<string, string>) => Promise<unknown>> = {
  fetch: async (url, headers = key) => {
    const response = await fetch(url, { headers })
    return response.headers.get('content-type')?.includes('json') ? response.json() : response.text()
  },
  axios: async (url, headers = key) => (await axios.get(url, { adapter: 'http', headers })).data,
}

let errors: MockInstance
let warnings: MockInstance
beforeEach(() => {
  errors = vi.spyOn(console, 'error').mockImplementation(() => {})
  warnings = vi.spyOn(console, 'warn').mockImplementation(() => {})
})
afterEach(() => vi.restoreAllMocks())

function start(options?: InterceptOptions, gateway = createGateway()) {
  const interception = intercept(gateway, options)
  return { gateway, interception, [Symbol.dispose]: interception[Symbol.dispose] }
}

const ours = createServer((incoming, response) => {
  let body = ''
  incoming.on('data', (chunk) => {
    body += chunk
  })
  incoming.on('end', () => response.end(`ours: ${incoming.method} ${body}`))
})
let local = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => ours.listen(0, '127.0.0.1', resolve))
  local = `http://127.0.0.1:${(ours.address() as AddressInfo).port}/api/v1/users`
})
afterAll(() => ours.close())

it('intercept() throws in a Cloudflare worker, and names the alternatives', () => {
  vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' })
  onTestFinished(() => void vi.unstubAllGlobals())
  expect(() => intercept(createGateway())).toThrow("vi.stubGlobal('fetch', gateway.fetch)")
})

describe('intercept', () => {
  it('restores all globals, in whichever order interceptions and MSW are opened and closed', () => {
    const parties = {
      one: () => start().interception,
      two: () => start().interception,
      msw() {
        const server = setupServer()
        server.listen()
        return server
      },
    }
    // MSW adds to Request, Response and Headers once per process.
    parties.msw().close()
    const before = readGlobals()
    for (const opened of orders(Object.keys(parties)))
      for (const closed of orders(opened)) {
        const open = new Map(opened.map((name) => [name, parties[name as keyof typeof parties]()]))
        expect(changedGlobals(before)).toContain('addRequest is 3')
        for (const name of closed) open.get(name)?.close()
        expect([opened, closed, changedGlobals(before)]).toEqual([opened, closed, []])
      }
  })

  it('keeps one substitute per global during 3,000 overlapping interceptions', async () => {
    const before = readGlobals()
    let { interception: previous } = start()
    const during = readGlobals()
    for (let count = 0; count < 3000; count++) {
      const { interception } = start()
      previous.close()
      previous = interception
    }
    expect(changedGlobals(during)).toEqual([])
    expect(await clients['fetch']?.(local.replace('/api/v1', ''))).toBe('ours: GET ')
    previous.close()
    expect(changedGlobals(before)).toEqual([])
  })

  it('passes requests that user handlers leave alone to an older interception', async () => {
    using older = start({}, createGateway({ baseUrl: anywhere }))
    using newer = start({}, createGateway({ baseUrl: 'https://other.example/api/v1' }))
    newer.interception.use(http.get('*/inbox', () => HttpResponse.json([])))
    for (const get of Object.values(clients)) await get(`${anywhere}/providers`)
    expect(older.gateway.journal.calls('listProviders')).toHaveLength(2)
  })

  it('ignores requests with their own dispatcher', async () => {
    using _ = start()
    const own = new MockAgent()
    own.disableNetConnect()
    own.get('https://models.example').intercept({ path: '/api/v1/providers' }).reply(200, 'its own')
    const response = await undiciFetch(`${anywhere}/providers`, { dispatcher: own })
    expect(await response.text()).toBe('its own')
  })

  it('keeps a global dispatcher that was set after it', async () => {
    const before = globalDispatcher()
    const { interception } = start()
    const theirs = new UndiciAgent()
    setGlobalDispatcher(theirs)
    interception.close()
    expect(globalDispatcher()).toBe(theirs)
    setGlobalDispatcher(before)
  })

  it('forwards requests on a dispatcher obtained earlier to the original one after close()', async () => {
    const { interception } = start()
    const held = globalDispatcher()
    interception.close()
    const response = await undiciFetch(local, { method: 'POST', body: 'late', dispatcher: held })
    expect(await response.text()).toBe('ours: POST late')
  })

  it('passes through CONNECT and upgrade requests', async () => {
    using _ = start({}, createGateway({ baseUrl: local.replace('/users', '') }))
    const greet = (_: unknown, socket: Duplex) => {
      socket.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\nours')
    }
    ours.once('upgrade', greet)
    const { headers, socket } = await undiciUpgrade(local, { protocol: 'echo' })
    expect(headers['upgrade']).toBe('echo')
    socket.destroy()
    ours.once('connect', (_, socket) => socket.end('HTTP/1.1 200 Connected\r\nvia: ours\r\n\r\n'))
    const tunnel = await undiciConnect(local)
    expect(tunnel.headers['via']).toBe('ours')
    tunnel.socket.destroy()
  })

  it('handles every path under baseUrl, and nothing else', async () => {
    using _ = start({}, createGateway({ baseUrl: anywhere }))
    expect((await fetch(`${anywhere}/nothing`, { headers: key })).status).toBe(404)
    const other = await fetch('https://other.example/api/v1/providers', { headers: key })
    expect([other.status, other.headers.get('x-should-retry')]).toEqual([404, 'false'])
    expect((await other.json()).error.message).toContain(`are under ${anywhere}, so check`)
    expect(errors).toHaveBeenCalledOnce()
  })

  it('uses the sandbox of the calling code unless the key or path selects another', async () => {
    using context = start()
    const { gateway } = context
    const [mine, other] = [gateway.createSandbox(), gateway.createSandbox()]
    await gateway.run(mine, async () => {
      for (const get of Object.values(clients)) {
        await get(`${anywhere}/providers`)
        await get(`${anywhere}/providers`, { authorization: `Bearer ${other.apiKey}` })
        await get(`https://models.example/sandboxes/${other.id}/api/v1/providers`)
      }
      await (await gateway.fetch(`${anywhere}/providers`, { headers: key })).text()
    })
    expect(mine.journal.entries()).toHaveLength(3)
    expect(other.journal.entries()).toHaveLength(4)
    expect(gateway.journal.entries()).toHaveLength(0)
  })

  it('records requests that outlive their sandbox in the default sandbox', async () => {
    using context = start()
    const { gateway } = context
    const sandbox = gateway.createSandbox()
    await gateway.run(sandbox, async () => {
      sandbox.dispose()
      await clients['fetch']?.(`${anywhere}/providers`)
    })
    expect(gateway.journal.calls('listProviders')).toHaveLength(1)
  })
})

describe.each(Object.entries(clients))('onUnhandledRequest, with %s:', (_, get) => {
  /** Returns the body of any reply, which axios rejects with for a 404. */
  const read = (reply: Promise<unknown>) => reply.catch(({ response }) => response.data)
  const elsewhere = [
    'https://api.elsewhere.example/v1/responses',
    `${anywhere}/users`,
    `${anywhere}/provider`,
  ]

  it("'guard' reports requests that appear to be meant for the gateway, and answers them with a 404", async () => {
    using context = start()
    for (const url of elsewhere) expect(await read(get(url))).toMatchObject({ error: { code: 404 } })
    const names = elsewhere
      .slice(0, 2)
      .map((url) => expect.stringContaining(`[understudy] Unhandled request GET ${url}`))
    expect(errors.mock.calls.flat()).toEqual(names)
    expect(context.gateway.journal.entries().map(({ status, delivery }) => [status, delivery])).toEqual(
      elsewhere.map(() => [404, 'complete']),
    )
  })

  it("reports a sandbox's first rejected request to each origin", async () => {
    using context = start()
    const { gateway } = context
    const ask = async () => {
      for (const path of ['provider', 'provider', 'users'])
        expect(await read(get(`${anywhere}/${path}`))).toMatchObject({ error: { code: 404 } })
    }
    await ask()
    await gateway.createSandbox().run(ask)
    expect(errors).toHaveBeenCalledTimes(2)
    expect(warnings).not.toHaveBeenCalled()
  })

  it("'error' rejects unhandled requests to remote hosts and explains how to mock them", async () => {
    using context = start({ onUnhandledRequest: 'error' })
    await expect(get('https://mail.example/inbox')).rejects.toThrow()
    expect(errors).toHaveBeenCalledWith(expect.stringContaining('mock it, for example with an MSW handler'))
    expect(context.gateway.journal.entries()).toEqual([])
  })

  it("'warn' passes through all requests and logs those that leave the machine", async () => {
    using _ = start({ onUnhandledRequest: 'warn' })
    await expect(get('https://models.invalid/v1/responses')).rejects.toThrow()
    expect(warnings).toHaveBeenCalledOnce()
    await get(local)
    expect(warnings).toHaveBeenCalledOnce()
  })

  it('can be a function, which logs a warning or rejects the request', async () => {
    const urls: string[] = []
    using context = start({
      onUnhandledRequest({ method, url, headers }, print) {
        urls.push(`${method} ${url} ${headers.get('x-own')}`)
        if (url.includes('models.invalid')) print.warning()
        else print.error()
      },
    })
    await expect(get('https://models.invalid/v1/responses')).rejects.toThrow()
    expect([warnings, errors].map(({ mock }) => mock.calls.length)).toEqual([1, 0])
    await expect(get('https://mail.example/inbox', { 'x-own': 'kept' })).rejects.toThrow()
    expect([warnings, errors].map(({ mock }) => mock.calls.length)).toEqual([1, 1])
    expect(urls).toEqual([
      'GET https://models.invalid/v1/responses null',
      'GET https://mail.example/inbox kept',
    ])
    expect(context.gateway.journal.entries()).toEqual([])
    expect(await get(local)).toBe('ours: GET ')
  })
})

describe('intercept() with undici', () => {
  const text = '{"model":"aurora/dawn-2","input":"Hello"}'
  const post = { method: 'POST', headers: { ...key, 'content-type': 'application/json' } } as const
  const form = new FormData()
  form.append('one', '1')

  it.each<[string, unknown, unknown]>([
    ['a string', text, text],
    ['an empty string', '', ''],
    ['bytes', Buffer.from(text), text],
    ['a stream of strings', Readable.from([text.slice(0, 9), text.slice(9)]), text],
    ['a web stream', new Blob([text]).stream(), text],
    ['a list of chunks', [text.slice(0, 9), Buffer.from(text.slice(9))], text],
    ['a blob', new Blob([text]), text],
    ['an ArrayBuffer', new TextEncoder().encode(text).buffer, text],
    ['a form', form, expect.stringMatching(/form-data; name="one"\r\n\r\n1\r\n/)],
    ['no', null, ''],
  ])('accepts %s as the body', async (_, body, expected) => {
    using context = start()
    const { body: reply } = await undiciRequest(`${anywhere}/responses`, { ...post, body } as never)
    await reply.dump()
    expect(context.gateway.journal.last('createResponse')?.requestText?.text ?? '').toEqual(expected)
  })

  it('accepts a query', async () => {
    using context = start()
    const query = { a: ['1', 'x y'], b: null, c: 2 }
    const { body } = await undiciRequest(`${anywhere}/providers`, { headers: key, query })
    await body.dump()
    expect(context.gateway.journal.last('listProviders')?.query).toEqual({ a: ['1', 'x y'], b: '', c: '2' })
  })

  it("has undici's timeouts, of which 0 disables one", async () => {
    using context = start()
    context.gateway.use({ on: '*', fault: 'timeout' })
    const send = (headersTimeout: number, signal?: AbortSignal) =>
      undiciRequest(`${anywhere}/providers`, { headers: key, headersTimeout, signal })
    await expect(send(1)).rejects.toThrow('Headers Timeout Error')
    const leaving = new AbortController()
    const patient = send(0, leaving.signal)
    await expect.poll(() => context.gateway.journal.entries()).toHaveLength(2)
    await new Promise((resolve) => setTimeout(resolve, 5))
    leaving.abort(new Error('enough'))
    await expect(patient).rejects.toThrow('enough')
  })

  it('delivers everything sent before an error, even if the client reads late', async () => {
    using context = start()
    context.gateway.use({ on: '*', fault: { name: 'stream-reset', afterEvents: 8 } })
    const { body } = await undiciRequest(`${anywhere}/responses`, {
      ...post,
      body: JSON.stringify({ ...JSON.parse(text), stream: true }),
    })
    await expect.poll(() => context.gateway.journal.entries()[0]?.delivery).toBe('aborted-by-fault')
    await new Promise((resolve) => setTimeout(resolve, 5))
    let received = ''
    const reading = (async () => {
      for await (const chunk of body) received += chunk
    })()
    await expect(reading).rejects.toThrow('read ECONNRESET')
    expect(received.match(/^data: /gm)).toHaveLength(8)
  })

  it('sends a stream no faster than it is read', async () => {
    using context = start()
    const { gateway, interception } = context
    const frames = Array.from({ length: 500 }, () => ({ data: 'x'.repeat(1000) }))
    gateway.use({ on: 'createResponse', reply: { frames: frames.flatMap((frame) => [frame, { wait: 0 }]) } })
    let pulls = 0
    interception.use(
      http.get('*/stream', () => {
        const body = new ReadableStream({
          pull(controller) {
            controller.enqueue(new Uint8Array(1000))
            if (++pulls === 500) controller.close()
          },
        })
        return new Response(body)
      }),
    )
    const sent = () => (gateway.journal.last('createResponse')?.responseBody.text ?? '').length
    for (const [line, progress] of [
      ['POST /responses', sent],
      ['GET /stream', () => pulls * 1000],
    ] as const) {
      const [method, path] = line.split(' ') as ['GET' | 'POST', string]
      const { body } = await undiciRequest(anywhere + path, {
        ...post,
        method,
        body: method === 'GET' ? null : text,
      })
      let before = -1
      while (progress() !== before) {
        before = progress()
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
      expect(before).toBeLessThan(200_000)
      expect((await body.arrayBuffer()).byteLength).toBeGreaterThan(499_999)
    }
  })
})

describe.each(Object.entries(clients))('user handlers, with %s:', (_, get) => {
  it('take precedence over the gateway, newest first, until reset', async () => {
    using context = start()
    const { interception } = context
    interception.use(http.get('https://mail.example/inbox', () => HttpResponse.json(['Hello'])))
    interception.use(
      http.get('*/api/v1/providers', () => HttpResponse.json({ mine: 'first' }), { once: true }),
      http.get('*/api/v1/providers', () => HttpResponse.json({ mine: 'then' })),
    )
    expect(await get('https://mail.example/inbox')).toEqual(['Hello'])
    expect(await get(`${anywhere}/providers`)).toEqual({ mine: 'first' })
    expect(await get(`${anywhere}/providers`)).toEqual({ mine: 'then' })
    expect(await get(`${anywhere}/embeddings/models`)).toHaveProperty('data')
    interception.resetHandlers()
    expect(await get(`${anywhere}/providers`)).toHaveProperty('data')
  })

  it('can return a network error', async () => {
    using context = start()
    context.interception.use(http.get('*/broken', () => HttpResponse.error()))
    await expect(get('https://mail.example/broken')).rejects.toThrow()
  })
})

/** Sends a request with each transport. Returns the whole reply. */
const senders: Record<string, (method: string, url: string, body?: string) => Promise<object>> = {
  async fetch(method, url, body) {
    const response = await fetch(url, { method, ...(body && { body }) })
    const { status, statusText, headers } = response
    return {
      head: `${status} ${statusText}`,
      own: headers.get('x-own'),
      cookies: headers.getSetCookie(),
      body: await response.text(),
    }
  },
  async axios(method, url, body) {
    const { status, statusText, headers, data } = await axios.request({
      method,
      url,
      data: body,
      adapter: 'http',
      responseType: 'text',
      validateStatus: () => true,
    })
    return {
      head: `${status} ${statusText}`,
      own: headers['x-own'] ?? null,
      cookies: headers['set-cookie'] ?? [],
      body: data,
    }
  },
}

describe.each(Object.entries(senders))('a reply to %s', (_, send) => {
  const url = 'https://mail.example/inbox'
  const cookies = ['a=1', 'b=2']
  const head = new Headers([
    ['x-own', 'kept'],
    ...cookies.map((cookie) => ['set-cookie', cookie] as [string, string]),
  ])

  it.each([
    [
      new Response('gone', { status: 410, statusText: 'Moved Away', headers: head }),
      { head: '410 Moved Away', own: 'kept', cookies, body: 'gone' },
    ],
    [new Response('new', { status: 201 }), { head: '201 Created', own: null, cookies: [], body: 'new' }],
    [new Response(null, { status: 204 }), { head: '204 No Content', own: null, cookies: [], body: '' }],
  ])('contains everything that a user handler returns: %o', async (response, expected) => {
    using context = start()
    context.interception.use(http.get(url, () => response.clone()))
    expect(await send('GET', url)).toEqual(expected)
  })

  it.each([
    ['HEAD', undefined, ''],
    ['GET', undefined, 'GET '],
    ['POST', undefined, 'POST '],
    ['POST', 'x', 'POST x'],
  ])('can depend on the body that a user handler receives: %s %s', async (method, body, expected) => {
    using context = start()
    context.interception.use(
      http.all(url, async ({ request }) => new HttpResponse(`${method} ${await request.text()}`)),
    )
    expect(await send(method, url, body)).toMatchObject({ head: '200 OK', body: expected })
  })

  it('fails if the body that a user handler returns fails', async () => {
    using context = start()
    const body = () => {
      let pulls = 0
      return new ReadableStream({
        pull(controller) {
          if (++pulls === 1) controller.enqueue(Buffer.from('one'))
          else controller.error(new Error('broken'))
        },
      })
    }
    context.interception.use(http.get(url, () => new Response(body())))
    await expect(send('GET', url)).rejects.toThrow()
  })

  it('is a 500 if a user handler throws', async () => {
    using context = start()
    context.interception.use(
      http.get(url, () => {
        throw new Error('a mistake')
      }),
    )
    expect(await send('GET', url)).toMatchObject({
      head: '500 Unhandled Exception',
      body: expect.stringContaining('"message":"a mistake"'),
    })
  })

  it('is relayed unchanged from the host of a request that is passed through', async () => {
    const theirs = createServer((_, response) => {
      response.writeHead(418, 'Short and Stout', { 'x-own': 'kept', 'set-cookie': cookies }).end('tea')
    })
    onTestFinished(() => void theirs.close())
    await new Promise<void>((resolve) => theirs.listen(0, '127.0.0.1', resolve))
    using context = start()
    context.interception.use(http.all('*', () => passthrough()))
    expect(await send('GET', `http://127.0.0.1:${(theirs.address() as AddressInfo).port}/`)).toEqual({
      head: '418 Short and Stout',
      own: 'kept',
      cookies,
      body: 'tea',
    })
  })
})

it.each([new Error('not this one'), 'not this one'])(
  'intercept() rejects a request with what onUnhandledRequest throws: %o',
  async (thrown) => {
    using _ = start({
      onUnhandledRequest() {
        throw thrown
      },
    })
    const error = await fetch('https://mail.example/inbox').catch(({ cause }) => cause)
    expect(error).toBeInstanceOf(Error)
    expect(error.message).toBe('not this one')
  },
)

describe('other mocks in the process', () => {
  it('keep working during and after an interception if they use MSW', async () => {
    const server = setupServer(http.get('https://mail.example/inbox', () => HttpResponse.json(['Theirs'])))
    server.listen({ onUnhandledFrame: 'bypass', onUnhandledRequest: 'bypass' } as object)
    {
      using _ = start()
      expect(await clients['fetch']?.('https://mail.example/inbox')).toEqual(['Theirs'])
      expect(await clients['axios']?.('https://mail.example/inbox')).toEqual(['Theirs'])
      expect(await clients['fetch']?.(`${anywhere}/providers`)).toHaveProperty('data')
      expect(await clients['axios']?.(`${anywhere}/providers`)).toHaveProperty('data')
    }
    expect(await clients['axios']?.('https://mail.example/inbox')).toEqual(['Theirs'])
    server.close()
  })
})

describe('a node:http client', () => {
  it.each(['2001:db8::1', '[2001:db8::1]'])('can send a request to %s', async (host) => {
    const urls: string[] = []
    using _ = start({
      onUnhandledRequest({ url }, print) {
        urls.push(url)
        print.error()
      },
    })
    await once(request({ host, port: 81, path: '/inbox' }).end(), 'error')
    expect(urls).toEqual(['http://[2001:db8::1]:81/inbox'])
  })

  it('gets a timeout event if its request has a timeout', async () => {
    using context = start()
    context.gateway.use({ on: '*', fault: 'timeout' })
    const asking = request(`${anywhere.replace('https', 'http')}/providers`, { headers: key, timeout: 20 })
    asking.on('error', () => undefined).end()
    await new Promise<void>((resolve) => asking.on('timeout', resolve))
    asking.destroy()
  })
})
