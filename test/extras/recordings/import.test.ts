/**
 * Tests imports of HAR files, event streams and journals, as a whole and field by field, and exports of
 * journal entries.
 */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { entryExchange, exportEntry } from '../../../src/extras/recordings/export.ts'
import { importHar, importJournal, importStream } from '../../../src/extras/recordings/import.ts'
import {
  fileNameOf,
  formatRecording,
  parseRecording,
  type RecordedRequest,
} from '../../../src/extras/recordings/recording.ts'
import { type Exchange, toRecording } from '../../../src/extras/recordings/recording-files.ts'
import { Redactor } from '../../../src/extras/recordings/redact.ts'
import { createGateway } from '../../../src/index.ts'
import { parseDataText } from '../../../src/lib/data-file.ts'
import { operations } from '../../../src/operations/index.ts'
import type { ScenarioPath } from '../../../src/scenarios/names.ts'
import type { ScenarioInput } from '../../../src/scenarios/scenario.ts'
import { call, type Target } from '../../call.ts'

const utf8 = (text: string) => new TextEncoder().encode(text)
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

const redactor = new Redactor()
const recordingOf = (exchange: Exchange) =>
  parseRecording(formatRecording(toRecording(exchange, { redactor, operation: undefined })))
const base = 'https://gateway.example/api/v1'

async function ask(gateway: Target, path: string, body?: object) {
  const { status, text } = await call(gateway, `${body ? 'POST' : 'GET'} ${path}`, { body })
  return { status, text }
}

const requests: [string, object?][] = [
  ['/providers'],
  ['/benchmarks?max_results=2'],
  ['/presets/none'],
  ['/responses', { model: 'aurora/dawn-2', input: 'Wörter 🌊' }],
  ['/responses', { model: 'aurora/dawn-2', input: 'Wörter 🌊', stream: true }],
]

describe('importing a HAR file', () => {
  it('restores the status and bytes of the calls that Understudy exported', async () => {
    const gateway = createGateway({ timeScale: 0 })
    const before = []
    for (const [path, body] of requests) before.push(await ask(gateway, path, body))
    const { exchanges, skipped } = importHar(JSON.stringify(gateway.journal.har()), 'a.har', '/api/v1')
    expect(skipped).toEqual([])

    const replaying = createGateway({ recordings: exchanges.map(recordingOf), timeScale: 0 })
    const after = []
    for (const [path, body] of requests) after.push(await ask(replaying, path, body))
    expect(after).toEqual(before)
  })

  /** Returns an entry as browsers write it. */
  const entry = (response: object, request: object = {}) => ({
    startedDateTime: '2026-01-01T00:00:00.000Z',
    time: 12,
    request: {
      method: 'GET',
      url: `${base}/providers`,
      httpVersion: 'h2',
      headers: [{ name: ':authority', value: 'x' }],
      queryString: [],
      cookies: [],
      headersSize: -1,
      bodySize: 0,
      ...request,
    },
    response: {
      status: 200,
      statusText: '',
      headers: [],
      cookies: [],
      content: { size: 2, mimeType: 'application/json', text: '{}' },
      redirectURL: '',
      headersSize: -1,
      bodySize: 2,
      ...response,
    },
    cache: {},
    timings: { blocked: -1, dns: -1, send: 0, wait: 7, receive: 3 },
  })
  const har = (...entries: object[]) =>
    JSON.stringify({ log: { version: '1.2', creator: { name: 'x', version: '1' }, entries } })
  const stream = (text: string, size = Buffer.byteLength(text)) => ({
    content: { size, mimeType: 'text/event-stream', text },
    headers: [
      { name: 'Content-Type', value: 'text/event-stream' },
      { name: 'content-encoding', value: 'br' },
      { name: 'content-length', value: '7' },
    ],
  })

  it('keeps the timing of gateway calls and drops transport headers in a file from a browser', () => {
    const page = entry({}, { url: 'https://app.example/index.html' })
    const { exchanges } = importHar(
      `\ufeff${har(page, entry(stream('data: 1\r\n\r\n')))}`,
      'a.har',
      '/api/v1',
    )
    expect(exchanges.map(recordingOf)).toMatchObject([
      {
        request: { method: 'GET', path: '/providers', headers: {} },
        reply: { ms: 7, headers: { 'content-type': 'text/event-stream' } },
        chunks: [{ ms: 7, text: 'data: 1\r\n\r\n' }],
        end: { end: 'fin', ms: 10 },
      },
    ])
    expect(exchanges[0]?.reply?.headers).not.toHaveProperty('content-length')
  })

  it('supports base64 bodies in a file from a proxy', () => {
    const body = {
      content: {
        size: 7,
        mimeType: 'text/event-stream',
        text: Buffer.from('data: ü').toString('base64'),
        encoding: 'base64',
      },
    }
    const { exchanges } = importHar(har(entry(body)), 'a.har', '/api/v1')
    expect(recordingOf(exchanges[0] as Exchange).chunks).toMatchObject([{ text: 'data: ü' }])
  })

  it.each([
    ['U+FFFD', stream('data: W\ufffdrter\n\n')],
    ['UTF-8 read as Latin-1', stream('data: WÃ¶rter\n\n')],
    ['UTF-8 read as windows-1252', stream('data: so â€“ so\n\n')],
    ['a different length', stream('data: W\n\n', 99)],
    ['no text', { content: { size: 12, mimeType: 'text/event-stream' } }],
    [
      'not stored',
      {
        content: {
          size: 12,
          mimeType: 'application/json',
          text: '{',
          comment: '11 more bytes were not stored',
        },
      },
    ],
  ])('skips an entry whose body is corrupted or missing: %s', (_, response) => {
    const { exchanges, skipped } = importHar(har(entry(response)), 'a.har', '/api/v1')
    expect(exchanges).toEqual([])
    expect(skipped[0]).toMatch(/^a\.har: entry 1: its (?:stream|body) /)
  })

  it('reports an invalid file, or a file from another site, on one line', () => {
    expect(() => importHar('{}', 'a.har', '/api/v1')).toThrow('a.har: is not a HAR file')
    expect(() => importHar('<html>', 'a.har', '/api/v1')).toThrow('a.har:1:1: not JSON')
    expect(() => importHar(har(entry({})), 'a.har', '/v9')).toThrow('set --base')
    expect(importHar(har(entry({})), 'a.har', base).exchanges).toHaveLength(1)
  })
})

describe('importing an event stream', () => {
  const bytes = (text: string) => new TextEncoder().encode(text)
  const recordingOf = (text: string, request?: RecordedRequest) => {
    const { exchanges, name } = importStream(bytes(text), 'folder/a.txt', request)
    return toRecording(exchanges[0] as Exchange, { redactor, operation: request ? undefined : name })
  }

  it('keeps its bytes, including CR LF, and matches no request by itself', async () => {
    const recording = recordingOf(': hi\r\ndata: ü\r\n\r\n')
    expect(recording.chunks).toMatchObject([{ text: ': hi\r\ndata: ü\r\n\r\n' }])
    expect(recording.reply).toEqual({
      ms: 0,
      status: 200,
      headers: { 'content-type': 'text/event-stream; charset=utf-8' },
    })
    const gateway = createGateway({ recordings: [recording] })
    expect((await ask(gateway, '/responses', {})).status).toBe(404)
    gateway.use(recording)
    expect(await ask(gateway, '/responses', { any: 1 })).toEqual({
      status: 200,
      text: ': hi\r\ndata: ü\r\n\r\n',
    })
  })

  it('replies to the given request', async () => {
    const request = { method: 'POST', path: '/responses', query: '', headers: {}, json: { a: 1 } }
    const gateway = createGateway({ recordings: [recordingOf('data: 1\n\n', request)] })
    expect((await ask(gateway, '/responses', { a: 1 })).text).toBe('data: 1\n\n')
  })

  it('names the recording after the file', () => {
    expect(fileNameOf(recordingOf('data: 1\n\n').head)).toBe('a.recording.jsonl')
  })

  it.each(['', 'data: 1', ': a comment\n\n', '{"error":{}}', '\x1f\x8b\b'])('requires events: %j', (text) => {
    expect(() => recordingOf(text)).toThrow('folder/a.txt: has no events, but must be an event stream')
  })

  it('rejects a file with response headers', () => {
    expect(() => recordingOf('HTTP/1.1 200 OK\r\na: b\r\n\r\ndata: 1\r\n\r\n')).toThrow(
      'folder/a.txt: starts with response headers. Save only the body, without curl -i',
    )
  })
})

describe('a journal entry', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'understudy-export-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  it('can be imported as a recording and replayed byte by byte', async () => {
    const gateway = createGateway({ timeScale: 0 })
    const before = []
    for (const [path, body] of requests) before.push(await ask(gateway, path, body))
    const { exchanges, skipped } = importJournal(
      JSON.stringify({ data: gateway.journal.entries() }),
      'a.json',
    )
    expect(skipped).toEqual([])
    const replaying = createGateway({ recordings: exchanges.map(recordingOf), timeScale: 0 })
    for (const [index, [path, body]] of requests.entries())
      expect(await ask(replaying, path, body)).toEqual(before[index])
  })

  it('can be exported as a recording, a rule and a fixture, each of which leads to the same reply', async () => {
    const gateway = createGateway({ timeScale: 0, seed: 5 })
    const before = await ask(gateway, '/providers')
    const entry = gateway.journal.last('listProviders')
    if (!entry) throw new Error('no entry')

    const file = join(folder, 'a.recording.jsonl')
    await writeFile(file, exportEntry(entry, 'recording', operations))
    expect(await readFile(file, 'utf8')).not.toContain('Bearer any')
    const recorded = createGateway({ timeScale: 0 })
    recorded.use(file as ScenarioPath)
    expect(await ask(recorded, '/providers')).toEqual(before)

    const ruled = createGateway({ timeScale: 0 })
    ruled.use(parseDataText('a.yaml', exportEntry(entry, 'rule', operations)).value as ScenarioInput)
    expect(await ask(ruled, '/providers')).toEqual(before)

    const fixed = createGateway({ fixtures: JSON.parse(exportEntry(entry, 'fixture', operations)) })
    expect(await ask(fixed, '/providers')).toEqual(before)
    expect(() => exportEntry({ ...entry, status: 500 }, 'fixture', operations)).toThrow(
      'export this call as a recording or a rule',
    )
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
  const read = (given: unknown, base = '/api/v1') => {
    const { exchanges, skipped } = importHar(har(given, entry({})), 'a', base)
    if (skipped.length > 0) return skipped[0]?.replace('a: entry 1: ', '')
    return exchanges.length === 1 ? 'left out' : exchanges[0]
  }

  it('is imported with its timings', () => {
    const times = (timings?: object) => {
      const exchange = read(entry({ ...(timings && { timings }) }))
      if (typeof exchange !== 'object') throw new Error(exchange)
      return [exchange.reply?.ms, exchange.chunks[0]?.ms, exchange.end?.ms]
    }
    expect(times()).toEqual([0, 0, 0])
    expect(times({ send: 100, wait: 7, receive: 3 })).toEqual([7, 7, 10])
    expect(times({ wait: -1, receive: 3 })).toEqual([0, 0, 3])
    expect(times({ wait: 2, receive: -1 })).toEqual([2, 2, 2])
  })

  it('keeps chunk times from a HAR file exported by Understudy if they cover the whole body', () => {
    const chunks = (_chunks: unknown) => {
      const exchange = read(entry({ _chunks: _chunks as object, timings: { wait: 9 } }))
      return typeof exchange === 'object'
        ? exchange.chunks.map(({ ms, bytes }) => [ms, text(bytes)])
        : exchange
    }
    expect(
      chunks([
        [1, 2],
        [3, 0],
        [4, 3],
      ]),
    ).toEqual([
      [1, 'he'],
      [3, ''],
      [4, 'llo'],
    ])
    expect(
      chunks([
        [1, 2],
        [3, 2],
      ]),
    ).toEqual([[9, 'hello']])
    expect(chunks([])).toEqual([[9, 'hello']])
    expect(chunks([[-1, 5]])).toMatch(/^_chunks\.0\.0: /)
  })

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
    expect(read(entry({ request: { method: 'OPTIONS' } }))).toBe('left out')
  })

  it.each([
    ['/api/v1', '/things'],
    ['/api/v1/', '/things'],
    ['/api', '/v1/things'],
    ['https://a.example/api/v1', '/things'],
    ['https://a.example/api/v1/', '/things'],
    ['https://a.example', '/api/v1/things'],
  ])('is imported with the base %s as %s', (base, path) => {
    expect(
      importHar(har(entry({ request: { url: `${url}?a=1` } })), 'a', base).exchanges[0]?.request?.path,
    ).toBe(path)
  })

  it.each(['/api/v1/thing', '/api/v2', 'https://b.example/api/v1', 'https://a.example/api/v1/things'])(
    'is rejected because it is not under the base %s',
    (base) => {
      expect(() => importHar(har(entry({})), 'a', base)).toThrow(
        `a: none of its 1 entries is under ${base}, so set --base`,
      )
    },
  )

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
    expect(headers(['content-length', '5'], ['content-encoding', 'br'], ['a', 'b'])).toEqual({ a: 'b' })
    expect(headers(['content-encoding', 'br'])).toEqual({})
  })

  const stream = (content: object, more: object = {}) =>
    entry({ response: { content: { mimeType: 'text/event-stream', ...content }, ...more } })
  const chunksOf = (given: unknown) => {
    const exchange = read(given)
    return typeof exchange === 'object' ? exchange.chunks.map(({ bytes }) => text(bytes)) : exchange
  }
  const misread = 'its stream was decoded wrongly (UTF-8 read as Latin-1); save it with another tool'

  it.each([
    ['plain text', stream({ text: 'data: a' }), ['data: a']],
    ['no text at all', entry({ response: { content: { mimeType: 'text/plain' } } }), []],
    ['null for no text', entry({ response: { content: { text: null, size: 0 } } }), []],
    ['no content', entry({ response: { content: undefined } }), []],
    [
      'no text, and a size',
      entry({ response: { content: { size: 1 } } }),
      'its body is missing; save the HAR file with content',
    ],
    ['no text in a stream', stream({}), 'its body is missing; save the HAR file with content'],
    [
      'no text in a stream, by its header',
      entry({
        response: {
          content: { mimeType: 'x-unknown' },
          headers: [{ name: 'Content-Type', value: 'text/event-stream' }],
        },
      }),
      'its body is missing; save the HAR file with content',
    ],
    ['no text in an error stream', stream({}, { status: 400 }), []],
    ['base64', stream({ text: 'aGk=', encoding: 'base64' }), ['hi']],
    ['a correct size', stream({ text: 'ü', size: 2 }), ['ü']],
    ['an unknown size', stream({ text: 'ü', size: 0 }), ['ü']],
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
    ['a wrongly decoded last character', stream({ text: 'Ã¿' }), ['Ã¿'].map(() => misread)[0]],
    ['UTF-8 decoded as windows-1252, in the first column', stream({ text: 'Â€ Â\xa0' }), misread],
    ['a control character', stream({ text: 'data: \x7f' }), ['data: \x7f']],
    ['a Latin-1 character', stream({ text: 'Wörter ÿ' }), ['Wörter ÿ']],
    ['windows-1252 characters that are not UTF-8', stream({ text: 'àŸ€' }), ['àŸ€']],
    ['a windows-1252 character', stream({ text: '5 €' }), ['5 €']],
    ['characters outside Latin-1', stream({ text: 'Ã¶ 🌊' }), ['Ã¶ 🌊']],
    ['a comment', stream({ text: 'a', comment: 'nice' }), ['a']],
    [
      'a comment about missing bytes',
      stream({ text: 'a', comment: '2 bytes not kept' }),
      'its body is incomplete (2 bytes not kept)',
    ],
    ['no reply', { request: { method: 'GET', url } }, 'response: Is required'],
    ['no method', entry({ request: { method: '' } }), 'request.method: Must not be empty'],
    [
      'a status of 600',
      entry({ response: { status: 600 } }),
      'response.status: Must be at most 599, got 600',
    ],
    ['a status of 599', entry({ response: { status: 599 } }), ['hello']],
    [
      'a wait of less than -1',
      entry({ timings: { wait: -1.5 } }),
      'timings.wait: Must be -1 or more, got -1.5',
    ],
    [
      'a receive time of less than -1',
      entry({ timings: { receive: -1.5 } }),
      'timings.receive: Must be -1 or more, got -1.5',
    ],
    [
      'a size of less than -1',
      entry({ response: { content: { size: -1.5, text: 'hello' } } }),
      'response.content.size: Must be -1 or more, got -1.5',
    ],
    ['an unknown size', entry({ response: { content: { size: -1, text: 'hello' } } }), ['hello']],
  ] as [string, unknown, unknown][])(
    'with %s is imported, or skipped with a reason',
    (_, given, expected) => {
      expect(chunksOf(given)).toEqual(expected)
    },
  )
})

describe('a journal entry in a file', () => {
  const entry = {
    method: 'POST',
    path: '/s1/api/v1/things',
    query: { a: ['1', '2'], b: 'c d' },
    headers: { accept: 'x' },
    rawBody: { text: '{"a":1}', cut: 0 },
    status: 200,
    replyHeaders: { etag: 'e' },
    replyBody: { text: 'hello', cut: 0 },
    delivery: 'complete',
    durationMs: 9,
    firstByteMs: 4,
  } as const
  const read = (more: object) => {
    const { exchanges, skipped } = importJournal(JSON.stringify([{ ...entry, ...more }]), 'a')
    return skipped[0]?.replace('a: entry 1: ', '') ?? exchanges[0]
  }

  it('contains everything that a recording needs', () => {
    expect(read({})).toEqual({
      request: {
        method: 'POST',
        path: '/things',
        query: '?a=1&a=2&b=c+d',
        headers: { accept: 'x' },
        json: { a: 1 },
      },
      reply: { ms: 4, status: 200, headers: { etag: 'e' } },
      chunks: [{ ms: 4, bytes: utf8('hello') }],
      end: { how: 'fin', ms: 9 },
    })
    expect(read({ firstByteMs: null })).toMatchObject({ reply: { ms: 9 } })
    expect(read({ firstByteMs: null, durationMs: null })).toMatchObject({ reply: { ms: 0 }, end: { ms: 0 } })
    expect(read({ query: undefined, headers: undefined, replyHeaders: undefined })).toMatchObject({
      request: { query: '', headers: {} },
      reply: { headers: {} },
    })
    expect(read({ replyBody: { text: '', cut: 0 } })).toMatchObject({ chunks: [] })
    expect(read({ replyBody: { text: 'a', cut: 0 } })).toMatchObject({ chunks: [{ ms: 4 }] })
    expect(read({ delivery: 'aborted-by-fault' })).toMatchObject({ end: { how: 'reset' } })
    expect(read({ delivery: 'aborted-by-client' })).toMatchObject({ end: { how: 'aborted-by-client' } })
    expect(read({ status: 0 })).toMatchObject({ reply: undefined })
    expect(read({ status: 999 })).toMatchObject({ reply: { status: 999 } })
    expect(read({ status: 1000 })).toBe('status: Must be at most 999, got 1000')
  })

  it.each([
    [{ rawBody: { text: '', cut: 1 } }, 'The request or reply in the journal is incomplete'],
    [{ replyBody: { text: '', cut: 1 } }, 'The request or reply in the journal is incomplete'],
    [{ delivery: 'pending' }, 'The request is still in progress'],
    [{ delivery: 'lost' }, /^delivery: Must be 'pending'/],
    [{ replyBody: {} }, 'replyBody.text: Is required'],
  ])('with %j is skipped with a reason', (more, reason) => {
    expect(read(more)).toEqual(typeof reason === 'string' ? reason : expect.stringMatching(reason))
  })

  it('is read from a list, a control API reply, a single object or JSON Lines', () => {
    const one = JSON.stringify(entry)
    const count = (given: string) => importJournal(given, 'a').exchanges.length
    expect(
      [`[${one},${one}]`, `{"data":[${one},${one}]}`, `{"data":${one}}`, one, `${one}\n\n${one}\n`].map(
        count,
      ),
    ).toEqual([2, 2, 1, 1, 2])
    expect(importJournal(`${one}\n{}`, 'a').skipped).toEqual([expect.stringMatching(/^a: entry 2: method: /)])
    expect(() => importJournal('{', 'a')).toThrow(/^a: is not a journal: /)
    expect(() => importJournal(`${one}\nno`, 'a')).toThrow(/^a: is not a journal: /)
  })

  it('is exported as a fixture if its reply contains records', () => {
    const fixture = (data: unknown, operation: string | null, more: object = {}) => {
      const replyBody = { text: JSON.stringify({ data }), cut: 0 }
      return JSON.parse(exportEntry({ ...entry, replyBody, operation, ...more } as never, 'fixture', []))
    }
    expect(fixture([{ a: 1 }], 'listBenchmarks')).toEqual({ benchmarks: [{ a: 1 }] })
    expect(fixture({ a: 1 }, 'updateWorkspace')).toEqual({ workspaces: [{ a: 1 }] })
    expect(fixture([{ a: 1 }], 'listEmbeddingsModels')).toEqual({ embeddingsModels: [{ a: 1 }] })
    expect(fixture({ a: 1, designated_version: { b: 2 } }, 'getPreset')).toEqual({
      presets: [{ a: 1 }],
      presetVersions: [{ b: 2 }],
    })
    const none =
      'Only a 200 reply from listProviders, updateWorkspace, listEmbeddingsModels, listBenchmarks, getPreset can be exported as a fixture: export this call as a recording or a rule'
    for (const operation of [null, 'createResponse']) expect(() => fixture([], operation)).toThrow(none)
    expect(() => fixture([], 'listProviders', { status: 201 })).toThrow(none)
    expect(() => fixture([], 'listProviders', { replyBody: { text: '', cut: 1 } })).toThrow(
      'The reply in the journal is incomplete',
    )
    for (const data of [[null], [['a']], 'a', undefined])
      expect(() => fixture(data, 'listProviders')).toThrow('but this reply has none')
    expect(
      exportEntry(
        { ...entry, replyBody: { text: '{"data":[]}', cut: 0 }, operation: 'listProviders' } as never,
        'fixture',
        [],
      ),
    ).toBe('{\n  "providers": []\n}\n')
    expect(entryExchange({ ...entry, path: '/elsewhere' } as never).request?.path).toBe('/elsewhere')
  })
})
