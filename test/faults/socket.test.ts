/** Tests faults on a raw socket: the exact bytes, and how the connection ends. */
import { connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Fault } from '../../src/faults/index.ts'
import type { Sandbox } from '../../src/index.ts'
import { type RunningServer, startServer } from '../../src/serve.ts'

let server: RunningServer
let sandbox: Sandbox

beforeAll(async () => {
  server = await startServer()
})
beforeEach(() => {
  sandbox = server.gateway.createSandbox() as Sandbox
})
afterAll(() => server.close())

interface Received {
  bytes: Buffer
  /** Chunks in order of arrival. */
  chunks: Buffer[]
  /** `open` if the connection is still open after `listenMs`. */
  ending: 'FIN' | 'RST' | 'open'
}

/** Sends one request over a new socket. Reads until the connection ends or `listenMs` have passed. */
function listen(body: object | undefined, { listenMs = 2000 } = {}): Promise<Received> {
  const text = body && JSON.stringify(body)
  const head = [
    body ? 'POST /api/v1/responses HTTP/1.1' : 'GET /api/v1/providers HTTP/1.1',
    'host: 127.0.0.1',
    `authorization: Bearer ${sandbox.apiKey}`,
    ...(text ? ['content-type: application/json', `content-length: ${Buffer.byteLength(text)}`] : []),
    'connection: close',
  ]
  return new Promise((resolve) => {
    const socket = connect(server.port, '127.0.0.1')
    const chunks: Buffer[] = []
    const end = (ending: Received['ending']) => {
      clearTimeout(timer)
      socket.destroy()
      resolve({ bytes: Buffer.concat(chunks), chunks, ending })
    }
    const timer = setTimeout(() => end('open'), listenMs)
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('end', () => end('FIN'))
    socket.on('error', (error: NodeJS.ErrnoException) => end(error.code === 'ECONNRESET' ? 'RST' : 'FIN'))
    socket.write(`${head.join('\r\n')}\r\n\r\n${text ?? ''}`)
  })
}

const streamed = { model: 'aurora/dawn-1', input: 'Why is the sky blue?', stream: true }
const use = (fault: Fault) => sandbox.use({ on: '*', fault })

/** Returns a body's HTTP chunks, or the whole body if it is not chunked. */
function chunksOf({ bytes }: Received): Buffer[] {
  const start = bytes.indexOf('\r\n\r\n') + 4
  const head = bytes.subarray(0, start).toString().toLowerCase()
  if (!head.includes('transfer-encoding: chunked')) return [bytes.subarray(start)]
  const chunks: Buffer[] = []
  for (let at = start; at < bytes.length; ) {
    const line = bytes.indexOf('\r\n', at)
    const size = Number.parseInt(bytes.subarray(at, line).toString(), 16)
    if (size > 0) chunks.push(bytes.subarray(line + 2, line + 2 + size))
    at = line + 2 + size + 2
  }
  return chunks
}

const bodyOf = (received: Received) => Buffer.concat(chunksOf(received))
const events = (received: Received) =>
  bodyOf(received)
    .toString()
    .match(/^data: /gm)?.length ?? 0

describe('faults before the reply, on a socket', () => {
  it('timeout: keeps the connection open and sends nothing', async () => {
    use('timeout')
    expect(await listen(undefined, { listenMs: 80 })).toMatchObject({ chunks: [], ending: 'open' })
  })
  it('connection-reset: sends nothing, then RST', async () => {
    use('connection-reset')
    expect(await listen(undefined)).toMatchObject({ chunks: [], ending: 'RST' })
  })
  it('empty-response: sends nothing, then FIN', async () => {
    use('empty-response')
    expect(await listen(undefined)).toMatchObject({ chunks: [], ending: 'FIN' })
  })
})

describe('faults in the body, on a socket', () => {
  it('truncated-body: announces more bytes in Content-Length than it sends before FIN', async () => {
    use({ name: 'truncated-body', afterBytes: 33 })
    const received = await listen(undefined)
    expect(received.ending).toBe('FIN')
    expect(bodyOf(received)).toHaveLength(33)
    expect(Number(/content-length: (\d+)/i.exec(received.bytes.toString())?.[1])).toBeGreaterThan(33)
  })
})

describe('stream faults on a socket', () => {
  const ending = (received: Received) => bodyOf(received).toString().slice(-14)

  it.each([0, 1, 5, 9])(
    'stream-cut at event %i: sends exactly the events before it, then FIN',
    async (afterEvents) => {
      use({ name: 'stream-cut', afterEvents })
      const received = await listen(streamed)
      expect([events(received), received.ending]).toEqual([afterEvents, 'FIN'])
      // The terminating chunk was sent, so the body is complete in terms of HTTP.
      expect(received.bytes.subarray(-5).toString()).toBe('0\r\n\r\n')
    },
  )

  it.each([0, 1, 5, 9])(
    'stream-reset at event %i: sends exactly the events before it, then RST',
    async (afterEvents) => {
      use({ name: 'stream-reset', afterEvents })
      const received = await listen(streamed)
      expect([events(received), received.ending]).toEqual([afterEvents, 'RST'])
      expect(received.bytes.toString()).toMatch(/^HTTP\/1.1 200 OK/)
    },
  )

  it('stream-reset at a byte: sends exactly the bytes before it', async () => {
    const whole = bodyOf(await listen(streamed))
    use({ name: 'stream-reset', afterBytes: 777 })
    const received = await listen(streamed)
    expect(bodyOf(received)).toHaveLength(777)
    expect(received.ending).toBe('RST')
    expect(whole.length).toBeGreaterThan(777)
  })

  it('stream-stall: sends the events before the stall and keeps the connection open', async () => {
    use({ name: 'stream-stall', afterEvents: 5 })
    const received = await listen(streamed, { listenMs: 500 })
    expect([events(received), received.ending]).toEqual([5, 'open'])
  })

  it('stream-joined: sends one chunk', async () => {
    use({ name: 'stream-joined', ms: 20 })
    const received = await listen(streamed)
    expect(chunksOf(received)).toHaveLength(1)
    expect(ending(received)).toBe('data: [DONE]\n\n')
  })

  it('slow-stream: sends the response head before the first event', async () => {
    use({ name: 'slow-stream', firstToken: 10_000 })
    const received = await listen(streamed, { listenMs: 80 })
    expect(received.bytes.toString()).toMatch(/^HTTP\/1.1 200 OK\r\n/)
    expect(bodyOf(received)).toHaveLength(0)
  })
})
