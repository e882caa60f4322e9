import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningServer as Server, startServer } from '../../src/serve.ts'
import { raw, request } from './raw.ts'

let server: Server
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

async function answerTo(
  ...bytes: string[]
): Promise<{ status: number; id: string | undefined; body: string }> {
  const connection = raw(server.port, ...bytes)
  const text = await connection.until('\r\n\r\n')
  const [head = ''] = text.split('\r\n\r\n')
  const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0)
  while (connection.received.length < head.length + 4 + length) await connection.until('}')
  connection.socket.destroy()
  return {
    status: Number(head.slice(9, 12)),
    id: /^x-request-id: (.+)$/im.exec(head)?.[1],
    body: connection.received.slice(head.length + 4),
  }
}

const key = { authorization: 'Bearer any' }

describe('the x-request-id of replies that do not come from the gateway', () => {
  it.each([
    ['a foreign Host', 403, request('GET /api/v1/providers', { host: 'evil.example', ...key })],
    ['no Host', 400, request('GET /api/v1/providers', { connection: 'close', ...key })],
    ['malformed HTTP', 400, 'What is this?\r\n\r\n'],
    [
      'oversized headers',
      431,
      request('GET /api/v1/providers', { host: 'localhost', 'x-long': 'x'.repeat(20_000) }),
    ],
    ['CONNECT', 405, request('CONNECT example.com:443', { host: 'localhost' })],
    ['an unknown path', 404, request('GET /elsewhere', { host: 'localhost' })],
    [
      'a foreign origin',
      403,
      request('GET /api/v1/providers', { host: 'localhost', origin: 'https://evil.example', ...key }),
    ],
  ])('is set, with the error envelope, on the reply to %s', async (_, status, bytes) => {
    const first = await answerTo(bytes)
    expect(first).toMatchObject({ status, id: expect.stringMatching(/^req_[0-9a-f]{16}$/) })
    expect(JSON.parse(first.body).error).toMatchObject({ code: status, message: expect.any(String) })
  })

  it('is set on control API replies and on the OpenAPI document', async () => {
    for (const path of ['/__understudy/health', '/__understudy/sandboxes', '/openapi.json']) {
      const { headers } = await fetch(server.url + path)
      expect(headers.get('x-request-id'), path).toMatch(/^req_/)
    }
  })

  it('is the same for the same request', async () => {
    const bytes = request('GET /api/v1/providers', { host: 'evil.example', ...key })
    expect((await answerTo(bytes)).id).toBe((await answerTo(bytes)).id)
  })
})
