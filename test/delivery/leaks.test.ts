/**
 * Tests that unmatched requests do not leave the process. A local server replaces the real host and must not
 * receive anything.
 */
import dns from 'node:dns'
import http, { type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setupServer } from 'msw/node'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createGateway, type Gateway } from '../../src/index.ts'
import { handlers } from '../../src/msw.ts'
import { type InterceptOptions, intercept } from '../../src/node.ts'

const received: string[] = []
const real = http.createServer((request, response) => {
  received.push(`${request.method} http://${request.headers.host}${request.url}`)
  response.end('real')
})
let port = 0

beforeAll(async () => {
  await new Promise<void>((resolve) => real.listen(0, '127.0.0.1', resolve))
  port = (real.address() as AddressInfo).port
  const { lookup } = dns
  vi.spyOn(dns, 'lookup').mockImplementation(((name: string, options: object, done: () => void) =>
    lookup(name.endsWith('.example') ? '127.0.0.1' : name, options, done)) as never)
  vi.spyOn(console, 'error').mockReturnValue()
  vi.spyOn(console, 'warn').mockReturnValue()
})
afterAll(() => {
  vi.restoreAllMocks()
  real.close()
})

const headers = { authorization: 'Bearer sk-real-key' }

/** Clients by transport, which return the status, or 0 for an error. */
const clients: Record<string, (method: string, url: string) => Promise<number>> = {
  fetch: (method, url) =>
    fetch(url, { method, headers }).then(
      ({ status }) => status,
      () => 0,
    ),
  'node:http': (method, url) =>
    new Promise((resolve) => {
      const onReply = (reply: IncomingMessage) => text(reply).then(() => resolve(reply.statusCode ?? 0))
      http
        .request(url, { method, headers }, onReply)
        .on('error', () => resolve(0))
        .end()
    }),
}

/** Unmatched requests that appear to be meant for the gateway. */
const calls: [title: string, line: string][] = [
  ["a vendor's host", 'POST http://api.vendor.example/v1/responses'],
  ["a vendor's host with /api/v1", 'POST http://vendor.example/api/v1/images/generations'],
  ['a misspelled path', 'GET http://gateway.example/api/v1/provider'],
  ['a base URL without its version', 'POST http://gateway.example/api/v1/v1/responses'],
  ['an unknown operation', 'POST http://gateway.example/api/v1/images/generations'],
]

const baseUrls = [undefined, 'http://gateway.example'] as const

/** Intercepts requests for the rest of the test. */
type Transport = (gateway: Gateway) => void

const transports: Record<string, Transport> = {
  'MSW handlers': (gateway) => {
    const server = setupServer(...handlers(gateway))
    server.listen({ onUnhandledFrame: 'bypass', onUnhandledRequest: 'bypass' } as object)
    onTestFinished(() => server.close())
  },
  intercept: startInterception,
}

function startInterception(gateway: Gateway, options?: InterceptOptions): void {
  const interception = intercept(gateway, options)
  onTestFinished(() => interception.close())
}

for (const [transport, start] of Object.entries(transports)) {
  describe.each(baseUrls)(`${transport} with the base URL %s`, (origin) => {
    for (const [client, send] of Object.entries(clients)) {
      it.each(calls)(`blocks a ${client} request to %s`, async (_title, line) => {
        const [method = '', address = ''] = line.split(' ')
        const gateway = createGateway(origin ? { baseUrl: `${origin}:${port}/api/v1` } : {})
        start(gateway)
        const status = await send(method, address.replace('.example/', `.example:${port}/`))
        expect(status).toBeOneOf([0, 404])
        expect(received.splice(0)).toEqual([])
        await expect.poll(() => gateway.journal.unmatched()).toMatchObject([{ method, status: 404 }])
      })

      it(`passes through a ${client} request to another host`, async () => {
        start(createGateway(origin ? { baseUrl: `${origin}:${port}/api/v1` } : {}))
        expect(await send('GET', `http://mail.example:${port}/inbox`)).toBe(200)
        expect(received.splice(0)).toHaveLength(1)
      })
    }
  })
}

it("onUnhandledRequest: 'bypass' lets requests reach the real host", async () => {
  startInterception(createGateway(), { onUnhandledRequest: 'bypass' })
  expect(await clients['fetch']?.('GET', `http://gateway.example:${port}/api/v1/provider`)).toBe(200)
  expect(received.splice(0)).toHaveLength(1)
})

describe('two interceptions', () => {
  it.each([
    ['with base URLs', 'http://one.example', 'http://two.example'],
    ['with a base URL on the older one', 'http://one.example', undefined],
    ['with a base URL on the newer one', undefined, 'http://two.example'],
  ])('%s work side by side', async (_title, first, second) => {
    const gateways = [first, second].map((origin) =>
      createGateway(origin ? { baseUrl: `${origin}/api/v1` } : {}),
    )
    for (const gateway of gateways) startInterception(gateway)
    for (const send of Object.values(clients))
      for (const name of ['one', 'two'])
        expect(await send('GET', `http://${name}.example/api/v1/providers`)).toBe(200)
    expect(gateways.map(({ journal }) => journal.calls('listProviders').length)).toEqual([2, 2])
    expect(received.splice(0)).toEqual([])
  })
})
