/**
 * Tests replay: recorded replies are sent byte by byte and chunk by chunk, and unmatched requests get a clear
 * error.
 */

import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { startRecorder } from '../../../src/extras/recordings/record.ts'
import { toChunk } from '../../../src/extras/recordings/recording.ts'
import { Redactor, toRedactor } from '../../../src/extras/recordings/redact.ts'
import {
  createGateway,
  expectSandbox,
  type GatewayOptions,
  parseRecording,
  type Recording,
} from '../../../src/index.ts'
import type { ScenarioPath } from '../../../src/scenarios/names.ts'
import { startServer } from '../../../src/serve.ts'
import { call, open, type Target } from '../../call.ts'
import { describeAdapters } from '../../describe-adapters.ts'
import { hasExtra } from '../../has-extra.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { recordingOf, requestOf } from './samples.ts'
import {
  ask,
  joined,
  splitPoints,
  startHeldStream,
  startStreams,
  startUpstream,
  syntheticStreams,
  type Upstream,
} from './streams.ts'

const root = temporaryFolder()
let folders = 0
beforeEach(() => vi.stubEnv('CI', ''))

/** Records some calls and returns the folder. */
async function recorded(upstream: URL, calls: readonly { path: string; body?: unknown }[]): Promise<string> {
  const out = join(root, String(++folders))
  const recorder = await startRecorder({ upstream, recordings: out, redactor: new Redactor() })
  for (const { path, body } of calls) await ask(recorder.baseUrl, path, { body })
  await recorder.close()
  return out
}

/** Records the replies of a small upstream and returns the folder. */
async function simple(calls: readonly { path: string; body?: unknown }[]): Promise<string> {
  let count = 0
  await using upstream = await startUpstream((_, response) => {
    response.writeHead(200, {
      'content-type': 'application/json',
      'set-cookie': 'session=1',
      'x-ratelimit-limit': '9',
    })
    response.end(`{"answer":${++count}}`)
  })
  return await recorded(upstream.url, calls)
}

const post = ({ fetch }: Target, path: string, body: unknown, headers = {}) =>
  call({ fetch }, `POST ${path}`, { body, headers })

const hello = { model: 'aurora/dawn-2', input: 'Hello' }
const replaying = (from: string, options: object = {}) =>
  createGateway({ recordings: { from, ...options }, timeScale: 0 })

/** Streams of three protocols, with comments, CR LF, split characters, errors and resets. */
const streams = syntheticStreams(21, 7)
const recordings = streams.map(({ path, body, chunks, end }) => {
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.bytes.length, 0)
  return recordingOf(
    chunks.map((chunk) => toChunk(1, chunk.bytes)),
    {
      request: requestOf(body, { path }),
      type: 'text/event-stream',
      end: { end, ms: 1, bytes },
    },
  )
})

describeAdapters('recorded streams', { recordings, timeScale: 0 }, (entrance) => {
  it('are replayed with every byte, and end as recorded', async () => {
    for (const { path, body, chunks, end } of streams) {
      const response = await entrance.open(`POST ${path}`, { body })
      const received: { bytes: Uint8Array }[] = []
      let ending = 'fin'
      try {
        for await (const bytes of response.body ?? []) received.push({ bytes })
      } catch {
        ending = 'reset'
      }
      expect(joined(received)).toBe(joined(chunks))
      expect(ending).toBe(end)
    }
  })
})

describe('recordings', () => {
  it('are replayed on a socket with their bytes, chunk boundaries and ending', async () => {
    const some = streams.slice(0, 6)
    await using upstream = await startStreams(some)
    const out = await recorded(upstream.url, some)
    await using server = await startServer({ recordings: out, timeScale: 2 })
    const received = await Promise.all(some.map(({ path, body }) => ask(server.baseUrl, path, { body })))
    for (const [index, stream] of some.entries()) {
      expect(joined(received[index]?.chunks ?? [])).toBe(joined(stream.chunks))
      expect(splitPoints(received[index]?.chunks ?? [])).toEqual(splitPoints(stream.chunks))
      expect(received[index]?.end).toBe(stream.end)
    }
  })

  it('are replayed at the recorded times, scaled, even if a rule has delayed the request', async () => {
    const recording = recordingOf(['a', { ms: 300, text: 'b' }], {
      request: requestOf(hello, { path: '/responses' }),
      reply: { ms: 100, status: 200, headers: {} },
      end: { end: 'fin', ms: 400, bytes: 2 },
    })
    const { reply: _, ...unanswered } = recording
    const reset = { ...unanswered, chunks: [], end: { end: 'reset', ms: 100, bytes: 0 } } as Recording
    /** Returns the status, the chunks and the ending, each with its time in milliseconds. */
    const timeline = async (timeScale: number, given = recording, delayMs = 0) => {
      vi.useFakeTimers({ now: -500 })
      vi.advanceTimersByTime(500)
      const gateway = createGateway({ recordings: [given], timeScale })
      if (delayMs > 0) gateway.use({ on: '*', fault: { name: 'latency', ms: delayMs } })
      const seen: (string | number)[] = []
      const note = (what: string) => void seen.push(what, Date.now())
      const receive = async () => {
        const response = await open(gateway, 'POST /responses', { body: hello })
        note(String(response.status))
        for await (const bytes of response.body ?? []) note(new TextDecoder().decode(bytes))
        note('end')
      }
      let isOver = false
      const received = receive()
        .catch(() => note('reset'))
        .finally(() => {
          isOver = true
        })
      for (let ms = 0; ms <= 1000 && !isOver; ms += 10) await vi.advanceTimersByTimeAsync(10)
      await received
      vi.useRealTimers()
      return seen.join(' ')
    }
    expect(await timeline(1)).toBe('200 100 a 100 b 300 end 400')
    expect(await timeline(0.5)).toBe('200 50 a 50 b 150 end 200')
    expect(await timeline(0.5, recording, 60)).toBe('200 50 a 50 b 150 end 200')
    expect(await timeline(0)).toBe('200 0 a 0 b 0 end 0')
    expect(await timeline(0.5, reset)).toBe('reset 50')
  })

  it('reply to unknown paths and methods, and are numbered in the order in which they are given', async () => {
    const given = ['/nowhere', '/providers', '/providers'].map((path, index) =>
      recordingOf([`${index}`], { request: requestOf({ a: 1 }, { path, method: 'DELETE' }) }),
    )
    const gateway = createGateway({ recordings: { from: given, ignoreFields: ['own'] }, timeScale: 0 })
    const texts = []
    for (const path of ['/nowhere', '/providers', '/providers'])
      texts.push((await call(gateway, `DELETE ${path}`, { body: { own: 2, a: 1 } })).text)
    expect(texts).toEqual(['0', '1', '2'])
    const { status, body } = await call(gateway, 'DELETE /elsewhere/at/all', { body: { a: 1 } })
    expect([status, body.error.metadata.nearest.recording]).toEqual([404, 'ask.recording.jsonl'])
    const used = await call(gateway, 'DELETE /nowhere', { body: { a: 1 } })
    expect(used.body.error).not.toHaveProperty('metadata')
    expect(used.body.error.message).toMatch(/^The only recording of this DELETE \/nowhere has been replayed/)
  })

  it('still match requests after the secrets in environment variables are unset', async () => {
    await using upstream = await startUpstream((_, response) => void response.end('{"answer":1}'))
    const out = join(root, String(++folders))
    vi.stubEnv('PROJECT_TOKEN', 'apollo "eleven"')
    vi.stubEnv('SHORT_SECRET', 'eagle-11')
    const recorder = await startRecorder({
      upstream: upstream.url,
      recordings: out,
      redactor: toRedactor({}),
    })
    vi.stubEnv('PROJECT_TOKEN', undefined)
    vi.stubEnv('SHORT_SECRET', undefined)
    const path = '/responses?project=eagle-11'
    const body = { ...hello, metadata: { project: 'apollo "eleven"' }, tags: ['eagle-11', 1] }
    await ask(recorder.baseUrl, path, { body })
    await recorder.close()
    const [file = ''] = await readdir(out)
    expect(await readFile(join(out, file), 'utf8')).not.toMatch(/eleven|eagle/)
    const gateway = replaying(out)
    for (const other of [
      { ...body, input: 'Bye' },
      { ...body, tags: [1, 'eagle-11'] },
      { ...body, tags: ['eagle-11', 1, 2] },
      { ...body, tags: { 0: 'eagle-11', 1: 1 } },
      hello,
    ])
      expect((await post(gateway, path, other)).status).toBe(404)
    expect((await post(gateway, '/responses?other=eagle-11', body)).status).toBe(404)
    expect((await post(gateway, path, body)).text).toBe('{"answer":1}')
    expect((await post(gateway, path, body)).status).toBe(404)
  })

  it('reply to repeated requests in order, each recording once, and then return 404', async () => {
    const calls = [{ path: '/responses', body: hello }]
    const gateway = replaying(await simple([...calls, ...calls]))
    expect((await post(gateway, '/responses', hello)).text).toBe('{"answer":1}')
    expect((await post(gateway, '/responses', hello)).text).toBe('{"answer":2}')
    const { status, text } = await post(gateway, '/responses', hello)
    expect(status).toBe(404)
    expect(JSON.parse(text).error.message).toMatch(
      /^All 2 recordings of this POST \/responses have been replayed/,
    )
    expect(gateway.usage()).toMatchObject({ requests: 2, unpriced: 2, cost: 0 })
    gateway.reset()
    expect((await post(gateway, '/responses', hello)).text).toBe('{"answer":1}')
  })

  it('count requests without a recording as unmatched', async () => {
    const gateway = replaying(await simple([{ path: '/responses', body: hello }]))
    await post(gateway, '/responses', hello)
    await post(gateway, '/responses', { ...hello, input: 'Other' })
    expect(gateway.journal.unmatched()).toMatchObject([{ operation: 'createResponse', status: 404 }])
    expect(() => expectSandbox(gateway).toHaveNoUnmatchedRequests()).toThrow(
      "'POST /responses': No recording matches POST /responses",
    )
  })

  it("leave unmatched requests to the simulation with onUnmatched: 'simulate'", async () => {
    const gateway = replaying(await simple([{ path: '/responses', body: hello }]), {
      onUnmatched: 'simulate',
    })
    const { status } = await post(gateway, '/responses', { ...hello, input: 'Other' })
    expect(status).toBe(200)
    expect(gateway.journal.last('createResponse')?.warnings[0]).toContain('No recording matches')
  })

  it('do not replace the text of a rule or a script', async () => {
    const request = requestOf(hello, { path: '/responses' })
    const gateway = createGateway({ recordings: [recordingOf(['recorded'], { request })], timeScale: 0 })
    gateway.reply('ruled', { times: 1 })
    const ask = async () => (await post(gateway, '/responses', hello)).text
    expect(await ask()).toContain('"ruled"')
    expect(await ask()).toBe('recorded')
    gateway.script([{ text: 'scripted' }])
    expect(await ask()).toContain('"scripted"')
  })

  const request = requestOf(hello, { path: '/responses' })
  const { reply: _, ...lost } = recordingOf([], { request, end: 'reset' })

  it('are explained as the rule that replied, and exclude faults that need a reply', async () => {
    const gateway = createGateway({
      recordings: [recordingOf(['recorded'], { request }), lost as Recording],
      timeScale: 0,
    })
    gateway.use({ name: 'slow', rules: [{ on: '*', fault: { name: 'latency', ms: 5 } }] })
    gateway.use({ name: 'cut', rules: [{ on: '*', fault: { name: 'truncated-body', afterBytes: 2 } }] })
    await expect(post(gateway, '/responses', hello)).rejects.toThrow()
    await expect(post(gateway, '/responses', hello)).rejects.toThrow()
    const [first, second] = gateway.journal.entries()
    expect(first?.responseHeaders['x-understudy-scenario']).toBe('ask.recording.jsonl#1, cut#1, slow#1')
    expect(gateway.journal.explain(first?.id ?? '')).toContain('Matched ask.recording.jsonl: recorded reply.')
    expect(second?.rules).toMatchObject([
      { scenario: 'ask.2.recording.jsonl', kind: 'answer', faults: ['connection-reset'] },
      { scenario: 'slow', kind: 'modifier' },
    ])
    expect(gateway.journal.explain(second?.id ?? '')).toContain(
      "Near miss: rule 1 of 'cut' does not act next to ask.2.recording.jsonl: with 'connection-reset', there is no reply for 'truncated-body'.",
    )
  })

  it('warn of faults that cannot act on them, which remain unused', async () => {
    const body = { ...hello, stream: true }
    const stream = requestOf(body, { path: '/responses' })
    for (const [fault, type, why] of [
      ['stream-cut', 'application/json', 'the reply is not an event stream'],
      ['stream-cut', 'text/event-stream', 'the stream has no JSON events'],
      ['json-instead-of-stream', 'text/event-stream', "the reply's format is fixed"],
      ['usage', 'application/json', 'the answer has no usage'],
      ['slow-stream', 'text/event-stream', 'the stream has no later JSON event'],
    ] as const) {
      const given = recordingOf(['data: plain\n\n'], { request: stream, type })
      const gateway = createGateway({ recordings: [given], timeScale: 0 })
      gateway.use({ on: 'createResponse', fault })
      expect((await post(gateway, '/responses', body)).text).toBe('data: plain\n\n')
      const { warnings } = gateway.journal.last('createResponse') ?? {}
      expect([fault, warnings]).toEqual([fault, [`'${fault}' found nothing to act on: ${why}`]])
      expect(gateway.unusedRules()).toHaveLength(1)
    }
  })

  it('change with field faults, as other JSON does, but keep all other bytes', async () => {
    const given = recordingOf(['{"id": "a",', ' "usage": 1}'], { request, type: 'application/json' })
    const gateway = createGateway({ recordings: [given, given], timeScale: 0 })
    gateway.use({ on: '*', fault: 'usage', times: 1 })
    expect((await post(gateway, '/responses', hello)).text).toBe('{"id":"a"}')
    expect((await post(gateway, '/responses', hello)).text).toBe('{"id": "a", "usage": 1}')
  })

  it.runIf(hasExtra('chat'))('of an error leave the request to rules for the next model', async () => {
    const body = { models: ['a/b', 'c/d'], messages: [{ role: 'user', content: 'Hi' }] }
    const error = recordingOf(['{"error":1}'], {
      request: requestOf(body, { path: '/chat/completions' }),
      reply: { ms: 0, status: 503, headers: { 'content-type': 'application/json' } },
    })
    const gateway = createGateway({ recordings: [error, error], timeScale: 0 })
    const ask = async () => (await post(gateway, '/chat/completions', body)).text
    expect(await ask()).toBe('{"error":1}')
    gateway.use({ on: 'createChatCompletion', when: { body: { model: 'c/d' } }, reply: { text: 'fallback' } })
    expect(await ask()).toContain('fallback')
  })

  it('repeat the last one with onEnd', async () => {
    const given = ['1', '2'].map((text) => recordingOf([text], { request }))
    const gateway = createGateway({ recordings: { from: given, onEnd: 'repeat-last' }, timeScale: 0 })
    const texts = []
    for (let count = 0; count < 4; count++) texts.push((await post(gateway, '/responses', hello)).text)
    expect(texts).toEqual(['1', '2', '2', '2'])
    expect((await post(gateway, '/responses', { ...hello, input: 'Other' })).status).toBe(404)
  })

  it('can be used as a scenario, by path or parsed', async () => {
    const out = await simple([{ path: '/responses', body: hello }])
    const [file = ''] = await readdir(out)
    const gateway = createGateway({ timeScale: 0 })
    {
      using used = gateway.use(join(out, file) as ScenarioPath)
      expect(used.name).toMatch(/^recording-createResponse-/)
      expect((await post(gateway, '/responses', hello)).text).toBe('{"answer":1}')
      expect((await post(gateway, '/responses', { ...hello, input: 'Other' })).text).toContain(
        '"object":"response"',
      )
    }
    expect((await post(gateway, '/responses', hello)).text).not.toBe('{"answer":1}')
    const recording = parseRecording(await readFile(join(out, file), 'utf8'))
    gateway.use(recording)
    expect((await post(gateway, '/responses', hello)).text).toBe('{"answer":1}')
  })
})

describe('unmatched requests', () => {
  const passthrough = ({ url }: Upstream): GatewayOptions => ({
    recordings: { upstream: url.href },
  })

  it('are forwarded and streamed with upstream', async () => {
    await using upstream = await startHeldStream()
    const request = requestOf({ ...hello, input: 'Other' }, { path: '/responses' })
    const recordings = { from: [recordingOf(['recorded'], { request })], upstream: upstream.url.href }
    await using server = await startServer({ recordings, timeScale: 0 })
    const received = await ask(server.baseUrl, '/responses', { body: hello }, ({ chunks }) => {
      if (chunks.length === 1) upstream.finish()
    })
    expect(joined(received.chunks)).toBe('data: first\n\ndata: [DONE]\n\n')
    expect(upstream.requests[0]).toMatchObject({ body: JSON.stringify(hello), url: '/api/v1/responses' })
    await call(server, 'GET /providers')
    expect(server.gateway.journal.last('listProviders')?.warnings).toEqual([
      `No recording matches GET /providers. The nearest is ask.recording.jsonl, whose path is /responses, not /providers; forwarded to ${upstream.url.href}`,
    ])

    expect(() => createGateway({ recordings: { onUnmatched: 'passthrough' } })).toThrow(
      "createGateway: options.recordings.upstream is required for onUnmatched: 'passthrough': the base URL of the real gateway",
    )
    expect(() => createGateway({ recordings: { onEnd: 'fail' } })).toThrow(
      'createGateway: options.recordings.onEnd requires options.recordings.from',
    )
  })

  it('are forwarded with upstream alone, unless a rule replies or fails', async () => {
    await using upstream = await startUpstream((_, response) => void response.end('real'))
    const gateway = createGateway(passthrough(upstream))
    gateway.reply('mocked', { when: { body: { model: { matches: '^(?!borealis/)' } } } })
    gateway.use({ on: 'GET /files', fault: { name: 'status', status: 503 } })
    const { model: _, ...others } = hello
    expect((await post(gateway, '/responses', hello)).text).toContain('"mocked"')
    expect((await post(gateway, '/responses', { ...others, model: 'borealis/polar-1' })).text).toBe('real')
    expect((await post(gateway, '/unknown', {})).text).toBe('real')
    expect((await call(gateway, 'GET /files')).status).toBe(503)
    expect(upstream.requests.map(({ url }) => url)).toEqual(['/api/v1/responses', '/api/v1/unknown'])
    const forwarded = ['POST /responses', 'POST /unknown'].map(
      (line) => `No recording of ${line}; forwarded to ${upstream.url.href}`,
    )
    expect(gateway.journal.entries().flatMap(({ warnings }) => warnings)).toEqual(forwarded)
    expect(gateway.journal.unmatched()).toEqual([])
  })

  it('get a 404 if CI is set, unless the upstream is on this machine', async () => {
    vi.stubEnv('CI', 'true')
    const request = requestOf(hello, { path: '/responses' })
    const upstream = 'https://gateway.example/api/v1'
    const recordings = { from: [recordingOf(['recorded'], { request })], upstream }
    const gateway = createGateway({ recordings, timeScale: 0 })
    expect((await post(gateway, '/responses', hello)).text).toBe('recorded')
    const { status, body } = await call(gateway, 'GET /providers')
    expect([status, body.error.message]).toEqual([
      404,
      'No recording matches GET /providers. The nearest is ask.recording.jsonl, whose path is /responses, not /providers. Pass-through is disabled because CI is set: record the request, or unset CI',
    ])
    expect(gateway.journal.unmatched()).toHaveLength(1)

    await using local = await startUpstream((_, response) => void response.end('local'))
    expect((await post(createGateway(passthrough(local)), '/responses', hello)).text).toBe('local')
  })

  it('receive decompressed replies without a content-encoding header', async () => {
    const text = '{"answer":"compressed"}'
    await using upstream = await startUpstream((_, response) => {
      const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip', 'x-other': 'kept' }
      response.writeHead(200, headers).end(gzipSync(text))
    })
    await using server = await startServer(passthrough(upstream))
    const reply = await call(server, 'POST /responses', { body: hello })
    expect([reply.text, reply.headers.get('x-other')]).toEqual([text, 'kept'])
    expect(reply.headers.get('content-encoding')).toBeNull()
  })

  it('get a 502 if the upstream cannot be reached', async () => {
    const upstream = await startUpstream(() => {})
    await upstream[Symbol.asyncDispose]()
    const { href, host } = upstream.url
    const gateway = createGateway(passthrough(upstream))
    const { status, text } = await post(gateway, '/responses', hello)
    expect([status, JSON.parse(text).error.message]).toEqual([
      502,
      `${href} cannot be reached: connect ECONNREFUSED ${host}`,
    ])
  })

  it('are not forwarded in a loop', async () => {
    await using upstream = await startUpstream(async ({ headers }, response) => {
      const again = { [marker]: headers[marker] as string }
      const { status, text } = await call(server, 'POST /responses', { body: hello, headers: again })
      response.writeHead(status, { 'content-type': 'application/json' }).end(text)
    })
    const marker = 'x-understudy-forwarded'
    await using server = await startServer(passthrough(upstream))
    const { status, body } = await call(server, 'POST /responses', { body: hello })
    expect(upstream.requests).toHaveLength(1)
    expect([status, body.error.message]).toEqual([
      502,
      `${upstream.url.href} forwards back to this server: set upstream to the real gateway`,
    ])
  })

  it.each(['the client disconnects', 'a rule cuts the reply'])(
    'are aborted upstream when %s',
    async (why) => {
      const disconnected = Promise.withResolvers<void>()
      await using upstream = await startUpstream((_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        const beat = setInterval(() => response.write('data: more\n\n'), 5)
        response.once('close', () => {
          clearInterval(beat)
          disconnected.resolve()
        })
      })
      await using server = await startServer(passthrough(upstream))
      if (why === 'a rule cuts the reply')
        server.gateway.use({ on: '*', fault: { name: 'stream-cut', afterBytes: 20 } })
      const leaving = new AbortController()
      const response = await open(server, 'POST /responses', {
        body: { model: 'aurora/dawn-2', input: 'Hi', stream: true },
        signal: leaving.signal,
      })
      await response.body?.getReader().read()
      if (why === 'the client disconnects') leaving.abort()
      await disconnected.promise
    },
  )

  it('are aborted upstream if the client disconnects before the reply', async () => {
    const leaving = new AbortController()
    const disconnected = Promise.withResolvers<void>()
    await using upstream = await startUpstream((_, response) => {
      response.once('close', disconnected.resolve)
      leaving.abort()
    })
    const gateway = createGateway(passthrough(upstream))
    const { signal } = leaving
    await expect(open(gateway, 'POST /responses', { body: hello, signal })).rejects.toThrow('aborted')
    await disconnected.promise
  })

  it.runIf(hasExtra('chat'))('are aborted upstream for each model before the next one is tried', async () => {
    const disconnected = Promise.withResolvers<void>()
    let requestCount = 0
    await using upstream = await startUpstream((_, response) => {
      if (requestCount++ > 0) return void response.end('{}')
      response.writeHead(503, { 'content-type': 'application/json' }).write('{"error":')
      return void response.once('close', disconnected.resolve)
    })
    const gateway = createGateway({ ...passthrough(upstream) })
    const models = ['aurora/dawn-2', 'borealis/polar-1']
    const body = { models, messages: [{ role: 'user', content: 'Hi' }] }
    expect((await post(gateway, '/chat/completions', body)).text).toBe('{}')
    await disconnected.promise
  })
})

describe('invalid recordings and replay options', () => {
  it('are reported with their file, line or option', async () => {
    const folder = await mkdtemp(join(root, 'bad-'))
    await writeFile(
      join(folder, 'a.recording.jsonl'),
      '{"recording":1,"operation":"x","key":"k"}\n{"ms":0}\n',
    )
    expect(() => createGateway({ recordings: folder })).toThrow(
      /a\.recording\.jsonl:2: chunks: a chunk must have ms/,
    )
    expect(() => createGateway({ recordings: join(folder, 'none') })).toThrow(
      /^createGateway: options\.recordings: .*no such file or folder/,
    )
    expect(() => createGateway({ recordings: 'x'.repeat(5000) })).toThrow('cannot be read: ENAMETOOLONG')
    const empty = await mkdtemp(join(root, 'empty-'))
    expect(() => createGateway({ recordings: empty })).toThrow(
      'has no .recording.jsonl files. Run gateway-understudy record, or set recordings.onUnmatched',
    )
    await writeFile(join(empty, 'n.har'), '{}')
    expect(() => createGateway({ recordings: `${empty}/` })).toThrow(`import har ${empty}/n.har --recordings`)
    const { head } = recordingOf([])
    for (const [invalid, problem] of [
      [null, ': Must be an object, got null'],
      ['text', ": Must be an object, got 'text'"],
      [{}, '.head: Is required'],
      [{ head: 'a', chunks: [] }, ".head: Must be an object, got 'a'"],
      [{ head, chunks: [{}] }, '.chunks.0: a chunk must have ms, and text or base64'],
    ])
      expect(() => createGateway({ recordings: [invalid as never] })).toThrow(
        new TypeError(`createGateway: options.recordings[0]${problem}`),
      )
    for (const upstream of ['https://a:@b.example/v1', 'https://:a@b.example/v1'])
      expect(() => createGateway({ recordings: { upstream } })).toThrow(/must not contain credentials/i)
  })
})
