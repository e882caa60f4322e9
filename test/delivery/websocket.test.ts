import { get, type IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { createGateway, type Gateway } from '../../src/index.ts'
import { intercept } from '../../src/node.ts'
import { startServer } from '../../src/serve.ts'

const baseUrl = 'http://gateway.example/v1'

type Running = AsyncDisposable & { baseUrl: string; gateway: Pick<Gateway, 'journal'> }

const entrances: Record<string, () => Running | Promise<Running>> = {
  server: () => startServer(),
  intercept() {
    const gateway = createGateway({ baseUrl })
    const active = intercept(gateway)
    return { baseUrl, gateway, [Symbol.asyncDispose]: async () => active.close() }
  },
}

it.each(Object.entries(entrances))(
  'a WebSocket gets a 426, so that clients use HTTP: %s',
  async (_, enter) => {
    await using entrance = await enter()
    const headers = {
      authorization: 'Bearer any',
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    }
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      get(`${entrance.baseUrl}/responses`, { headers }, resolve).once('error', reject)
    })
    expect([response.statusCode, response.headers.upgrade]).toEqual([426, 'HTTP/1.1'])
    expect(JSON.parse(Buffer.concat(await response.toArray()).toString()).error.message).toBe(
      'WebSockets are not simulated: send POST /responses over HTTP',
    )
    expect(entrance.gateway.journal.entries()).toMatchObject([{ status: 426, rules: [] }])
  },
)
