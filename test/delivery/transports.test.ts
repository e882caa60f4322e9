/** Tests behaviour that all transports share: journal entries, body limits, and faults with user handlers. */
import { once } from 'node:events'
import { request } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import * as z from 'zod'
import {
  createGateway,
  defineOperation,
  eventStream,
  type Frame,
  type Gateway,
  json,
  ok,
  type Reply,
} from '../../src/index.ts'
import { handlers } from '../../src/msw.ts'
import { intercept } from '../../src/node.ts'
import { startServer } from '../../src/serve.ts'
import { call, open, type Target } from '../call.ts'
import { hasExtra } from '../has-extra.ts'

const origin = 'https://gateway.example/api/v1'
const headers = { authorization: 'Bearer any', 'content-type': 'application/json' }
const question = { model: 'aurora/dawn-2', input: 'How do tides work?' }

interface Transport {
  readonly target: Target
  close(): unknown
}

/** Opens each transport for one gateway. */
const transports: Record<string, (gateway: Gateway) => Promise<Transport>> = {
  fetch: async (gateway) => ({ target: gateway, close() {} }),
  async msw(gateway) {
    const server = setupServer(...handlers(gateway))
    server.listen()
    return { target: {}, close: () => server.close() }
  },
  async undici(gateway) {
    const interception = intercept(gateway)
    return { target: {}, close: () => interception.close() }
  },
  async socket(gateway) {
    const server = await startServer({ gateway })
    return { target: server, close: () => server.close() }
  },
}

describe('the journal', () => {
  it('records the same reply headers for every transport', async () => {
    const recorded: Record<string, unknown> = {}
    for (const [name, start] of Object.entries(transports)) {
      const gateway = createGateway()
      const { target, close } = await start(gateway)
      await call(target, 'GET /providers')
      for (const stream of [false, true])
        await call(target, 'POST /responses', { body: { ...question, stream } })
      gateway.use({ on: '*', fault: { name: 'short-content-length', by: 3 }, times: 1 })
      await call(target, 'GET /providers').catch(() => {})
      await close()
      recorded[name] = gateway.journal.entries().map(({ responseHeaders }) => responseHeaders)
    }
    const [expected] = Object.values(recorded) as Record<string, string>[][]
    expect(recorded).toEqual(Object.fromEntries(Object.keys(transports).map((name) => [name, expected])))
    expect(expected?.map((each) => each['content-length'] !== undefined)).toEqual([false, false, false, true])
    expect(expected?.some((each) => 'transfer-encoding' in each)).toBe(false)
  })
})

describe('every transport', () => {
  it('sets the content-length of a JSON body, and rejects a request with two API keys', async () => {
    for (const start of Object.values(transports)) {
      const { target, close } = await start(createGateway())
      const { headers, text } = await call(target, 'GET /providers')
      expect(headers.get('content-length')).toBe(String(Buffer.byteLength(text)))
      const keys = await call(target, 'GET /providers', { headers: { authorization: 'Bearer a, Bearer b' } })
      expect(keys).toMatchObject({
        status: 400,
        body: { error: { message: 'More than one Authorization header' } },
      })
      const empty = await call(target, 'GET /providers', { headers: { authorization: ', Bearer a' } })
      expect(empty.body.error.message).toBe('Malformed Authorization header: must be Bearer <key>')
      await close()
    }
  })
})

describe.each(Object.entries(transports))('a client that cancels a stream over %s', (_name, start) => {
  it.each(['responses', ...(hasExtra('messages') ? ['messages'] : [])])(
    'gets a complete delivery of POST /%s if it has read the end',
    async (path) => {
      const gateway = createGateway()
      const { target, close } = await start(gateway)
      const last = path === 'messages' ? 'message_stop' : '[DONE]'
      const messages = [{ role: 'user', content: 'Hello' }]
      const body = { ...question, ...(path === 'messages' && { messages, max_tokens: 9 }), stream: true }
      const response = await open(target, `POST /${path}`, { body })
      const reader = (response.body as ReadableStream<Uint8Array>).getReader()
      let text = ''
      while (!text.includes(last)) text += Buffer.from((await reader.read()).value as Uint8Array)
      await reader.cancel()
      await expect.poll(() => gateway.journal.entries().map(({ delivery }) => delivery)).toEqual(['complete'])
      await close()
    },
  )
})

describe.each(Object.entries(transports))(
  'a client that disconnects while it sends a body over %s',
  (_name, start) => {
    it("ends a rule's delay", async () => {
      const gateway = createGateway()
      gateway.use({ on: '*', fault: { name: 'latency', ms: 3_600_000 } })
      const { target, close } = await start(gateway)
      const leaving = new AbortController()
      const { fetch = globalThis.fetch, baseUrl = origin } =
        target === gateway ? { fetch: gateway.fetch } : target
      let pulls = 0
      const pull = (controller: ReadableStreamDefaultController) => {
        if (++pulls === 1) controller.enqueue(Buffer.from('{'))
      }
      const body = new ReadableStream({ pull }, { highWaterMark: 0 })
      const init = { method: 'POST', headers, body, duplex: 'half', signal: leaving.signal }
      const sent = fetch(`${baseUrl}/responses`, init)
      await expect.poll(() => pulls).toBe(2)
      leaving.abort()
      await expect(sent).rejects.toThrow()
      await expect
        .poll(() => gateway.journal.entries().map(({ delivery, error }) => [delivery, error]))
        .toEqual([['aborted-by-client', 'The connection closed before the body was complete']])
      expect(gateway.journal.unanswered()).toEqual([])
      await close()
    })
  },
)

/** Throws `boom` when it is read. */
const trap = () => Object.defineProperty({}, 'inner', { enumerable: true, get: fail })
const fail = () => {
  throw new Error('boom')
}
const cycle = (): object => {
  const inner: Record<string, unknown> = {}
  return Object.assign(inner, { inner })
}
const anything = z.any()
function* cut(): Generator<Frame> {
  yield { kind: 'bytes', bytes: 'data: 1\n\n' }
  yield { kind: 'wait', ms: 1 }
  fail()
}
const unsendable: [string, () => unknown, error: string][] = [
  ['a body with a cycle', () => ({ body: cycle() }), 'body.inner must not contain itself'],
  [
    'an event with a BigInt',
    () => ({ frames: [{ event: { n: 1n } }] }),
    'event.n must not be a BigInt, got 1n',
  ],
  [
    'a getter that throws',
    () => ({ body: trap() }),
    'The function passed to reply() returned an invalid reply: boom',
  ],
]
const unsent: [string, () => Reply, error: string][] = [
  ['a body with a cycle', () => ok(cycle()), "resolve() of the 'getX' operation returned a body that JSON"],
  ['a getter that throws', () => ok(trap()), 'returned a body that JSON.stringify rejects'],
  ['a stream that throws', () => eventStream(cut()), 'The reply could not be sent: boom'],
  [
    'an invalid header',
    () => json(200, {}, { a: '\n' }),
    'returned an invalid header: a: a header value must be',
  ],
]

describe.each(Object.entries(transports))('a reply that cannot be sent over %s', (_name, start) => {
  it.each([...unsendable, ...unsent])('ends the call: %s', async (_title, make, error) => {
    const resolve = make as () => Reply
    const getX = defineOperation({
      id: 'getX',
      method: 'get',
      path: '/x',
      output: anything,
      streams: true,
      resolve,
    })
    const gateway = createGateway({ operations: [getX] })
    const isRule = unsendable.some(([, each]) => each === make)
    if (isRule) gateway.reply(make as () => string)
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => printed.mockRestore())
    const { target, close } = await start(gateway)
    onTestFinished(async () => void (await close()))
    await (isRule ? call(target, 'POST /responses', { body: question }) : call(target, 'GET /x')).catch(
      () => {},
    )
    await expect.poll(() => gateway.inFlight).toBe(0)
    expect(gateway.journal.entries()).toMatchObject([{ error: expect.stringContaining(error) }])
    expect(gateway.journal.entries()[0]?.delivery).not.toBe('pending')
  })
})

it.each(['fetch', 'undici'])('an upload that fails rejects over %s, and ends its call', async (name) => {
  const gateway = createGateway()
  const { target, close } = await (transports[name] as (typeof transports)[string])(gateway)
  onTestFinished(async () => void (await close()))
  const { fetch = globalThis.fetch } = target === gateway ? gateway : {}
  const body = new ReadableStream({ pull: fail })
  const init = { method: 'POST', headers, body, duplex: 'half' }
  await expect(fetch(`${origin}/responses`, init)).rejects.toThrow('fetch failed')
  await expect.poll(() => gateway.inFlight).toBe(0)
  expect(gateway.journal.entries()).toMatchObject([{ delivery: 'aborted-by-client' }])
})

describe('a user handler with a wildcard path', () => {
  async function get(url: string): Promise<Buffer> {
    const sent = request(url, { headers: { authorization: 'Bearer any' } }).end()
    const [response] = await once(sent, 'response')
    return buffer(response)
  }

  it('does not affect connection faults for node:http clients', async () => {
    const gateway = createGateway({ baseUrl: origin })
    const interception = intercept(gateway)
    onTestFinished(() => interception.close())
    interception.use(http.get('*/other', () => HttpResponse.json({ mine: true })))

    gateway.use({ on: '*', fault: 'gzip-body', times: 1 })
    expect(JSON.parse(String(gunzipSync(await get(`${origin}/providers`)))).data).toHaveLength(12)
    gateway.use({ on: '*', fault: 'connection-reset', times: 1 })
    await expect(get(`${origin}/providers`)).rejects.toMatchObject({
      code: 'ECONNRESET',
      message: 'read ECONNRESET',
    })
    expect(JSON.parse(String(await get(`${origin}/other`)))).toEqual({ mine: true })
  })
})
