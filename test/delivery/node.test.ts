import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { serve } from '../../src/delivery/deliver.ts'
import { NodeSink, readNodeBody, toNodeCall } from '../../src/delivery/node.ts'
import { createGateway, type GatewayOptions } from '../../src/index.ts'
import type { ScriptedReply } from '../../src/scenarios/scripted-reply.ts'
import { type RunningServer, startServer } from '../../src/serve.ts'
import { open } from '../call.ts'

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

describe('readNodeBody()', () => {
  /** Creates a request whose body has not arrived yet. */
  function arriving() {
    const body = new Readable({ read() {} })
    const request = Object.assign(body, { complete: false, headers: {} }) as unknown as IncomingMessage
    return { body, request }
  }

  it.each([
    [['1234567890'], '1234567890'],
    [['12345', '67890'], '1234567890'],
    [['12345', '6'], '123456'],
    [[], ''],
    [['12345', '678901'], '413'],
    [['12345678901'], '413'],
  ])('with a limit of 10 bytes returns the chunks %j as %s', async (chunks, expected) => {
    const { body, request } = arriving()
    const reading = readNodeBody(request, 10).then(String, ({ status }) => `${status}`)
    for (const chunk of chunks) {
      await new Promise((resolve) => setImmediate(resolve))
      body.push(chunk)
    }
    body.push(null)
    expect(await reading).toBe(expected)
  })

  it('throws 400 if the connection closes, and 408 if the body takes too long', async () => {
    const closing = arriving()
    const reading = readNodeBody(closing.request, 10)
    setImmediate(() => closing.body.destroy(new Error('aborted')))
    await expect(reading).rejects.toMatchObject({
      status: 400,
      message: 'The connection closed before the body was complete',
    })
    await expect(readNodeBody(arriving().request, 10, 1)).rejects.toMatchObject({ status: 408 })
  })

  it('throws 408 if the end of a body of the maximum size takes too long', async () => {
    const { body, request } = arriving()
    body.push('1234567890')
    await expect(readNodeBody(request, 10, 1)).rejects.toMatchObject({ status: 408 })
  })

  it('throws 413, and closes the connection if the rest takes too long', async () => {
    const { body, request } = arriving()
    body.push('12345678901')
    const closed = once(body, 'close')
    await expect(readNodeBody(request, 10, 1)).rejects.toMatchObject({ status: 413 })
    await closed
  })

  it('leaves no timer behind', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = timers()
    const { body, request } = arriving()
    const reading = readNodeBody(request, 10)
    await new Promise((resolve) => setImmediate(resolve))
    expect(timers()).toBe(before + 1)
    body.push('123')
    body.push(null)
    await reading
    expect(timers()).toBe(before)
  })
})

describe('the HTTP server', () => {
  it.each([
    [10, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 400 /],
    [11, /^HTTP\/1\.1 413 /],
  ])('with a limit of 10 bytes asks for a body of %i bytes if it is not too long', async (size, expected) => {
    const socket = await dial(await start({ limits: { requestBodyBytes: 10 } }))
    const [before, body] = head('POST /api/v1/responses', 'x'.repeat(size)).split('\r\n\r\n')
    socket.write(`${before}\r\nExpect: 100-continue\r\n\r\n`)
    const first = await readUntil(socket, /\r\n\r\n/)
    if (!first.includes('100 Continue')) return expect(first).toMatch(expected)
    socket.write(`${body}`)
    expect(first + (await readUntil(socket, /"error"/))).toMatch(expected)
  })

  it('paces many short waits accurately although timers may fire early', async () => {
    const server = await start()
    server.gateway.use({ on: '*', fault: { name: 'bandwidth', bytesPerSecond: 100_000 } })
    for (let turn = 0; turn < 3; turn++) {
      const begin = performance.now()
      const response = await open(server, 'POST /responses', {
        body: { model: 'aurora/dawn-2', input: 'How do tides work?', stream: true },
      })
      const bytes = (await response.bytes()).length
      expect(performance.now() - begin).toBeGreaterThan(bytes / 100 - 4)
    }
  })

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

  it('keeps a connection open after a rejected request', async () => {
    const socket = await dial(await start())
    socket.write(head('PATCH /api/v1/workspaces/staging', '{"name":""}'))
    expect(await readUntil(socket, /too_small/)).toMatch(/^HTTP\/1\.1 400 /)
    socket.write(head('GET /api/v1/presets/code-review'))
    expect(await readUntil(socket, /designated_version"/)).toMatch(/^HTTP\/1\.1 200 /)
  })

  it('replies to pipelined requests in order', async () => {
    const socket = await dial(await start())
    socket.write(head('GET /api/v1/presets/nobody') + head('GET /api/v1/presets/code-review'))
    const text = await readUntil(socket, /designated_version"/)
    expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['404', '200'])
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

  it('sets the content-length of a plain body in bytes', async () => {
    const server = await start()
    server.gateway.reply('Grüße 🦊')
    const response = await open({ baseUrl: server.baseUrl, apiKey: 'sk' }, 'POST /responses', {
      body: '{"model":"a/b","input":"x"}',
    })
    const bytes = await response.arrayBuffer()
    expect(Number(response.headers.get('content-length'))).toBe(bytes.byteLength)
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

  describe('backpressure for a long reply', () => {
    const long = 'Grüße 🌍 '.repeat(250_000)
    const base64 = Buffer.from(long).toString('base64')
    const asText = { 'content-type': 'text/plain' }
    it.each<[string, ScriptedReply, string]>([
      [
        'a long event',
        { frames: [{ event: { type: 'x', long } }] },
        `data: {"type":"x","long":"${long}"}\n\n`,
      ],
      ['a long data line', { frames: [{ data: long }] }, `data: ${long}\n\n`],
      ['bytes', { frames: [{ bytes: long }] }, long],
      ['base64', { frames: [{ base64 }] }, long],
      ['a long text', { headers: asText, body: long }, long],
      ['JSON', { body: { long } }, JSON.stringify({ long })],
    ])(
      'applies to %s: buffers only a slice, and a reader still receives everything',
      async (_, reply, expected) => {
        const gateway = createGateway()
        gateway.use({ on: 'listProviders', reply })
        let most = 0
        const server = createServer((request, response) => {
          const { write } = response
          response.write = (...args: unknown[]) => {
            const result = Reflect.apply(write, response, args)
            most = Math.max(most, response.writableLength)
            return result
          }
          serve(gateway, toNodeCall(request, new NodeSink(response)))
          most = Math.max(most, response.writableLength)
        })
        onTestFinished(() => void server.close())
        await once(server.listen(0, '127.0.0.1'), 'listening')
        const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
        onTestFinished(() => void socket.destroy())
        socket.pause()
        socket.write(head('GET /api/v1/providers'))
        await expect.poll(() => most).toBeGreaterThan(0)
        const { port } = server.address() as AddressInfo
        const whole = await fetch(`http://127.0.0.1:${port}/api/v1/providers`, {
          headers: { authorization: 'Bearer any' },
        })
        expect((await whole.text()) === expected).toBe(true)
        expect(most).toBeLessThan(1024 * 1024)
        socket.destroy()
        await expect
          .poll(() => gateway.journal.entries().every((entry) => entry.delivery !== 'pending'))
          .toBe(true)
      },
    )
  })
})
