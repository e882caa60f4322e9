/**
 * Faults as a raw socket sees them: the bytes, and how the connection ends.
 */
import { connect } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { FaultInput } from '../../src/faults/index.ts'
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

interface Heard {
  bytes: Buffer
  /** As they arrived. */
  chunks: Buffer[]
  /** FIN, RST, or still open after so long a silence. */
  ending: 'FIN' | 'RST' | 'open'
}

/** Sends one request over a socket of its own and listens until the connection ends, or for `listenMs`. */
function listen(body: object | undefined, { listenMs = 2000 } = {}): Promise<Heard> {
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
    const end = (ending: Heard['ending']) => {
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
const use = (fault: FaultInput) => sandbox.use({ on: '*', fault })

/** The chunks of a body, as HTTP cuts it; one where it does not. */
function chunksOf({ bytes }: Heard): Buffer[] {
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

const bodyOf = (heard: Heard) => Buffer.concat(chunksOf(heard))
const events = (heard: Heard) =>
  bodyOf(heard)
    .toString()
    .match(/^data: /gm)?.length ?? 0

describe('before an answer', () => {
  it('timeout keeps the connection open without a byte', async () => {
    use('timeout')
    expect(await listen(undefined, { listenMs: 80 })).toMatchObject({ chunks: [], ending: 'open' })
  })
  it('connection-reset resets it without a byte', async () => {
    use('connection-reset')
    expect(await listen(undefined)).toMatchObject({ chunks: [], ending: 'RST' })
  })
  it('empty-response closes it without a byte', async () => {
    use('empty-response')
    expect(await listen(undefined)).toMatchObject({ chunks: [], ending: 'FIN' })
  })
})

describe('to the answer', () => {
  it('truncated-body promises more bytes than come before the FIN', async () => {
    use({ name: 'truncated-body', atByte: 33 })
    const heard = await listen(undefined)
    expect(heard.ending).toBe('FIN')
    expect(bodyOf(heard)).toHaveLength(33)
    expect(Number(/content-length: (\d+)/i.exec(heard.bytes.toString())?.[1])).toBeGreaterThan(33)
  })
})

describe('to a stream', () => {
  const ending = (heard: Heard) => bodyOf(heard).toString().slice(-14)

  it.each([0, 1, 5, 9])(
    'stream-cut at event %i delivers exactly the events before it, and closes cleanly',
    async (atEvent) => {
      use({ name: 'stream-cut', atEvent })
      const heard = await listen(streamed)
      expect([events(heard), heard.ending]).toEqual([atEvent, 'FIN'])
      // The last chunk is there: for HTTP the body is complete.
      expect(heard.bytes.subarray(-5).toString()).toBe('0\r\n\r\n')
    },
  )

  it.each([0, 1, 5, 9])(
    'stream-reset at event %i delivers exactly the events before it, and resets',
    async (atEvent) => {
      use({ name: 'stream-reset', atEvent })
      const heard = await listen(streamed)
      expect([events(heard), heard.ending]).toEqual([atEvent, 'RST'])
      expect(heard.bytes.toString()).toMatch(/^HTTP\/1.1 200 OK/)
    },
  )

  it('stream-reset at a byte delivers exactly the bytes before it', async () => {
    const whole = bodyOf(await listen(streamed))
    use({ name: 'stream-reset', atByte: 777 })
    const heard = await listen(streamed)
    expect(bodyOf(heard)).toHaveLength(777)
    expect(heard.ending).toBe('RST')
    expect(whole.length).toBeGreaterThan(777)
  })

  it('stream-stall delivers the events before it and stays open', async () => {
    use({ name: 'stream-stall', atEvent: 5 })
    const heard = await listen(streamed, { listenMs: 100 })
    expect([events(heard), heard.ending]).toEqual([5, 'open'])
  })

  it('stream-without-done ends cleanly', async () => {
    use('stream-without-done')
    const heard = await listen(streamed)
    expect(heard.ending).toBe('FIN')
    expect(bodyOf(heard).toString()).not.toContain('[DONE]')
  })

  it('stream-split sends chunks of n bytes', async () => {
    const whole = bodyOf(await listen(streamed))
    use({ name: 'stream-split', bytes: 50 })
    const heard = await listen(streamed)
    expect(chunksOf(heard).length).toBeGreaterThan(whole.length / 51)
    for (const chunk of chunksOf(heard)) expect(chunk.length).toBeLessThanOrEqual(50)
    expect(bodyOf(heard)).toHaveLength(whole.length)
  })

  it('stream-joined sends one chunk', async () => {
    use({ name: 'stream-joined', ms: 20 })
    const heard = await listen(streamed)
    expect(chunksOf(heard)).toHaveLength(1)
    expect(ending(heard)).toBe('data: [DONE]\n\n')
  })

  it('slow-stream sends the head before the first event', async () => {
    use({ name: 'slow-stream', firstEventMs: 10_000 })
    const heard = await listen(streamed, { listenMs: 80 })
    expect(heard.bytes.toString()).toMatch(/^HTTP\/1.1 200 OK\r\n/)
    expect(bodyOf(heard)).toHaveLength(0)
  })
})
