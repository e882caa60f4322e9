/** Tests imports of HAR files and event streams, as a whole and field by field. */
import { watch } from 'node:fs'
import { mkdir, mkdtemp, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it, vi } from 'vitest'
import { readHar } from '../../../src/extras/recordings/import-har.ts'
import { type Entry, toExchange } from '../../../src/extras/recordings/import-reply.ts'
import { readRecordingFolder } from '../../../src/extras/recordings/recordings.ts'
import { createGateway } from '../../../src/index.ts'
import type { ScenarioPath } from '../../../src/scenarios/names.ts'
import { call, type Target } from '../../call.ts'
import { runCommand } from '../../cli/run-command.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { text } from './samples.ts'

const root = temporaryFolder()
let folders = 0

const runImport = (kind: string, file: string, ...flags: string[]) =>
  runCommand('import', kind, file, '--recordings', ...flags)

/** Imports a file, and returns the folder of recordings and the output. */
async function imported(kind: string, name: string, content: string | Uint8Array, ...flags: string[]) {
  const out = join(root, String(++folders))
  await writeFile(join(root, name), content)
  return { out, ...(await runImport(kind, join(root, name), out, ...flags)) }
}

const bomb = [
  `a: &a [${'x,'.repeat(99)}]`,
  ...[1, 2, 3].map((n) => `b${n}: &b${n} [${`*${n === 1 ? 'a' : `b${n - 1}`},`.repeat(99)}]`),
].join('\n')

async function ask(gateway: Target, path: string, body?: object) {
  const { status, text } = await call(gateway, `${body ? 'POST' : 'GET'} ${path}`, { body })
  return { status, text }
}

it.runIf(process.platform === 'linux')('import writes recordings aside, and renames them', async () => {
  const [out, file] = [join(root, 'watched'), join(root, 'stream.txt')]
  await mkdir(out)
  await writeFile(file, 'data: {}\n\n')
  const events: string[] = []
  const watcher = watch(out, (event, name) => void events.push(`${event} ${name}`))
  await runImport('sse', file, out)
  const [name] = await readdir(out)
  await vi.waitFor(() => expect(events).toContain(`rename ${name}`))
  watcher.close()
  expect(events).not.toContain(`change ${name}`)
})

describe('import har', () => {
  it('counts skipped entries after the first hundred', async () => {
    const entries = Array(1000).fill({})
    const { code, stderr } = await imported('har', 'skipped.har', JSON.stringify({ log: { entries } }))
    expect([code, stderr.trim().split('\n').length]).toEqual([2, 101])
    expect(stderr).toMatch(/\nskipped 900 more\n$/)
  })

  it('restores the status and bytes of the calls that Understudy exported', async () => {
    const question = { model: 'aurora/dawn-2', input: 'Wörter 🌊' }
    const requests: [string, object?][] = [
      ['/providers'],
      ['/benchmarks?max_results=2'],
      ['/presets/none'],
      ['/responses', question],
      ['/responses', { ...question, stream: true }],
    ]
    const gateway = createGateway({ timeScale: 0 })
    const before = []
    for (const [path, body] of requests) before.push(await ask(gateway, path, body))
    const { out, code } = await imported('har', 'a.har', JSON.stringify(gateway.journal.har()))
    expect(code).toBe(0)
    const replaying = createGateway({ recordings: out, timeScale: 0 })
    const after = []
    for (const [path, body] of requests) after.push(await ask(replaying, path, body))
    expect(after).toEqual(before)
  })

  it.each([
    ['base64', false, ['aGVs', 'bG8=']],
    [undefined, true, ['68656c', '6c6f']],
  ])("reads Polly's lists of header values and of chunks: %s", async (encoding, _isBinary, chunks) => {
    const url = 'https://a.example/api/v1/x'
    const headers = [{ name: 'accept', value: ['a', 'b'] }]
    const content = { text: JSON.stringify(chunks), encoding, _isBinary }
    const call = { request: { method: 'GET', url, headers }, response: { status: 200, content } }
    const { out } = await imported('har', 'polly.har', JSON.stringify({ log: { entries: [call] } }))
    const gateway = createGateway({ recordings: out, timeScale: 0 })
    const reply = await gateway.fetch(url, { headers: { authorization: 'Bearer any' } })
    expect(await reply.text()).toBe('hello')
  })

  it('keeps the timing of gateway calls and drops transport headers in a file from a browser', async () => {
    const call = {
      request: {
        method: 'GET',
        url: 'https://gateway.example/api/v1/providers',
        headers: [{ name: ':authority', value: 'x' }],
        queryString: [],
        bodySize: 0,
      },
      response: {
        status: 200,
        content: { size: 11, mimeType: 'text/event-stream', text: 'data: 1\r\n\r\n' },
        headers: [
          { name: 'Content-Type', value: 'text/event-stream' },
          { name: 'content-encoding', value: 'br' },
          { name: 'content-length', value: '7' },
        ],
      },
      timings: { blocked: -1, dns: -1, send: 0, wait: 7, receive: 3 },
    }
    const page = { ...call, request: { ...call.request, url: 'https://app.example/index.html' } }
    const har = JSON.stringify({ log: { version: '1.2', entries: [page, call] } })
    const { out } = await imported('har', 'b.har', `\ufeff${har}`)
    const [[, recording] = []] = readRecordingFolder(out)
    expect(recording).toMatchObject({
      request: { method: 'GET', path: '/providers', headers: {} },
      reply: { ms: 7, headers: { 'content-type': 'text/event-stream' } },
      chunks: [{ ms: 7, text: 'data: 1\r\n\r\n' }],
      end: { end: 'fin', ms: 10 },
    })
    expect(recording?.reply?.headers).not.toHaveProperty('content-length')
  })

  it.each([
    ['{}', 'c.har: is not a HAR file'],
    ['<html>', 'c.har: is not a HAR file, because it is not JSON'],
    ['{"log":{"entries":[]}}', 'c.har: has no entries'],
    ['['.repeat(9_000_000), 'because it is not JSON, incomplete or nested too deeply'],
    [
      `{"log":{"entries":[${'{},'.repeat(20_000)}{}]}}`,
      'c.har: has 20001 entries, more than 20000: split it',
    ],
  ])('reports that it cannot use the file %.40s', async (content, reason) => {
    const { code, stderr } = await imported('har', 'c.har', content)
    expect([code, stderr.trim().split('\n').length]).toEqual([2, 1])
    expect(stderr).toContain(reason)
  })

  it('reads attached bodies in its folder, and names the others', async () => {
    const folder = await mkdtemp(join(root, 'attached-'))
    await mkdir(join(folder, 'resources'))
    await writeFile(join(root, 'outside.json'), '{"secret":1}')
    await symlink(join(root, 'outside.json'), join(folder, 'link.json'))
    await writeFile(join(folder, 'a.json'), '{"a":"ü"}')
    await writeFile(join(folder, 'resources', 'b.bin'), gzipSync('{"b":1}'))
    const files = [
      'a.json',
      'resources/b.bin',
      '../outside.json',
      join(root, 'outside.json'),
      'link.json',
      'c',
    ]
    const headers = [
      { name: 'content-type', value: 'application/json' },
      { name: 'content-encoding', value: 'gzip' },
    ]
    const entries = files.map((_file, index) => ({
      request: { method: 'GET', url: `https://gateway.example/api/v1/things/${index}` },
      response: { status: 200, headers, content: { size: -1, _file } },
      timings: { send: -1, wait: -1, receive: -1 },
    }))
    await writeFile(join(folder, 'a.har'), JSON.stringify({ log: { entries } }))
    const { code, stderr } = await runImport('har', join(folder, 'a.har'), join(folder, 'out'))
    expect(
      stderr
        .replaceAll(root, '')
        .replace(/attached-\w+/g, 'in')
        .split('\n'),
    ).toEqual([
      ...['../outside.json', '/outside.json', 'link.json'].map(
        (name, index) =>
          `skipped /in/a.har: entry ${index + 3}: its body is outside the file's folder: ${name}`,
      ),
      'skipped /in/a.har: entry 6: its body is missing: there is no c next to the HAR file',
      '',
    ])
    expect(code).toBe(0)
    const gateway = createGateway({ recordings: join(folder, 'out') })
    expect((await ask(gateway, '/things/0')).text).toBe('{"a":"ü"}')
    expect((await ask(gateway, '/things/1')).text).toBe('{"b":1}')
  })

  it.each([
    ['https://gateway.example/x/api/v1/providers'],
    ['https://openrouter.ai/api/v1/providers'],
    ['https://api.openai.com/v1/providers'],
    ['https://api.anthropic.com/v1/providers'],
    ['https://api.example:443/inference/v1/providers', 'https://api.example/inference/v1'],
    ['https://api.example/providers', 'https://api.example'],
    ['https://api.example/a/v1/providers', '/v1'],
  ])('finds the route of %s', async (url, base?: string) => {
    const call = (url: string, method = 'GET') => ({
      request: { method, url },
      response: { status: 200, content: { text: 'found' } },
    })
    const others = [call('https://other.example/v2/a'), call('data:,a'), call(url, 'OPTIONS')]
    const har = JSON.stringify({ log: { entries: [call(url), ...others] } })
    const { out, stderr, stdout } = await imported('har', 'base.har', har, ...(base ? ['--base', base] : []))
    expect((await ask(createGateway({ recordings: out }), '/providers')).text).toBe('found')
    expect(stderr).toContain('base.har: 1 preflight requests (OPTIONS)')
    expect(stderr).toContain('2 of 4 entries, outside the base URL (to import others, set --base')
    expect(stderr).toContain('for example to https://other.example/v2)')
    expect(stdout).toContain(', 3 skipped')
  })

  it('announces a large file on one line', async () => {
    const call = { request: { method: 'GET', url: 'https://a.example/api/v1/a' }, response: { status: 204 } }
    const har = JSON.stringify({ log: { comment: 'x'.repeat(11e6), entries: [call] } })
    const { stderr } = await imported('har', 'large.har', har)
    expect(stderr).toMatch(/^importing \S+large.har: 10.5 MB, which can take a minute\n$/)
    expect((await imported('har', 'large.har', har, '--quiet')).stderr).toBe('')
  })
})

describe('import vcr', () => {
  const answer = '{"text":"Wörter 🌊"}'
  const base64 = (bytes: string | Uint8Array) => Buffer.from(bytes).toString('base64')
  const cassette = (body: string, { headers = '', request = `body: '{"input":"hi"}'` } = {}) =>
    `interactions:
- request:
    ${request}
    headers: { accept: ['*/*'] }
    method: POST
    uri: https://api.openai.com/v1/responses
  response:
    ${body}
    headers:
      Content-Type: [application/json]
      Cache-Control: [a, b]
      Content-Length: ['7']
      ${headers}
    status: { code: 200, message: OK }
version: 1
`
  const encoded = (coding: string, bytes: Uint8Array) =>
    cassette(`body: { string: !!binary "${base64(bytes)}" }`, { headers: `Content-Encoding: [${coding}]` })
  const bytes = Buffer.from(answer)
  const json = {
    request: { method: 'post', uri: 'https://api.openai.com/v1/responses', body: '{"input":"hi"}' },
    response: { status: 200, headers: { 'Cache-Control': ['a', 'b'] }, body: { string: answer } },
  }

  it.each([
    ['text', cassette(`body: { string: '${answer}' }`)],
    ['text, with the header of its former coding', encoded('br', bytes)],
    ['binary text', cassette(`body: { string: !!binary ${base64(answer)} }`)],
    ['gzip', encoded('gzip', gzipSync(bytes))],
    ['deflate', encoded('deflate', deflateSync(bytes))],
    ['raw deflate', encoded('deflate', deflateRawSync(bytes))],
    ['brotli', encoded('br', brotliCompressSync(bytes))],
    ['two codings', encoded('gzip, br', brotliCompressSync(gzipSync(bytes)))],
    [
      'a parsed body',
      cassette('parsed_body: { text: Wörter 🌊 }', { request: 'parsed_body: { input: hi }' }),
    ],
    ['a parsed request', cassette(`body: { string: '${answer}' }`, { request: 'body: { input: hi }' })],
    ['an old form', cassette(`content: '${answer}'`).replace(/status: .*/, 'status_code: 200')],
    ['a status number', cassette(`body: '${answer}'`).replace(/status: .*/, 'status: 200')],
    [
      'Ruby',
      cassette(`body: { encoding: ASCII-8BIT, string: !binary ${base64(answer)} }`, {
        request: `body: { encoding: UTF-8, base64_string: ${base64('{"input":"hi"}')} }`,
      })
        .replace('interactions:', '---\nhttp_interactions:')
        .replace('version: 1', 'recorded_with: VCR 6.3.1'),
    ],
    ['an alias', cassette(`body: &body { string: '${answer}' }\n    copy: *body`)],
    ['gzip around the file', gzipSync(cassette(`body: { string: '${answer}' }`))],
    ['JSON, in two lists', JSON.stringify({ requests: [json.request], responses: [json.response] })],
  ] as [string, string | Uint8Array][])('reads %s', async (_, content) => {
    const { out, stderr } = await imported('vcr', 'a.yaml', content)
    expect(stderr).toBe('')
    const gateway = createGateway({ recordings: out })
    const { status, text, headers } = await call(gateway, 'POST /responses', { body: { input: 'hi' } })
    expect([status, text]).toEqual([200, answer])
    expect(headers.get('cache-control')).toBe('a, b')
  })

  it('reads numbers as Python and Ruby wrote them', async () => {
    const numbers = 'parsed_body: [08, 1e5, 0o7, 10, -1.5e-05, true]'
    const { out } = await imported('vcr', 'b.yaml', cassette(numbers))
    const { text } = await ask(createGateway({ recordings: out }), '/responses', { input: 'hi' })
    expect(JSON.parse(text)).toEqual(['08', '1e5', '0o7', 10, -1.5e-5, true])
  })

  it.each([
    ['entry 1: its body is missing; save the file with content', cassette('body: null')],
    ['entry 1: its body is empty, although its type is application/json', cassette(`body: ''`)],
    ['entry 1: its body ends in the middle', encoded('gzip', gzipSync(bytes).subarray(0, 30))],
    ['entry 1: its body is too large when decoded', encoded('gzip', gzipSync(new Uint8Array(3e6)))],
    ['entry 1: its body is not UTF-8, although', encoded('identity', gzipSync(bytes))],
    ['entry 1: not an HTTP exchange (request: Is required)', 'interactions: [{ kind: text }]'],
    ['entry 1: its URL is invalid', cassette('body: a').replace(/uri: .*/, 'uri: "http://["')],
    ['entry 1: has no status', cassette('body: a').replace(/status: .*/, '')],
    ['for example to https://api.x.com/v1)', cassette('body: a').replace('openai', '<X>')],
    ['c.yaml: has no entries', 'interactions: []'],
    ['c.yaml: is not a VCR cassette, because it has no interactions', 'a: 1'],
    ['c.yaml:1:20: not YAML: ', '{"interactions": [{'],
    ['c.yaml:1:15: not YAML: remove the tag', 'interactions: !ruby/object:A {}'],
    ['is nested too deeply', '['.repeat(20_000)],
    ['expands to too many values through aliases', bomb],
    ['c.yaml: is not UTF-8 text', new Uint8Array([0, 255])],
    ['c.yaml: is a zip archive: unpack it, then import the file in it', 'PK\x03\x04'],
    ['c.yaml: its gzip data is damaged', gzipSync('a').subarray(0, 9)],
  ] as [string, string | Uint8Array][])('prints %j on one line', async (reason, content) => {
    const { code, stderr } = await imported('vcr', 'c.yaml', content)
    expect([code, stderr.trim().split('\n').length]).toEqual([2, 1])
    expect(stderr).toContain(reason)
  })
})

describe('import sse', () => {
  it('keeps the bytes of the stream, and matches no request by itself', async () => {
    const stream = ': hi\r\ndata: ü\r\n\r\n'
    const { out } = await imported('sse', 'a.txt', stream)
    const gateway = createGateway({ recordings: out })
    expect((await ask(gateway, '/responses', {})).status).toBe(404)
    gateway.use(`${out}/a.recording.jsonl` as ScenarioPath)
    expect(await ask(gateway, '/responses', { any: 1 })).toEqual({ status: 200, text: stream })
  })

  it.each(['', 'a=1', '?a=1'])('replies to the given request with the query %j', async (query) => {
    const request = join(root, 'request.json')
    await writeFile(request, JSON.stringify({ path: '/responses', body: { a: 1 }, query }))
    const { out } = await imported('sse', 'b.txt', 'data: 1\n\n', '--request', request)
    const path = `/responses${query.replace(/^(?=[^?])/, '?')}`
    expect((await ask(createGateway({ recordings: out }), path, { a: 1 })).text).toBe('data: 1\n\n')
  })

  it('rejects a request that is nested deeply, or has an unknown field', async () => {
    const request = join(root, 'deep.json')
    await writeFile(request, `{"path":"/a","body":${'['.repeat(2_000_000)}${']'.repeat(2_000_000)}}`)
    const { code, stderr } = await imported('sse', 'b.txt', 'data: 1\n\n', '--request', request)
    expect([code, stderr]).toEqual([2, `error: ${request}:1:1: is nested too deeply\n`])
    await writeFile(request, '{ "path": "/a", "mehtod": "GET" }')
    const unknown = await imported('sse', 'b.txt', 'data: 1\n\n', '--request', request)
    expect(unknown.stderr).toContain("mehtod: unknown field; did you mean 'method'?")
  })

  it.each([
    ['', 'c.txt: is empty'],
    ...['data: 1', ': a comment\n\n', '{"error":{}}', '\x1f\x8b\b'].map((stream) => [
      stream,
      'c.txt: has no events. It must be an event stream',
    ]),
    ['HTTP/1.1 200 OK\r\na: b\r\n\r\ndata: 1\r\n\r\n', 'Save only the body, without curl -i'],
  ])('rejects %j', async (stream, reason) => {
    const { code, stderr } = await imported('sse', 'c.txt', String(stream))
    expect(code).toBe(2)
    expect(stderr).toContain(reason)
  })
})

describe('import', () => {
  it('prints the recordings and what it skipped, as text and as JSON', async () => {
    const call = (status: number) => ({
      request: { method: 'GET', url: 'https://a.example/api/providers' },
      response: { status, content: { text: 'hello' } },
    })
    const har = JSON.stringify({ log: { entries: [call(200), call(0)] } })
    const flags = ['--base', 'https://a.example/api', '--dialect', 'other']
    const { out, code, stdout, stderr } = await imported('har', 'd.har', har, ...flags)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^\S+listProviders-\w{16}\.recording\.jsonl\n1 recording in \S+, 1 skipped\n$/)
    expect(stderr).toBe(`skipped ${root}/d.har: entry 2: has no response (status 0)\n`)
    expect([...readRecordingFolder(out).values()][0]?.head).toMatchObject({ dialect: 'other' })
    const again = await imported('har', 'd.har', har, ...flags, '--recordings', out)
    expect([again.code, again.stderr]).toEqual([
      2,
      expect.stringContaining('1: the request is already recorded'),
    ])
    const quiet = await imported('har', 'd.har', har, ...flags, '--quiet')
    expect([quiet.stdout, quiet.stderr]).toEqual(['', stderr])
    const { stdout: json } = await imported('har', 'd.har', har, ...flags, '--json')
    expect(JSON.parse(json)).toMatchObject({ written: [expect.any(String)], skipped: [expect.any(String)] })
    const none = await imported('har', 'd.har', JSON.stringify({ log: { entries: [call(0)] } }), ...flags)
    expect(none.code).toBe(2)
  })

  it('does not write a recording that still contains a secret', async () => {
    const headers = [{ name: 'set-cookie', value: 'a=1' }]
    const call = {
      request: { method: 'GET', url: 'https://a.example/api/v1/a' },
      response: { status: 204, headers },
    }
    const rules = join(root, 'rules.json')
    await writeFile(rules, '{ "headers": ["set-cookie"] }')
    const har = JSON.stringify({ log: { entries: [call] } })
    const { out, code, stdout, stderr } = await imported('har', 'e.har', har, '--redact', rules)
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^did not write .*: it still contained a secret\n$/),
    ])
    expect(stdout).toMatch(/^0 recordings in /)
    expect(readRecordingFolder(out).size).toBe(0)
  })

  it.each([
    ['har', 'missing.har', 'no such file'],
    ['har', '', 'is a directory: name a file in it'],
    ['curl', 'a', 'Allowed choices are har, vcr, sse'],
  ])('%s %s prints one line', async (kind, name, problem) => {
    const { code, stderr } = await runImport(kind, join(root, name), join(root, 'none'))
    expect(code).toBe(2)
    expect(stderr).toContain(problem)
    expect(stderr.trim().split('\n')).toHaveLength(1)
  })
})

describe('a HAR entry', () => {
  const url = 'https://a.example/api/v1/things'
  const har = (...entries: unknown[]) => JSON.stringify({ log: { entries } })
  const entry = ({ request = {}, response = {}, ...more }: Record<string, object | string>) => ({
    request: { method: 'GET', url, ...(request as object) },
    response: { status: 200, content: { mimeType: 'text/plain', text: 'hello' }, ...(response as object) },
    ...more,
  })
  const read = (given: unknown) => {
    try {
      const [entry] = readHar(har(given), 'a').map((readEntry) => readEntry())
      return toExchange(entry as Entry, '/things')
    } catch (error) {
      return (error as Error).message
    }
  }

  it('keeps its request, with lower-case, single-line headers', () => {
    const exchange = read(
      entry({
        request: {
          method: 'post',
          url: `${url}?a=1&b=`,
          headers: [{ name: ':path', value: '/' }, { name: 'X-A', value: 'b\r\nc' }, { name: 'X-B' }],
          postData: { text: 'aGk=', encoding: 'base64' },
        },
      }),
    )
    expect(exchange).toMatchObject({
      request: {
        method: 'POST',
        path: '/things',
        query: '?a=1&b=',
        headers: { 'x-a': 'b c', 'x-b': '' },
        text: 'hi',
      },
    })
    const body = (postData: unknown) => {
      const { request } = read(entry({ request: { postData } })) as { request: object }
      return request
    }
    expect(body({ text: '{"a":1}' })).toMatchObject({ json: { a: 1 } })
    for (const none of [undefined, null, {}, { encoding: 'base64' }])
      expect(body(none)).toEqual({
        method: 'GET',
        path: '/things',
        query: '',
        headers: {},
      })
    expect(read(entry({ request: { url: `${url}?` } }))).toMatchObject({ request: { query: '' } })
  })

  it.each([
    ['complete', 'fin'],
    ['aborted-by-fault', 'reset'],
    ['aborted-by-client', 'aborted-by-client'],
    [undefined, 'fin'],
  ])('with delivery %s becomes a recording that ends with %s', (delivery, how) => {
    expect(read(entry({ ...(delivery && { _delivery: delivery }) }))).toMatchObject({ end: { how } })
  })

  it('is imported as an aborted reply, or skipped, if it has no response', () => {
    const failed = { response: { status: 0 }, timings: { wait: 1, receive: 2 } }
    expect(read(entry(failed))).toBe('has no response (status 0)')
    expect(read(entry({ ...failed, _delivery: 'aborted-by-client' }))).toBe('has no response (status 0)')
    expect(read(entry({ ...failed, _delivery: 'aborted-by-fault' }))).toMatchObject({
      reply: undefined,
      chunks: [],
      end: { how: 'reset', ms: 3 },
    })
  })

  it('keeps the content-length of an unencoded body', () => {
    const headers = (...pairs: [string, string][]) => {
      const exchange = read(entry({ response: { headers: pairs.map(([name, value]) => ({ name, value })) } }))
      return typeof exchange === 'object' ? exchange.reply?.headers : exchange
    }
    expect(headers(['Content-Length', '5'], ['A', 'b'])).toEqual({ 'content-length': '5', a: 'b' })
    expect(headers(['content-length', '3'], ['content-encoding', 'br'], ['a', 'b'])).toEqual({ a: 'b' })
    expect(headers(['content-encoding', 'br'])).toEqual({})
  })

  const stream = (content: object, more: object = {}) =>
    entry({ response: { content: { mimeType: 'text/event-stream', ...content }, ...more } })
  const chunksOf = (given: unknown) => {
    const exchange = read(given)
    return typeof exchange === 'object' ? exchange.chunks.map(({ bytes }) => text(bytes)) : exchange
  }
  const missing = 'its body is missing; save the file with content'
  const misread = 'its stream was decoded wrongly (UTF-8 read as Latin-1); save it with another tool'

  it.each([
    ['plain text', stream({ text: 'data: a' }), ['data: a']],
    ['no text at all', entry({ response: { content: { mimeType: 'text/plain' } } }), missing],
    ['an empty body', entry({ response: { content: { mimeType: 'text/plain', size: 0 } } }), []],
    [
      'no JSON',
      entry({
        response: { content: { text: '' }, headers: [{ name: 'Content-Type', value: 'application/json' }] },
      }),
      'its body is empty, although its type is application/json',
    ],
    ...[204, 304].map((status) => [
      `no body and status ${status}`,
      entry({ response: { status, content: {} } }),
      [],
    ]),
    ['no body and HEAD', entry({ request: { method: 'HEAD' }, response: { content: {} } }), []],
    [
      'no request body, and a size',
      entry({ request: { bodySize: 2 } }),
      'the body of its request is missing',
    ],
    ['wrong base64', stream({ text: '!', encoding: 'base64' }), 'its body is not base64'],
    ['no text, and a size', entry({ response: { content: { size: 1 } } }), missing],
    ['no text in a stream', stream({}), missing],
    [
      'no text in a stream, by its header',
      entry({
        response: {
          content: { mimeType: 'x-unknown' },
          headers: [{ name: 'Content-Type', value: 'text/event-stream' }],
        },
      }),
      missing,
    ],
    ['no text in an error stream', stream({}, { status: 400 }), missing],
    ['base64', stream({ text: 'aGk=', encoding: 'base64' }), ['hi']],
    ['a correct size', stream({ text: 'ü', size: 2 }), ['ü']],
    [
      'a wrong size',
      stream({ text: 'ü', size: 1 }),
      'its stream has 2 bytes, but 1 were sent, so it was decoded wrongly or truncated',
    ],
    [
      'a wrong size outside a stream',
      entry({ response: { content: { mimeType: 'text/plain', text: 'ü', size: 1 } } }),
      ['ü'],
    ],
    [
      'U+FFFD in a stream',
      stream({ text: '\ufffd' }),
      'its stream was decoded wrongly (it contains U+FFFD), so bytes are lost',
    ],
    [
      'U+FFFD outside a stream',
      entry({ response: { content: { mimeType: 'text/plain', text: '\ufffd' } } }),
      ['\ufffd'],
    ],
    ['UTF-8 decoded as Latin-1', stream({ text: 'WÃ¶' }), misread],
    ['UTF-8 decoded as windows-1252', stream({ text: 'â‚¬' }), misread],
    ['a wrongly decoded emoji', stream({ text: 'ðŸŒŠ' }), misread],
    ['UTF-8 decoded as windows-1252, in the first column', stream({ text: 'Â€ Â\xa0' }), misread],
    ['a Latin-1 character', stream({ text: 'Wörter ÿ' }), ['Wörter ÿ']],
    ['windows-1252 characters that are not UTF-8', stream({ text: 'àŸ€' }), ['àŸ€']],
    ['a windows-1252 character', stream({ text: '5 €' }), ['5 €']],
    ['characters outside Latin-1', stream({ text: 'Ã¶ 🌊' }), ['Ã¶ 🌊']],
    [
      'a comment about missing bytes',
      stream({ text: 'a', comment: '2 bytes not kept' }),
      'its body is incomplete (2 bytes not kept)',
    ],
    ['no reply', { request: { method: 'GET', url } }, 'response: Is required'],
    ['no method', entry({ request: { method: '' } }), 'request.method: Must not be empty'],
    ['an unknown size', entry({ response: { content: { size: -1, text: 'hello' } } }), ['hello']],
  ] as [string, unknown, unknown][])(
    'with %s is imported, or skipped with a reason',
    (_, given, expected) => {
      expect(chunksOf(given)).toEqual(expected)
    },
  )
})
