import { Agent, createServer, request } from 'node:http'
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
  vi,
} from 'vitest'
import { createGateway, type InterceptOptions, intercept } from '../../src/node.ts'

const places = ['undici.globalDispatcher.1', 'undici.globalDispatcher.2'].map((name) => Symbol.for(name))
const inPlaces = () => places.map((place) => Reflect.get(globalThis, place))
const addRequest = () => Reflect.get(Agent.prototype, 'addRequest')

const key = { authorization: 'Bearer any' }
const anywhere = 'https://models.example/api/v1'

/** Both kinds of client. */
const clients: Record<string, (url: string, headers?: Record<string, string>) => Promise<unknown>> = {
  fetch: async (url, headers = key) => {
    const response = await fetch(url, { headers })
    return response.headers.get('content-type')?.includes('json') ? response.json() : response.text()
  },
  axios: async (url, headers = key) => (await axios.get(url, { adapter: 'http', headers })).data,
}

let said: MockInstance
let warned: MockInstance
beforeEach(() => {
  said = vi.spyOn(console, 'error').mockImplementation(() => {})
  warned = vi.spyOn(console, 'warn').mockImplementation(() => {})
})
afterEach(() => vi.restoreAllMocks())

function start(options?: InterceptOptions, gateway = createGateway()) {
  const interception = intercept(gateway, options)
  return { gateway, interception, [Symbol.dispose]: () => interception.close() }
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

describe('intercept', () => {
  it('puts back, when it is closed, what it found', () => {
    const before = [...inPlaces(), addRequest()]
    const { interception } = start()
    expect([...inPlaces(), addRequest()]).not.toEqual(before)
    interception.close()
    expect([...inPlaces(), addRequest()]).toEqual(before)
  })

  it('passes over a request that brings a dispatcher of its own', async () => {
    using _ = start()
    const own = new MockAgent()
    own.disableNetConnect()
    own.get('https://models.example').intercept({ path: '/api/v1/providers' }).reply(200, 'its own')
    const response = await undiciFetch(`${anywhere}/providers`, { dispatcher: own })
    expect(await response.text()).toBe('its own')
  })

  it('leaves in place a dispatcher that somebody sets meanwhile', async () => {
    const before = Reflect.get(globalThis, places[1] as symbol)
    const { interception } = start()
    const theirs = new UndiciAgent()
    setGlobalDispatcher(theirs)
    interception.close()
    expect(inPlaces()[1]).toBe(theirs)
    setGlobalDispatcher(before)
  })

  it('does what the original does for somebody who holds its dispatcher after the end', async () => {
    const { interception } = start()
    const held = inPlaces()[1]
    interception.close()
    const response = await undiciFetch(local, { method: 'POST', body: 'late', dispatcher: held })
    expect(await response.text()).toBe('ours: POST late')
  })

  it('lets tunnels and upgrades of a connection pass, wherever they go', async () => {
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

  it('answers below `baseUrl` alone where there is one, unknown paths too', async () => {
    using _ = start({}, createGateway({ baseUrl: anywhere }))
    expect((await fetch(`${anywhere}/nothing`, { headers: key })).status).toBe(404)
    await expect(fetch('https://other.example/api/v1/providers', { headers: key })).rejects.toThrow()
    expect(said).toHaveBeenCalledOnce()
  })

  it('finds the sandbox of the code that calls, unless key or path name another', async () => {
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

  it('journals the call of work that outlives its sandbox in the default one', async () => {
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
  const elsewhere = [
    'https://api.elsewhere.example/v1/responses',
    `${anywhere}/users`,
    `${anywhere}/provider`,
  ]

  it("'guard' refuses what looks meant for the gateway, and says so", async () => {
    using context = start()
    for (const url of elsewhere) await expect(get(url)).rejects.toThrow()
    const names = elsewhere.map((url) => expect.stringContaining(`GET ${url} would leave this machine`))
    expect(said.mock.calls.flat()).toEqual(names)
    expect(context.gateway.journal.entries().map(({ status, delivery }) => [status, delivery])).toEqual(
      elsewhere.map(() => [404, 'aborted-by-fault']),
    )
  })

  it("'guard' refuses the key of a sandbox on its way to anybody", async () => {
    using context = start()
    const authorization = `Bearer ${context.gateway.createSandbox().apiKey}`
    await expect(get('https://other.example/anything', { authorization })).rejects.toThrow()
  })

  it('lets calls to this machine pass', async () => {
    using _ = start({ onUnhandledRequest: 'error' })
    expect(await get(local)).toBe('ours: GET ')
  })

  it("'error' refuses every other call, and says how to mock it", async () => {
    using context = start({ onUnhandledRequest: 'error' })
    await expect(get('https://mail.example/inbox')).rejects.toThrow()
    expect(said).toHaveBeenCalledWith(expect.stringContaining("onUnhandledRequest: 'error'"))
    expect(context.gateway.journal.entries()).toEqual([])
  })

  it("'warn' lets all pass, and prints those that leave this machine", async () => {
    using _ = start({ onUnhandledRequest: 'warn' })
    await expect(get('https://models.invalid/v1/responses')).rejects.toThrow()
    expect(warned).toHaveBeenCalledOnce()
    await get(local)
    expect(warned).toHaveBeenCalledOnce()
  })

  it('calls a function, which prints a warning or refuses the request', async () => {
    const urls: string[] = []
    using context = start({
      onUnhandledRequest({ method, url, headers }, print) {
        urls.push(`${method} ${url} ${headers.get('x-own')}`)
        if (url.includes('models.invalid')) print.warning()
        else print.error()
      },
    })
    await expect(get('https://models.invalid/v1/responses')).rejects.toThrow()
    expect([warned, said].map(({ mock }) => mock.calls.length)).toEqual([1, 0])
    await expect(get('https://mail.example/inbox', { 'x-own': 'kept' })).rejects.toThrow()
    expect([warned, said].map(({ mock }) => mock.calls.length)).toEqual([1, 1])
    expect(urls).toEqual([
      'GET https://models.invalid/v1/responses null',
      'GET https://mail.example/inbox kept',
    ])
    expect(context.gateway.journal.entries()).toEqual([])
    expect(await get(local)).toBe('ours: GET ')
  })

  it("'bypass' lets all pass in silence", async () => {
    using context = start({ onUnhandledRequest: 'bypass' })
    await expect(get('https://models.invalid/v1/responses')).rejects.toThrow()
    expect(said).not.toHaveBeenCalled()
    expect(warned).not.toHaveBeenCalled()
    expect(context.gateway.journal.entries()).toEqual([])
  })
})

it.each([1, 2, 3])('takes a body that comes in %i pieces, whole', async (pieces) => {
  using context = start()
  const whole = JSON.stringify({ model: 'aurora/dawn-2', input: 'How do tides work, and why?' })
  const size = Math.ceil(whole.length / pieces)
  async function* body() {
    for (let at = 0; at < whole.length; at += size) yield Buffer.from(whole.slice(at, at + size))
  }
  const headers = { ...key, 'content-type': 'application/json' }
  const { statusCode, body: reply } = await undiciRequest(`${anywhere}/responses`, {
    method: 'POST',
    headers,
    body: Readable.from(body()),
  })
  expect([statusCode, (await reply.text()).slice(0, 1)]).toEqual([200, '{'])
  expect(context.gateway.journal.last('createResponse')?.rawBody).toEqual({ text: whole, cut: 0 })
})

it('takes the headers of undici as a flat list, too', async () => {
  using context = start()
  const headers = ['authorization', 'Bearer any', 'x-own', 'kept']
  const { statusCode } = await undiciRequest(`${anywhere}/providers`, { headers })
  expect(statusCode).toBe(200)
  expect(context.gateway.journal.last('listProviders')?.headers).toMatchObject({ 'x-own': 'kept' })
})

describe.each(Object.entries(clients))('handlers of the user, with %s:', (_, get) => {
  it('answer before the gateway, the newest first, until they are reset', async () => {
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

  it('may let a call through to where it was going', async () => {
    using context = start()
    context.interception.use(http.all('*', () => passthrough()))
    expect(await get(local)).toBe('ours: GET ')
  })

  it('leave to the network what neither they nor the gateway answer', async () => {
    using context = start()
    context.interception.use(http.get('https://mail.example/inbox', () => HttpResponse.json(['Hello'])))
    expect(await get(local)).toBe('ours: GET ')
    await expect(get('https://mail.invalid/outbox')).rejects.toThrow()
  })

  it('may break the connection', async () => {
    using context = start()
    context.interception.use(http.get('*/broken', () => HttpResponse.error()))
    await expect(get('https://mail.example/broken')).rejects.toThrow()
  })

  it('that throw answer with 500, as in MSW', async () => {
    using context = start()
    context.interception.use(
      http.get('*/mistake', () => {
        throw new Error('a mistake of the handler')
      }),
    )
    const answer = await get('https://mail.example/mistake').catch(({ response }) => response.data)
    expect(answer).toMatchObject({ message: 'a mistake of the handler' })
  })
})

describe('other mocks in the process', () => {
  it('of MSW go on working, before and after ours', async () => {
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

  it('of undici go on working, where they were set before', async () => {
    const before = inPlaces()[1]
    const theirs = new MockAgent()
    theirs.disableNetConnect()
    theirs.get('https://mail.example').intercept({ path: '/inbox' }).reply(200, 'Theirs')
    setGlobalDispatcher(theirs)
    {
      using _ = start()
      expect(await clients['fetch']?.('https://mail.example/inbox')).toBe('Theirs')
      expect(await clients['fetch']?.(`${anywhere}/providers`)).toHaveProperty('data')
    }
    setGlobalDispatcher(before)
  })
})

describe('a node:http client', () => {
  it('sends a body in pieces, and may leave before it is whole', async () => {
    using context = start()
    const { gateway } = context
    const headers = { ...key, 'content-type': 'application/json', 'content-length': 100 }
    const asking = request(`${anywhere.replace('https', 'http')}/responses`, { method: 'POST', headers })
    const failed = new Promise((resolve) => asking.on('error', resolve))
    asking.write('{"model":')
    await expect.poll(() => gateway.journal.entries().length + 1).toBeGreaterThan(0)
    asking.destroy()
    await failed
    await expect
      .poll(() => gateway.journal.entries().every(({ delivery }) => delivery !== 'pending'))
      .toBe(true)
  })

  it('that is made with a time limit tells when it is over', async () => {
    using context = start()
    context.gateway.use({ on: '*', fault: 'timeout' })
    const asking = request(`${anywhere.replace('https', 'http')}/providers`, { headers: key, timeout: 20 })
    asking.on('error', () => undefined).end()
    await new Promise<void>((resolve) => asking.on('timeout', resolve))
    asking.destroy()
  })

  it('that has a time limit gives up on a gateway that is silent', async () => {
    using context = start()
    context.gateway.use({ on: '*', fault: 'timeout' })
    const slow = axios.get(`${anywhere}/providers`, { adapter: 'http', headers: key, timeout: 20 })
    await expect(slow).rejects.toThrow('timeout of 20ms exceeded')
    await expect.poll(() => context.gateway.journal.entries()[0]?.delivery).toBe('aborted-by-client')
  })
})
