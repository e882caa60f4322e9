/**
 * Tests the recorder on a socket: exchanges pass through unchanged, and recordings contain every byte and
 * chunk boundary.
 */
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { zstdCompressSync } from 'node:zlib'
import { describe, expect, it, vi } from 'vitest'
import {
  type ExchangeLine,
  type RecorderSetup,
  startRecorder,
} from '../../../src/extras/recordings/record.ts'
import { bytesOf, parseRecording, type Recording } from '../../../src/extras/recordings/recording.ts'
import { Redactor } from '../../../src/extras/recordings/redact.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import {
  ask,
  joined,
  splitPoints,
  startHeldStream,
  startStreams,
  startUpstream,
  syntheticStreams,
} from './streams.ts'

const root = temporaryFolder()

let folders = 0

/** Starts a recorder with its own folder in front of an upstream. */
async function record(upstream: URL, setup: Partial<RecorderSetup> = {}) {
  const out = setup.recordings ?? join(root, String(++folders))
  const lines: ExchangeLine[] = []
  const recorder = await startRecorder({
    upstream,
    recordings: out,
    redactor: new Redactor(),
    onExchange: (line) => lines.push(line),
    ...setup,
  })
  return { ...recorder, out, lines }
}

async function recordingsIn(folder: string): Promise<Map<string, Recording>> {
  const files = await readdir(folder)
  const recordings = files.map(
    async (file) => [file, parseRecording(await readFile(join(folder, file), 'utf8'), file)] as const,
  )
  return new Map(await Promise.all(recordings))
}

const chunksOf = (recording: Recording | undefined) =>
  (recording?.chunks ?? []).map((chunk) => ({ ms: chunk.ms, bytes: bytesOf(chunk) }))

describe('the recorder', () => {
  it('records and forwards streams of three protocols with every byte and chunk boundary', async () => {
    const streams = syntheticStreams(12)
    await using upstream = await startStreams(streams)
    const recorder = await record(upstream.url)
    const received = await Promise.all(streams.map(({ path, body }) => ask(recorder.baseUrl, path, { body })))
    await recorder.close()

    const recordings = [...(await recordingsIn(recorder.out)).values()]
    expect(recordings).toHaveLength(streams.length)
    for (const [index, stream] of streams.entries()) {
      const recording = recordings.find(
        ({ request }) => JSON.stringify(request?.json) === JSON.stringify(stream.body),
      )
      expect(joined(received[index]?.chunks ?? [])).toBe(joined(stream.chunks))
      expect(received[index]?.end).toBe(stream.end)
      expect(joined(chunksOf(recording))).toBe(joined(stream.chunks))
      expect(splitPoints(chunksOf(recording))).toEqual(splitPoints(received[index]?.chunks ?? []))
      expect(recording?.end?.end).toBe(stream.end)
    }
  })

  it.each([false, true])(
    'forwards and records each chunk immediately, compressed: %s',
    async (isCompressed) => {
      await using upstream = await startHeldStream(isCompressed)
      const recorder = await record(upstream.url)
      await ask(recorder.baseUrl, '/responses', { body: {} }, ({ chunks }) => {
        if (chunks.length === 1) upstream.finish()
      })
      await recorder.close()
      const [recording] = (await recordingsIn(recorder.out)).values()
      expect(chunksOf(recording).map(({ bytes }) => Buffer.from(bytes).toString())).toEqual([
        'data: first\n\n',
        'data: [DONE]\n\n',
      ])
    },
  )

  it('records a compressed stream that other bytes follow', async () => {
    const text = Array.from({ length: 2000 }, (_, index) => `data: ${index}\n\n`).join('')
    const sent = Buffer.concat([zstdCompressSync(text), Buffer.alloc(40, 7)])
    await using upstream = await startUpstream(async (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'zstd' })
      for (let at = 0; at < sent.length; at += 10) {
        response.write(sent.subarray(at, at + 10))
        await setImmediate()
      }
      response.end()
    })
    const recorder = await record(upstream.url)
    await ask(recorder.baseUrl, '/responses', { body: {} })
    await recorder.close()
    const [recording] = (await recordingsIn(recorder.out)).values()
    expect(Buffer.concat(chunksOf(recording).map(({ bytes }) => bytes)).toString()).toBe(text)
  })

  it('keeps the recording if the client disconnects after [DONE], which may be split', async () => {
    const { promise: left, resolve: leave } = Promise.withResolvers<void>()
    await using upstream = await startUpstream(async (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: [DO')
      await new Promise((resolve) => setTimeout(resolve, 5))
      response.write('NE]\n\n')
      await left
      response.write(': bye\n\n')
      response.end()
    })
    const recorder = await record(upstream.url)
    await ask(recorder.baseUrl, '/responses', { body: {} }, ({ chunks }, stop) => {
      if (joined(chunks).includes('NE]')) stop()
    })
    setTimeout(leave, 10)
    await recorder.close()
    const [recording] = (await recordingsIn(recorder.out)).values()
    expect(joined(chunksOf(recording))).toBe('data: [DONE]\n\n: bye\n\n')
    expect(recording?.end?.end).toBe('fin')
  })

  it.each([
    ['before the last event', 'data: {"type":"response.created"}\n\n', {}],
    ['after [DONE] if the upstream does not end the stream in time', 'data: [DONE]\n\n', { graceMs: 10 }],
  ])('reports a client that disconnects %s, and disconnects from the upstream', async (_, event, setup) => {
    const { promise: closed, resolve } = Promise.withResolvers<unknown>()
    await using upstream = await startUpstream((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(event)
      response.on('close', resolve)
    })
    const recorder = await record(upstream.url, setup)
    await ask(recorder.baseUrl, '/responses', { body: {} }, (_received, stop) => stop())
    await closed
    await recorder.close(60_000)
    const [recording] = (await recordingsIn(recorder.out)).values()
    expect(recording?.end?.end).toBe('aborted-by-client')
  })

  it('reports and resets an exchange whose upstream stops sending', async () => {
    await using upstream = await startUpstream((_, response) => void response.writeHead(200).write('{'))
    const recorder = await record(upstream.url, { idleMs: 30 })
    const received = await ask(recorder.baseUrl, '/providers')
    await recorder.close(60_000)
    expect([joined(received.chunks), received.end]).toEqual(['{', 'reset'])
    const [recording] = (await recordingsIn(recorder.out)).values()
    expect(recording).toMatchObject({ chunks: [{ text: '{' }], end: { end: 'idle', bytes: 1 } })
  })

  it('records a reply whose connection ends before its last byte', async () => {
    await using upstream = await startUpstream((_, response) => {
      response.writeHead(200, { 'content-length': '9' }).write('{')
      setTimeout(() => response.socket?.end(), 5)
    })
    const recorder = await record(upstream.url)
    const received = await ask(recorder.baseUrl, '/providers')
    await recorder.close(60_000)
    expect([joined(received.chunks), received.end]).toEqual(['{', 'reset'])
    const [recording] = (await recordingsIn(recorder.out)).values()
    expect(recording).toMatchObject({ chunks: [{ text: '{' }], end: { end: 'reset' } })
  })

  it('records milliseconds since the request was sent', async () => {
    let now = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
    try {
      await using upstream = await startUpstream((_, response) => {
        now = 1250.128
        response.end('{}')
      })
      const recorder = await record(upstream.url)
      const sent = request(`${recorder.baseUrl}/responses`, { method: 'POST' })
      sent.flushHeaders()
      await new Promise((resolve) => setTimeout(resolve, 10))
      now = 1000
      sent.end('{}')
      const [reply] = await once(sent, 'response')
      await reply.toArray()
      await recorder.close()
      const [recording] = (await recordingsIn(recorder.out)).values()
      const { reply: head, chunks, end } = recording ?? {}
      expect([head?.ms, ...(chunks ?? []).map(({ ms }) => ms), end?.ms]).toEqual([250.13, 250.13, 250.13])
    } finally {
      clock.mockRestore()
    }
  })

  it('reports a client that disconnects before its request is complete', async () => {
    await using upstream = await startUpstream(() => {})
    const recorder = await record(upstream.url)
    const sent = request(`${recorder.baseUrl}/responses`, { method: 'POST' })
    sent.write('{')
    await once(sent, 'socket')
    await new Promise((resolve) => setTimeout(resolve, 10))
    sent.on('error', () => {}).destroy()
    await vi.waitUntil(() => recorder.lines.length > 0)
    await recorder.close()
    expect(recorder.lines.map(({ result }) => result)).toEqual([
      { kind: 'not-recorded', reason: 'the request is incomplete' },
    ])
  })

  it('resets open exchanges when graceMs has passed after close()', async () => {
    await using upstream = await startHeldStream()
    const recorder = await record(upstream.url, { graceMs: 10 })
    const received = ask(recorder.baseUrl, '/providers')
    await vi.waitUntil(() => upstream.requests.length === 1)
    await recorder.close()
    expect((await received).end).toBe('reset')
    expect(recorder.lines[0]?.result.kind).toBe('recorded')
  })

  it('sends requests with TLS to an https upstream', async () => {
    const server = createServer((socket) => {
      socket.once('data', ([first]) => {
        bytes.push(first)
        socket.destroy()
      })
    })
    const bytes: unknown[] = []
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as { port: number }
    const recorder = await record(new URL(`https://127.0.0.1:${port}/api/v1`))
    await ask(recorder.baseUrl, '/providers')
    await recorder.close()
    server.close()
    // A TLS handshake record.
    expect(bytes).toEqual([22])
  })

  it('numbers repeated requests, and records only new requests by default', async () => {
    let calls = 0
    await using upstream = await startUpstream((_, response) => void response.end(`{"call":${++calls}}`))
    const first = await record(upstream.url)
    await ask(first.baseUrl, '/providers')
    await ask(first.baseUrl, '/providers')
    await first.close()
    const names = [...(await recordingsIn(first.out)).keys()].sort()
    expect(names).toEqual([
      expect.stringMatching(/^listProviders-[0-9a-f]{16}\.2\.recording\.jsonl$/),
      expect.stringMatching(/^listProviders-[0-9a-f]{16}\.recording\.jsonl$/),
    ])

    const again = await record(upstream.url, { recordings: first.out })
    await ask(again.baseUrl, '/providers')
    await again.close()
    expect(again.lines[0]?.result).toEqual({
      kind: 'not-recorded',
      reason: 'the request is already recorded',
    })

    const all = await record(upstream.url, { recordings: first.out, all: true })
    await ask(all.baseUrl, '/providers')
    await all.close()
    const [recording, ...others] = (await recordingsIn(first.out)).values()
    expect(others).toEqual([])
    expect(recording?.chunks).toMatchObject([{ text: '{"call":4}' }])
  })

  it('forwards headers before the body arrives, including repeated ones, but no hop-by-hop headers', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    await using upstream = await startUpstream(async (_, response) => {
      response.writeHead(
        201,
        'Made',
        [
          ['Set-Cookie', 'a=1'],
          ['Set-Cookie', 'b=2'],
          ['X-Own', 'c'],
          ['Upgrade', 'none'],
          ['Keep-Alive', 'timeout=9'],
          ['X-Last', 'd'],
        ].flat(),
      )
      response.flushHeaders()
      await promise
      response.end('{}')
    })
    const recorder = await record(upstream.url)
    const response = await fetch(`${recorder.baseUrl}/providers?a=1?b`, {
      headers: { 'x-asked': 'e', te: 'trailers', 'accept-encoding': 'gzip' },
    })
    resolve()
    expect([response.status, response.statusText, await response.text()]).toEqual([201, 'Made', '{}'])
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    expect(['x-own', 'x-last', 'upgrade'].map((name) => response.headers.get(name))).toEqual(['c', 'd', null])
    expect(response.headers.get('keep-alive')).not.toBe('timeout=9')
    await recorder.close()
    expect(upstream.requests[0]).toMatchObject({ method: 'GET', url: '/api/v1/providers?a=1?b' })
    expect(upstream.requests[0]?.headers).toMatchObject({ 'x-asked': 'e', 'accept-encoding': 'identity' })
    expect(upstream.requests[0]?.headers).not.toHaveProperty('te')
    const [[file, recording] = []] = await recordingsIn(recorder.out)
    expect(recorder.lines).toEqual([
      {
        method: 'GET',
        path: '/providers',
        result: { kind: 'recorded', file, status: 201, chunks: 1, ms: expect.any(Number) },
      },
    ])
    expect(recording).toMatchObject({
      request: { query: '?a=1?b' },
      reply: { status: 201 },
      chunks: [{ text: '{}' }],
    })
  })

  it.each([
    ['a request one byte larger', 'x'.repeat(101), 5, 'the request is larger than 0 MB'],
    ['a reply one byte larger', '{}', 101, 'the reply is larger than 0 MB'],
    ['a request and a reply of exactly maxBytes', 'x'.repeat(100), 100, undefined],
  ])('forwards %s, and records it or reports the reason', async (_, body, length, reason) => {
    await using upstream = await startUpstream((_request, response) => void response.end('y'.repeat(length)))
    const recorder = await record(upstream.url, { maxBytes: 100 })
    const received = await ask(recorder.baseUrl, '/responses', { body })
    await recorder.close()
    expect(joined(received.chunks)).toBe('y'.repeat(length))
    const result = reason === undefined ? { kind: 'recorded' } : { kind: 'not-recorded', reason }
    expect(recorder.lines).toMatchObject([{ result }])
    expect((await recordingsIn(recorder.out)).size).toBe(reason === undefined ? 1 : 0)
  })

  it('returns 502 and records nothing if the upstream is unreachable', async () => {
    const upstream = await startUpstream(() => {})
    await upstream[Symbol.asyncDispose]()
    const recorder = await record(upstream.url)
    const received = await ask(recorder.baseUrl, '/providers')
    await recorder.close()
    expect(received.status).toBe(502)
    expect(joined(received.chunks)).toContain(
      `The recorder cannot reach ${upstream.url.origin}: ECONNREFUSED`,
    )
    expect(recorder.lines[0]?.result).toEqual({
      kind: 'not-recorded',
      reason: 'the upstream cannot be reached',
    })
    expect(await readdir(recorder.out)).toEqual([])
  })

  it('records a connection that breaks before a reply', async () => {
    await using upstream = await startUpstream((_, response) => void response.socket?.resetAndDestroy())
    const recorder = await record(upstream.url)
    const received = await ask(recorder.baseUrl, '/providers')
    await recorder.close()
    expect(received).toMatchObject({ status: 0, end: 'reset' })
    const [recording] = (await recordingsIn(recorder.out)).values()
    expect(recording).toMatchObject({ chunks: [], end: { end: 'reset', bytes: 0 } })
    expect(recording?.reply).toBeUndefined()
  })

  it('rejects cross-origin pages', async () => {
    await using upstream = await startUpstream((_, response) => void response.end('{}'))
    const recorder = await record(upstream.url)
    const received = await ask(recorder.baseUrl, '/providers', {
      headers: { origin: 'https://evil.example' },
    })
    await recorder.close()
    expect(received.status).toBe(403)
    expect(upstream.requests).toEqual([])
  })
})
