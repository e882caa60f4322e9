/** Tests access to the recorder: tokens, allowed hosts, the upstream's base path, and secrets. */
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { run } from '../../../src/cli/command-line.ts'
import { type RecorderSetup, startRecorder } from '../../../src/extras/recordings/record.ts'
import { Redactor } from '../../../src/extras/recordings/redact.ts'
import { authorizationFor } from '../../../src/extras/recordings/upstream.ts'
import { createGateway } from '../../../src/index.ts'
import { startServer } from '../../../src/serve.ts'
import { raw, request } from '../../server/raw.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { ask, joined, startUpstream } from './streams.ts'

const root = temporaryFolder()
beforeEach(() => vi.stubEnv('CI', ''))
afterEach(() => vi.restoreAllMocks())

let folders = 0

async function record(upstream: URL, setup: Partial<RecorderSetup> = {}) {
  const out = join(root, String(++folders))
  const recorder = await startRecorder({ upstream, recordings: out, redactor: new Redactor(), ...setup })
  return { ...recorder, out, [Symbol.asyncDispose]: () => recorder.close() }
}

async function textIn(folder: string): Promise<string> {
  const files = await readdir(folder)
  return (await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))).join('')
}

/** Starts an upstream that echoes the received headers and credentials. */
const startEcho = () =>
  startUpstream(({ headers }, response) => {
    const [, basic = ''] = /^Basic (.*)/.exec(headers.authorization ?? '') ?? []
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ headers, note: `welcome ${atob(basic)}` }))
  })

describe("the recorder's token", () => {
  it('is required beyond loopback, with and without a key', async () => {
    await using upstream = await startEcho()
    for (const key of [undefined, 'real-key-0001']) {
      await using recorder = await record(upstream.url, { host: '0.0.0.0', key })
      expect(recorder.token).toMatch(/^[\w-]{32}$/)
      for (const headers of [
        {},
        { authorization: 'Bearer wrong' },
        { 'x-understudy-token': '' },
        { 'x-understudy-token': `${recorder.token}x` },
        { 'x-api-key': 'wrong' },
        { cookie: `token=${recorder.token}` },
      ] as Record<string, string>[]) {
        const received = await ask(recorder.baseUrl, '/providers', { headers })
        expect(received.status, JSON.stringify(headers)).toBe(401)
        expect(JSON.parse(joined(received.chunks)).error.message).toBe(
          `Missing or wrong token. The x-understudy-token header${key ? ' or API key' : ''} must contain the token printed at startup or set with --token`,
        )
      }
    }
    expect(upstream.requests).toEqual([])
  })

  it('differs for each recorder, and is required on loopback only if it is set', async () => {
    await using upstream = await startEcho()
    await using first = await record(upstream.url, { host: '0.0.0.0' })
    await using second = await record(upstream.url, { host: '0.0.0.0' })
    await using local = await record(upstream.url)
    await using given = await record(upstream.url, { token: 'given-token' })
    expect(first.token).not.toBe(second.token)
    expect([local.token, given.token]).toEqual([undefined, 'given-token'])
    expect((await ask(local.baseUrl, '/providers')).status).toBe(200)
    expect((await ask(given.baseUrl, '/providers')).status).toBe(401)
    const headers = { 'x-understudy-token': 'given-token' }
    expect((await ask(given.baseUrl, '/providers', { headers })).status).toBe(200)
  })

  it("is sent in x-understudy-token next to the client's key, and not forwarded", async () => {
    await using upstream = await startEcho()
    await using recorder = await record(upstream.url, { token: 'given-token-0001' })
    const client = new OpenAI({
      baseURL: recorder.baseUrl,
      apiKey: 'client-key-0001',
      defaultHeaders: { 'x-understudy-token': 'given-token-0001' },
    })
    await client.models.list()
    await recorder.close()
    expect(upstream.requests[0]?.headers).toMatchObject({ authorization: 'Bearer client-key-0001' })
    expect(upstream.requests[0]?.headers).not.toHaveProperty('x-understudy-token')
    const recording = await textIn(recorder.out)
    expect(recording).toContain('"recording":1')
    expect(recording).not.toContain('understudy-token')
    expect(recording).not.toContain('given-token-0001')
  })

  it("can be the client's API key if the recorder has the real one", async () => {
    await using upstream = await startEcho()
    const token = 'given-token-0001'
    await using recorder = await record(upstream.url, { host: '0.0.0.0', token, key: 'real-key-0001' })
    await new OpenAI({ baseURL: recorder.baseUrl, apiKey: token }).models.list()
    await new Anthropic({ baseURL: recorder.baseUrl, apiKey: token }).models.list()
    const headers = { authorization: 'Bearer any', 'x-understudy-token': token }
    expect((await ask(recorder.baseUrl, '/providers', { headers })).status).toBe(200)
    await recorder.close()
    expect(authorizationFor(new URL('https://api.anthropic.com/v1'), 'key')).toEqual({ 'x-api-key': 'key' })
    expect(upstream.requests).toHaveLength(3)
    for (const { headers: sent } of upstream.requests) {
      expect(sent.authorization).toBe('Bearer real-key-0001')
      expect(JSON.stringify(sent)).not.toContain(token)
    }
    expect(await textIn(recorder.out)).not.toContain(token)
  })
})

describe('the path of a request to the recorder', () => {
  const hostile = [
    '/api/v1/../../x',
    '/api/v1/..',
    '/../x',
    '/api/v1/%2e%2e/%2E%2E/x',
    '/api/v1/.%2e/x',
    '/api/v1/%252e%252e/x',
    '/api/v1/%25252e%25252e%25252fx',
    '/api/v1/%252525252525252e%252525252525252e/x',
    '/api/v1/presets/%252525252541',
    '/api/v1/..%2f..%2fx',
    '/api/v1/a%2f..%2f..%2fx',
    '/api/v1/..%5c..%5cx',
    '/api/v1/..\\..\\x',
    '/api/v1\\..\\..\\x',
    '/api/v1/..;/x',
    '/api/v1/..%3b/x',
    '/api/v1/..%00/x',
    '/api/v1/%c0%ae%c0%ae/x',
    '/api/v1/%e0%80%ae%e0%80%ae/x',
    '/api/v1/%ef%bc%8e%ef%bc%8e/x',
    '/api/v1/..%ef%bc%8fx',
    '/api/v1/..#',
    '/api/v1/..?/../x',
    '*',
  ]
  /** Returns hostile request targets: paths and, as sent to proxies, absolute URLs. */
  const targets = (host: string) => [
    ...hostile,
    ...hostile.filter((path) => path.startsWith('/')).map((path) => `http://${host}${path}`),
    `http://${host}`,
  ]

  it("never leaves the upstream's base path", async () => {
    await using upstream = await startEcho()
    await using recorder = await record(upstream.url, { key: 'real-key-0001' })
    const { host, port } = new URL(recorder.baseUrl)
    for (const target of targets(host)) {
      const text = await raw(Number(port), request(`GET ${target}`, { host, connection: 'close' })).closed()
      expect(text, target).toMatch(/^HTTP\/1\.1 400 /)
    }
    expect(upstream.requests).toEqual([])
  })

  it('is forwarded unchanged within the base path', async () => {
    await using upstream = await startEcho()
    await using recorder = await record(upstream.url)
    const { host, port } = new URL(recorder.baseUrl)
    const paths = [
      '/providers?path=../../x',
      '/models/vendor%2Fname/endpoints',
      '/presets/100%25',
      '/presets/%2525252541',
      '/presets/a..b/.well-known/...',
      '/presets/%C3%BC%20x;v=1',
      "/presets/it's",
    ]
    for (const path of paths) {
      await raw(Number(port), request(`GET /api/v1${path}`, { host, connection: 'close' })).closed()
      await raw(
        Number(port),
        request(`GET http://${host}/api/v1${path}`, { host, connection: 'close' }),
      ).closed()
    }
    expect(upstream.requests.map(({ url }) => url)).toEqual(
      paths.flatMap((path) => [`/api/v1${path}`, `/api/v1${path}`]),
    )
  })

  it('cannot be smuggled in the chunked body of a request that usually has no body', async () => {
    await using upstream = await startEcho()
    await using recorder = await record(upstream.url, { key: 'real-key-0001' })
    const { host, port } = new URL(recorder.baseUrl)
    const hidden = `GET /admin HTTP/1.1\r\nhost: ${host}\r\n\r\n`
    const body = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`
    for (const method of ['GET', 'DELETE', 'OPTIONS']) {
      const head = { host, 'transfer-encoding': 'chunked', connection: 'close' }
      await raw(Number(port), `${request(`${method} /api/v1/providers`, head)}${body}`).closed()
    }
    expect(upstream.requests.map(({ url, body: sent }) => [url, sent])).toEqual(
      Array(3).fill(['/api/v1/providers', hidden]),
    )
  })

  it("never leaves the upstream's base path when a server forwards it", async () => {
    await using upstream = await startEcho()
    await using server = await startServer({
      recordings: { from: [], onUnmatched: 'passthrough', upstream: upstream.url.href },
    })
    const { host, port } = new URL(server.baseUrl)
    for (const target of targets(host)) {
      const head = { host, connection: 'close', authorization: 'Bearer client-key' }
      const text = await raw(Number(port), request(`GET ${target}`, head)).closed()
      expect(text, target).toMatch(/^HTTP\/1\.1 40[04] /)
    }
    expect(upstream.requests).toEqual([])
  })
})

describe('credentials in the upstream URL', () => {
  const withCredentials = (url: URL) =>
    Object.assign(new URL(url), { username: 'user', password: 'pass-word-0001' })

  it('are sent with HTTP Basic authentication unless the client or the recorder has a key', async () => {
    await using upstream = await startEcho()
    await using recorder = await record(withCredentials(upstream.url))
    await fetch(`${recorder.baseUrl}/providers`)
    await fetch(`${recorder.baseUrl}/providers`, { headers: { authorization: 'Bearer mine' } })
    expect(upstream.requests.map(({ headers }) => headers.authorization)).toEqual([
      `Basic ${btoa('user:pass-word-0001')}`,
      'Bearer mine',
    ])
  })

  it('are rejected by a forwarding server, because it would send them for any client', () => {
    const create = () =>
      createGateway({ recordings: { upstream: 'https://user:pass-word-0001@gateway.example/api/v1' } })
    expect(create).toThrow('options.recordings.upstream must not contain credentials')
    expect(create).not.toThrow(/pass-word|user:/)
  })

  it.each([
    [[], undefined],
    [['--json'], undefined],
    [['--quiet'], undefined],
    [['--token', 'given-token'], 'given-token'],
  ] as [string[], string | undefined][])(
    'are neither printed nor recorded by `record` with the flags %j, which prints a token only if it was generated',
    async (flags, given) => {
      await using upstream = await startEcho()
      const out = join(root, String(++folders))
      const inPath = 'AIzaSyA0123456789abcdefghijklmnopqrstuv'
      const address = withCredentials(new URL(`/${inPath}/v1`, upstream.url)).href
      const program = await start([...recordFlags(address, out), '--host', '0.0.0.0', ...flags])
      const [, made] = /token\W+([\w-]{32})/.exec(program.printed()) ?? []
      expect(made === undefined).toBe(given !== undefined)
      expect(program.printed()).not.toContain('given-token')
      const [, port] = /0\.0\.0\.0:(\d+)/.exec(program.printed()) ?? []
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/providers`, {
        headers: { 'x-understudy-token': given ?? made ?? '' },
      })
      const sent = `Basic ${btoa('user:pass-word-0001')}`
      expect(await response.json()).toMatchObject({ headers: { authorization: sent } })
      await program.stop()
      const received = program.printed() + (await textIn(out))
      expect(received).toContain('listProviders')
      expect(received).not.toMatch(/pass-word|user:|AIza/)
      expect(received).not.toContain(sent.slice(10, -4))
    },
  )

  it.each([
    ['record', '--upstream', 'https://user:pass-word-0001@gateway.example/api/v1?a=1'],
    ['record', '--upstream', 'https://user:pass-word-0001@gateway.example/api/v1#a'],
    ['record', '--upstream', 'ftp://user:pass-word-0001@gateway.example'],
    ['drift', 'recordings', '--upstream', 'ftp://user:pass-word-0001@gateway.example'],
    ['serve', '--recordings', '.', '--upstream', 'ftp://user:pass-word-0001@gateway.example'],
    ['serve', '--recordings', '.', '--upstream', 'https://user:pass-word-0001@gateway.example'],
  ])('are not part of the error message for `%s %s %s …`', async (...flags) => {
    const { printed } = await start(flags)
    expect(process.exitCode).toBe(2)
    process.exitCode = undefined
    expect(printed()).toContain('upstream')
    expect(printed()).not.toMatch(/pass-word|user:/)
    expect(printed().trim().split('\n')).toHaveLength(1)
  })
})

describe('record', () => {
  /** Starts an upstream whose reply to POST /responses has a cookie, which `recorded` keeps. */
  const startMixed = () =>
    startUpstream(({ url }, response) => {
      if (url.endsWith('/benchmarks')) return void response.socket?.resetAndDestroy()
      if (url.endsWith('/providers')) return void response.end('{}')
      response.setHeader('set-cookie', 'a=1')
      response.end('{}')
    })

  /** Sends three requests to `record`, and the last one to a second run. Returns the outputs and exit codes. */
  async function recorded(...flags: string[]) {
    await using upstream = await startMixed()
    const out = join(root, String(++folders))
    const rules = `${out}.json`
    await writeFile(rules, '{ "headers": ["set-cookie"] }')
    const port = await freePort()
    const args = [...recordFlags(upstream.url.href, out, port), '--redact', rules, ...flags]
    vi.stubEnv('RECORDER_KEY', 'real-key-0001')
    const printed: string[] = []
    for (const paths of [['/responses', '/benchmarks', '/providers'], ['/providers']]) {
      const program = await start(args)
      expect([...program.listeners.keys()]).toEqual(['SIGINT', 'SIGTERM', 'SIGHUP'])
      for (const path of paths)
        await ask(`http://127.0.0.1:${port}/api/v1`, path, {
          headers: { 'x-understudy-token': 'given-token' },
          ...(path === '/responses' && { body: {} }),
        })
      await program.stop()
      const text = program
        .printed()
        .replaceAll(out, 'OUT')
        .replaceAll(upstream.url.host, 'UPSTREAM')
        .replaceAll(`:${port}`, ':PORT')
        .replace(/-[0-9a-f]{16}\b/g, '-KEY')
        .replace(/"ms":[\d.]+/g, '"ms":0')
        .replace(/\d+ ms/g, 'N ms')
        // Exchanges are printed when their files have been checked.
        .replace(/(?:^(?:GET|POST|\{"method).*\n)+/m, (lines) => lines.split(/^/m).sort().join(''))
      printed.push(`${text}exit code ${vi.mocked(process.exit).mock.lastCall}`)
    }
    return printed
  }

  it('prints its address, how clients send the token, each exchange and a summary', async () => {
    expect(await recorded('--token', 'given-token', '--key-env', 'RECORDER_KEY')).toMatchInlineSnapshot(`
      [
        "
      Recording http://UPSTREAM/api/v1 into OUT/

        base URL   http://127.0.0.1:PORT/api/v1
        token      as set   (clients send it in x-understudy-token, or as their API key)
        stop       Ctrl-C

      GET /benchmarks: no reply, 0 chunks, N ms -> listBenchmarks-KEY.recording.jsonl
      GET /providers: 200, 1 chunk, N ms -> listProviders-KEY.recording.jsonl
      POST /responses: not written, because createResponse-KEY.recording.jsonl still contained a secret (header set-cookie, field set-cookie)
      2 recorded to OUT/, 0 skipped, 1 not written because they still contained a secret
      exit code 1",
        "
      Recording http://UPSTREAM/api/v1 into OUT/

        base URL   http://127.0.0.1:PORT/api/v1
        token      as set   (clients send it in x-understudy-token, or as their API key)
        stop       Ctrl-C

      GET /providers: not recorded, because the request is already recorded
      0 recorded to OUT/, 1 skipped
      exit code 0",
      ]
    `)
  })

  it('prints its address, each exchange and a summary as lines of JSON with --json', async () => {
    expect(await recorded('--json')).toMatchInlineSnapshot(`
      [
        "{"ready":true,"baseUrl":"http://127.0.0.1:PORT/api/v1","upstream":"http://UPSTREAM/api/v1","recordings":"OUT"}
      {"method":"GET","path":"/benchmarks","result":{"kind":"recorded","file":"listBenchmarks-KEY.recording.jsonl","status":0,"chunks":0,"ms":0}}
      {"method":"GET","path":"/providers","result":{"kind":"recorded","file":"listProviders-KEY.recording.jsonl","status":200,"chunks":1,"ms":0}}
      {"method":"POST","path":"/responses","result":{"kind":"leaked","file":"createResponse-KEY.recording.jsonl","leaks":["header set-cookie","field set-cookie"]}}
      {"summary":{"exchanges":3,"recorded":2,"skipped":0,"leaked":1}}
      exit code 1",
        "{"ready":true,"baseUrl":"http://127.0.0.1:PORT/api/v1","upstream":"http://UPSTREAM/api/v1","recordings":"OUT"}
      {"method":"GET","path":"/providers","result":{"kind":"not-recorded","reason":"the request is already recorded"}}
      {"summary":{"exchanges":1,"recorded":0,"skipped":1,"leaked":0}}
      exit code 0",
      ]
    `)
  })

  it('ends open exchanges at the second signal', async () => {
    await using upstream = await startUpstream(() => {})
    const port = await freePort()
    const out = join(root, String(++folders))
    const program = await start([...recordFlags(upstream.url.href, out, port), '--json'])
    const received = ask(`http://127.0.0.1:${port}/api/v1`, '/providers')
    await vi.waitUntil(() => upstream.requests.length === 1)
    await Promise.all([program.stop(), program.stop()])
    expect((await received).end).toBe('reset')
    expect(JSON.parse(program.printed().trim().split('\n').at(-1) ?? '')).toEqual({
      summary: { exchanges: 1, recorded: 1, skipped: 0, leaked: 0 },
    })
  })

  it('reports an unusable folder in one line', async () => {
    const file = join(root, 'file')
    await writeFile(file, '')
    const { printed } = await start(recordFlags('http://127.0.0.1:9/api/v1', file))
    expect([printed(), process.exitCode]).toEqual([`error: ${file}: is not a folder\n`, 2])
    process.exitCode = undefined
  })
})

function recordFlags(upstream: string, recordings: string, port = '0'): string[] {
  return ['record', '--upstream', upstream, '--recordings', recordings, '--port', port, '--allow-ci']
}

async function freePort(): Promise<string> {
  await using server = await startEcho()
  return server.url.port
}

const { on } = process

/** Runs a command. Returns its output, its listeners for signals, and a function that stops it as a signal would. */
async function start(flags: readonly string[]) {
  let text = ''
  const write = (part: unknown) => {
    text += part
    return true
  }
  for (const stream of [process.stdout, process.stderr]) vi.spyOn(stream, 'write').mockImplementation(write)
  for (const level of ['log', 'error'] as const)
    vi.spyOn(console, level).mockImplementation((line) => void write(`${line}\n`))
  vi.spyOn(process, 'exit').mockImplementation((() => {}) as never)
  const listeners = new Map<string, () => Promise<void>>()
  vi.spyOn(process, 'on').mockImplementation((event, listener) => {
    if (!String(event).startsWith('SIG')) return on.call(process, event as never, listener as never)
    listeners.set(String(event), listener as () => Promise<void>)
    return process
  })
  await run(flags, startServer as never)
  return { printed: () => text, listeners, stop: () => listeners.get('SIGTERM')?.() }
}
