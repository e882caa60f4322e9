/** Tests the recorder and passthrough with upstreams that compress, break, or send unusual heads, and replays. */
import { mkdtemp, readdir, readFile } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import * as zlib from 'node:zlib'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { type ExchangeLine, startRecorder } from '../../../src/extras/recordings/record.ts'
import { parseRecording } from '../../../src/extras/recordings/recording.ts'
import { Redactor } from '../../../src/extras/recordings/redact.ts'
import { createGateway } from '../../../src/index.ts'
import { intercept } from '../../../src/node.ts'
import { startServer } from '../../../src/serve.ts'
import { call } from '../../call.ts'
import { raw, request } from '../../server/raw.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { ask, joined } from './streams.ts'

const root = temporaryFolder()
beforeEach(() => vi.stubEnv('CI', ''))

type Part = string | Uint8Array | ((socket: Socket) => unknown)

/** Starts a server that sends these parts, in separate packets, and then closes the connection. */
async function startRaw(...parts: Part[]) {
  const requests: string[] = []
  const server = createServer((socket) => {
    let received = ''
    socket.on('error', () => {}).setNoDelay(true)
    socket.on('data', async (bytes) => {
      const isFirst = !received.includes('\r\n\r\n')
      received += bytes.toString('latin1')
      const [, head = '', body] = /^(.*?)\r\n\r\n(.*)$/s.exec(received) ?? []
      if (body === undefined || body.length < Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)) return
      if (isFirst || body.length > 0) requests.push(received)
      for (const part of parts) {
        if (typeof part === 'function') await part(socket)
        else socket.write(part)
        await wait(5)
      }
      socket.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()))
  return { url: new URL(`http://127.0.0.1:${port}/api/v1`), requests, [Symbol.asyncDispose]: close }
}

async function startRecording(upstream: URL, maxBytes = 10_000) {
  const recordings = await mkdtemp(join(root, 'recordings-'))
  const lines: ExchangeLine[] = []
  const redactor = new Redactor()
  const onExchange = (line: ExchangeLine) => void lines.push(line)
  const recorder = await startRecorder({ upstream, recordings, redactor, maxBytes, onExchange })
  const read = async () => {
    const texts = (await readdir(recordings)).map((file) => readFile(join(recordings, file), 'utf8'))
    return (await Promise.all(texts)).map((text) => parseRecording(text))
  }
  return { ...recorder, recordings, lines, read }
}

const passthrough = (upstream: URL) =>
  startServer({ recordings: { from: [], upstream: upstream.href }, timeScale: 0 })

const text = JSON.stringify({ answer: 'tide '.repeat(40) })
const head = (encoding: string, bytes: Uint8Array | string) =>
  `HTTP/1.1 200 OK\r\ncontent-encoding: ${encoding}\r\ncontent-length: ${bytes.length}\r\n\r\n`
const broken = 'which cannot be decoded'

describe('a compressed reply', () => {
  it.each([
    ['gzip', zlib.gzipSync(text)],
    ['X-GZIP', zlib.gzipSync(text)],
    ['deflate', zlib.deflateSync(text)],
    ['deflate', zlib.deflateRawSync(text)],
    ['br', zlib.brotliCompressSync(text)],
    ['zstd', zlib.zstdCompressSync(text)],
    ['gzip', zlib.gzipSync(text).subarray(0, 30), 'the reply ends in the middle of its gzip data'],
    ['br', zlib.brotliCompressSync(text).subarray(0, 30), 'the reply ends in the middle of its br data'],
    ['gzip', Buffer.from('plain'), 'the reply is not valid gzip'],
    ['gzip, br', Buffer.from('plain'), `the reply has the content encoding 'gzip, br', ${broken}`],
    ['lzma', Buffer.from('plain'), `the reply has the content encoding 'lzma', ${broken}`],
    ['gzip', zlib.gzipSync(Buffer.alloc(1e6)), 'the reply is too large when decoded'],
  ] as [string, Buffer, string?][])(
    'in %s is passed on, and recorded decoded, or the reason is reported: %#',
    async (encoding, bytes, reason) => {
      await using upstream = await startRaw(head(encoding, bytes), bytes)
      const recorder = await startRecording(upstream.url)
      const received = await ask(recorder.baseUrl, '/responses', { body: {} })
      await recorder.close()
      expect(joined(received.chunks)).toBe(bytes.toString('latin1'))
      expect(received.headers).toMatchObject({
        'content-encoding': encoding,
        'content-length': `${bytes.length}`,
      })
      const [recording] = await recorder.read()
      const outcome = reason === undefined ? { kind: 'recorded' } : { kind: 'not-recorded', reason }
      expect([recorder.lines[0]?.result, recording?.reply?.headers, recording?.chunks]).toMatchObject([
        outcome,
        ...(reason === undefined ? [{}, [{ text }]] : [undefined, undefined]),
      ])
      expect(recording?.reply?.headers ?? {}).toEqual({})
    },
  )
})

describe('a reply', () => {
  const events = 'data: 1\n\n'
  const chunked = `transfer-encoding: chunked\r\n\r\n9\r\n${events}\r\n0\r\n`
  it.each([
    ['204 with a trailer header', 204, '', 'HTTP/1.1 204 No Content\r\ntrailer: x\r\n\r\n'],
    ['304 with a length', 304, '', 'HTTP/1.1 304 Not Modified\r\ntrailer: x\r\ncontent-length: 9\r\n\r\n'],
    ['chunked', 200, events, `HTTP/1.1 200 OK\r\ntrailer: x-sum\r\n${chunked}x-sum: 1\r\n\r\n`],
    ['until the connection closes', 200, 'a', 'HTTP/1.1 200 OK\r\nconnection: close\r\n\r\na'],
    ['of HTTP/1.0', 200, 'a', 'HTTP/1.0 200 OK\r\n\r\na'],
    ['after a 100', 200, 'a', 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na'],
    ['after a 103', 200, 'a', 'HTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\na'],
    ['redirect', 307, '', 'HTTP/1.1 307 Moved\r\nlocation: /api/v1/other\r\ncontent-length: 0\r\n\r\n'],
    ['101', 502, undefined, 'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n'],
    ['in binary', 200, '\xff\x00\xfe', Buffer.from('HTTP/1.1 200 OK\r\n\r\n\xff\x00\xfe', 'latin1')],
  ])('%s passes, is replayed, and ends complete', async (_, status, body, bytes) => {
    await using upstream = await startRaw(bytes)
    const recorder = await startRecording(upstream.url)
    await using passing = await passthrough(upstream.url)
    const received = [await ask(recorder.baseUrl, '/files'), await ask(passing.baseUrl, '/files')]
    await recorder.close()
    const recordings = { from: recorder.recordings, onUnmatched: 'simulate' } as const
    await using replaying = await startServer({ recordings, timeScale: 0 })
    if (status !== 502) received.push(await ask(replaying.baseUrl, '/files'))
    for (const each of received) {
      expect([each.status, each.end, each.headers['trailer']]).toEqual([status, 'fin', undefined])
      if (body !== undefined) expect(joined(each.chunks)).toBe(body)
    }
    for (const { gateway } of [passing, replaying])
      expect(gateway.journal.entries().map(({ delivery }) => delivery)).not.toContain('aborted-by-fault')
  })

  it('of a server that closes idle connections is never mistaken for a reset', async () => {
    await using upstream = await startRaw('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}')
    const recorder = await startRecording(upstream.url)
    for (let index = 0; index < 20; index++) await ask(recorder.baseUrl, `/providers?page=${index}`)
    await recorder.close()
    const statuses = recorder.lines.map(({ result }) => result.kind === 'recorded' && result.status)
    expect(statuses).toEqual(Array(20).fill(200))
  })
})

describe('a request', () => {
  const hop = {
    connection: 'Upgrade, HTTP2-Settings, X-Private, content-length',
    upgrade: 'h2c',
    'http2-settings': 'AAMAAABkAAQAAP__',
    'x-private': '1',
    'keep-alive': 'timeout=9',
    'proxy-connection': 'keep-alive',
    'proxy-authorization': 'Basic YTpi',
    te: 'trailers',
    trailer: 'x-sum',
    expect: '100-continue',
  }

  it('is forwarded without hop-by-hop headers, and gets a 100 if it expects one', async () => {
    const reply = 'HTTP/1.1 200 OK\r\nconnection: x-private\r\nx-private: 1\r\nkeep-alive: timeout=99\r\n'
    await using upstream = await startRaw(`${reply}proxy-authenticate: Basic\r\nx-kept: 1\r\n\r\n{}`)
    const recorder = await startRecording(upstream.url)
    await using server = await passthrough(upstream.url)
    for (const { baseUrl } of [recorder, server]) {
      const { host, port } = new URL(baseUrl)
      const sent = { host, authorization: 'Bearer k', 'content-length': '2', ...hop }
      const client = raw(Number(port), request('POST /api/v1/files', sent))
      await client.until('HTTP/1.1 100 Continue\r\n\r\n')
      client.socket.write('{}')
      const received = await client.until('{}')
      client.socket.destroy()
      expect(received).toMatch(/HTTP\/1\.1 200 OK\r\n(?:.+\r\n)*x-kept: 1/i)
      expect(received).not.toMatch(/^(?:x-private|proxy-authenticate)|timeout=99/im)
    }
    await recorder.close()
    expect(upstream.requests).toHaveLength(2)
    for (const received of upstream.requests) {
      expect(received).toMatch(/\r\ncontent-length: 2\r\n(?:.+\r\n)*\r\n\{\}$/i)
      expect(received).not.toMatch(/^(?:upgrade|http2|x-private|keep-alive|proxy-|te:|trailer|expect)/im)
    }
  })

  it.each(['HEAD', 'OPTIONS', 'DELETE', 'M-SEARCH'])('with %s is recorded and replayed', async (method) => {
    const length = method === 'HEAD' ? 99 : 2
    const reply = `HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n`
    await using upstream = await startRaw(method === 'HEAD' ? reply : `${reply}{}`)
    const recorder = await startRecording(upstream.url)
    await ask(recorder.baseUrl, '/providers', { method })
    await recorder.close()
    await using server = await startServer({ recordings: recorder.recordings, timeScale: 0 })
    const { status, headers, chunks } = await ask(server.baseUrl, '/providers', { method })
    const body = method === 'HEAD' ? '' : '{}'
    expect([status, headers['content-length'], joined(chunks)]).toEqual([200, `${length}`, body])
    expect((await ask(server.baseUrl, '/providers')).status).toBe(404)
  })

  it('with a compressed body is forwarded as sent, and recorded and replayed decoded', async () => {
    await using upstream = await startRaw('HTTP/1.1 200 OK\r\n\r\nok')
    const recorder = await startRecording(upstream.url)
    await using passing = await passthrough(upstream.url)
    const bodies: [string, Uint8Array][] = [
      ['gzip', zlib.gzipSync('{"a":1}')],
      ['gzip', Buffer.from('plain')],
      ['gzip', zlib.gzipSync(Buffer.alloc(1e6))],
      ['gzip, br', Buffer.from('plain')],
    ]
    const send = async (baseUrl: string, path: string, [encoding, body]: [string, Uint8Array]) => {
      const headers = { authorization: 'Bearer k', 'content-encoding': encoding, 'content-type': 'image/png' }
      return (await fetch(baseUrl + path, { method: 'POST', headers, body: Buffer.from(body) })).text()
    }
    for (const body of bodies)
      for (const { baseUrl } of [recorder, passing])
        for (const path of ['/files', '/responses']) expect(await send(baseUrl, path, body)).toBe('ok')
    await recorder.close()
    const sent = upstream.requests.map((received) => received.slice(received.indexOf('\r\n\r\n') + 4))
    expect(new Set(sent)).toEqual(new Set(bodies.map(([, body]) => Buffer.from(body).toString('latin1'))))
    expect(
      recorder.lines.map(({ result }) => (result.kind === 'not-recorded' ? result.reason : '')).sort(),
    ).toEqual(
      [
        ...Array(2).fill(''),
        ...Array(2).fill(`the request has the content encoding 'gzip, br', ${broken}`),
        ...Array(2).fill('the request is not valid gzip'),
        ...Array(2).fill('the request is too large when decoded'),
      ].sort(),
    )
    await using server = await startServer({ recordings: recorder.recordings, timeScale: 0 })
    expect(await send(server.baseUrl, '/responses', bodies[0] as [string, Uint8Array])).toBe('ok')
    expect((await call(server, 'POST /files', { body: { a: 1 } })).text).toBe('ok')
  })

  it('with a key in its path is printed and stored without the key', async () => {
    const key = `sk-or-v1-${'0123456789abcdef'.repeat(4)}`
    await using upstream = await startRaw('HTTP/1.1 200 OK\r\n\r\nok')
    const recorder = await startRecording(upstream.url)
    await ask(recorder.baseUrl, `/keys/${key}/rotate?old=${key}`)
    await ask(recorder.baseUrl, `/${'long/'.repeat(200)}`)
    await recorder.close()
    expect(recorder.lines.map(({ result }) => result.kind)).toEqual(['recorded', 'recorded'])
    const files = await readdir(recorder.recordings)
    expect(JSON.stringify([recorder.lines, files, await recorder.read()])).not.toContain(key.slice(9, 40))
  })
})

describe('passthrough', () => {
  it('sends binary bodies as they are, and none that it has not read', async () => {
    await using upstream = await startRaw('HTTP/1.1 200 OK\r\n\r\n\xff')
    await using server = await startServer({
      recordings: { from: [], upstream: upstream.url.href },
      limits: { requestBodyBytes: 4 },
    })
    const headers = { authorization: 'Bearer k' }
    const post = (body: number[]) =>
      fetch(`${server.baseUrl}/files`, { method: 'POST', headers, body: new Uint8Array(body) })
    expect((await post([255, 0, 254])).status).toBe(200)
    expect((await post([1, 2, 3, 4, 5])).status).toBe(413)
    expect(upstream.requests.map((received) => received.slice(-3))).toEqual(['\xff\x00\xfe'])
  })

  it('disconnects from the upstream if the client does', async () => {
    const closed = Promise.withResolvers<void>()
    await using upstream = await startRaw('HTTP/1.1 200 OK\r\n\r\ndata: 1\n\n', async (socket) => {
      await vi.waitUntil(() => socket.closed)
      closed.resolve()
    })
    await using server = await passthrough(upstream.url)
    await ask(server.baseUrl, '/responses', { body: {} }, (_, stop) => stop())
    await closed.promise
    await vi.waitUntil(() => server.gateway.journal.entries()[0]?.delivery === 'aborted-by-client')
  })

  it('is not intercepted', async () => {
    await using upstream = await startRaw('HTTP/1.1 200 OK\r\n\r\nok')
    const { href } = upstream.url
    const gateway = createGateway({ baseUrl: href, recordings: { from: [], upstream: href } })
    const interception = intercept(gateway)
    const headers = { authorization: 'Bearer k', 'content-type': 'application/json' }
    const sent = fetch(`${href}/responses`, { method: 'POST', headers, body: '{}' })
    expect(await sent.then((reply) => reply.text()).finally(() => interception.close())).toBe('ok')
  })

  it('reports a reply that cannot be decoded', async () => {
    await using upstream = await startRaw(head('gzip', 'plain'), 'plain')
    const gateway = createGateway({ recordings: { from: [], upstream: upstream.url.href } })
    await expect(call(gateway, 'POST /responses', { body: {} })).rejects.toThrow()
    expect(gateway.journal.entries()[0]?.warnings.at(-1)).toBe(
      `The reply from ${upstream.url.href} is not valid gzip`,
    )
  })
})
