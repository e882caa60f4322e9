import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { GatewayOptions } from '../../src/index.ts'
import { type RunningServer, startServer } from '../../src/serve.ts'

async function start(options: GatewayOptions = {}): Promise<RunningServer> {
  const server = await startServer(options)
  onTestFinished(() => server.close())
  return server
}

async function dial({ port }: RunningServer): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

const head = (line: string, body = '') =>
  [
    `${line} HTTP/1.1`,
    'Host: localhost',
    'Authorization: Bearer sk-test',
    ...(body ? ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`] : []),
    '',
    body,
  ].join('\r\n')

/** Reads until the text matches the pattern. */
async function readUntil(socket: Socket, wanted: RegExp): Promise<string> {
  let text = ''
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    text += String(chunk)
    if (wanted.test(text)) break
  }
  return text
}

describe('the HTTP server', () => {
  it('sends headers immediately if a fault affects only a later part of the reply', async () => {
    const server = await start({ timeScale: 1_000_000 })
    server.gateway.use({ on: '*', fault: { name: 'idle-connection-closed', afterMs: 1 } })
    const socket = await dial(server)
    socket.write(head('GET /api/v1/providers'))
    expect(await readUntil(socket, /"data"/)).toMatch(/^HTTP\/1\.1 200 /)
  })

  it('closes an idle keep-alive connection sooner than Node does by default, with idle-connection-closed', async () => {
    const server = await start({ timeScale: 0 })
    server.gateway.use({ on: '*', fault: 'idle-connection-closed' })
    const socket = await dial(server)
    socket.write(head('GET /api/v1/providers'))
    const end = readUntil(socket, /nothing has this/).then(() => 'closed')
    expect(await Promise.race([end, sleep(4000, 'open', { ref: false })])).toBe('closed')
  })

  describe('paced frames', () => {
    const frames = [{ data: 'ä€😀' }, { wait: 1 }, { data: 'plain' }, { wait: 1 }, { data: 'ä' }]
    const question = JSON.stringify({ model: 'aurora/large', input: 'Hello?', stream: true })
    const ask = async (request: string) => {
      const server = await start()
      server.gateway.use({ on: 'createResponse', reply: { frames } })
      const socket = await dial(server)
      socket.write(request)
      return socket
    }

    it('are sent as chunks with their sizes in bytes', async () => {
      const text = await readUntil(await ask(head('POST /api/v1/responses', question)), /\r\n0\r\n\r\n$/)
      const [, body] = text.split(/\r\n\r\n(.*)/s)
      expect(body).toBe('11\r\ndata: ä€😀\n\n\r\nd\r\ndata: plain\n\n\r\na\r\ndata: ä\n\n\r\n0\r\n\r\n')
    })

    it('are sent to an HTTP/1.0 client without chunking before the connection closes', async () => {
      const request = head('POST /api/v1/responses', question).replace('HTTP/1.1', 'HTTP/1.0')
      const text = await readUntil(await ask(request), /never/)
      const [, body] = text.split(/\r\n\r\n(.*)/s)
      expect(body).toBe('data: ä€😀\n\ndata: plain\n\ndata: ä\n\n')
    })
  })

  it('sends overdue events and the end of the stream in one write', async () => {
    const server = await start()
    const frames = Array.from({ length: 30 }, (_, place) => [{ data: `${place}` }, { wait: 1 }]).flat()
    server.gateway.use({ on: 'createResponse', reply: { frames } })
    const socket = await dial(server)
    socket.write(head('POST /api/v1/responses', '{"model":"aurora/large","input":"Hello?","stream":true}'))
    const pieces: string[] = []
    socket.on('data', (piece) => void pieces.push(String(piece)))
    await once(socket, 'data')
    const before = pieces.length
    // Blocks the event loop until every event is due.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
    await vi.waitFor(() => expect(pieces.join('')).toMatch(/data: 29\n\n\r\n0\r\n\r\n$/))
    expect(pieces.slice(before)).toHaveLength(1)
  })

  it('stops writing when the client disconnects, and records the abort', async () => {
    const server = await start({ latency: { perToken: 20 } })
    const socket = await dial(server)
    socket.write(head('POST /api/v1/responses', '{"model":"a/b","input":"x","stream":true}'))
    await readUntil(socket, /output_text\.delta/)
    socket.destroy()
    await expect.poll(() => server.gateway.journal.last('createResponse')?.delivery).toBe('aborted-by-client')
    expect(server.gateway.journal.last('createResponse')?.responseBody.text).not.toContain(
      'response.completed',
    )
  })

  it('applies backpressure to a slow reader instead of buffering', async () => {
    const server = await start()
    const event = { event: { type: 'response.output_text.delta', delta: 'x'.repeat(10_000) } }
    server.gateway.use({ on: 'createResponse', reply: { frames: Array.from({ length: 5000 }, () => event) } })
    const socket = await dial(server)
    socket.pause()
    socket.write(head('POST /api/v1/responses', '{"model":"a/b","input":"x","stream":true}'))
    await server.gateway.journal.waitFor('createResponse')
    const sent = () => {
      const body = server.gateway.journal.last('createResponse')?.responseBody
      return (body?.text.length ?? 0) + (body?.truncatedBytes ?? 0)
    }
    // Kernel buffers vary in size, so wait until the writer stops.
    let before = -1
    while (sent() !== before) {
      before = sent()
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    expect(sent()).toBeLessThan(25_000_000)
    expect(server.gateway.journal.last('createResponse')?.delivery).toBe('pending')
    let received = 0
    socket.on('data', (chunk) => {
      received += chunk.byteLength
    })
    socket.resume()
    await expect
      .poll(() => server.gateway.journal.last('createResponse')?.delivery, { timeout: 10_000 })
      .toBe('complete')
    await expect.poll(() => received > 50_000_000, { timeout: 10_000 }).toBe(true)
  }, 20_000)
})
