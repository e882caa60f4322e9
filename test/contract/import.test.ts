/**
 * What other tools kept, as tapes: HAR files of browsers and proxies, curl commands, captures, our own journal.
 */

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { importCapture } from '../../src/contract/import-capture.ts'
import { importCurl } from '../../src/contract/import-curl.ts'
import { importHar } from '../../src/contract/import-har.ts'
import { importJournal } from '../../src/contract/import-journal.ts'
import { createGateway } from '../../src/index.ts'
import { operations } from '../../src/operations/index.ts'
import type { ScenarioPath } from '../../src/rules/scenario-path.ts'
import { entryFixture, entryScenario, entryTape } from '../../src/tapes/entry-export.ts'
import { Redactor } from '../../src/tapes/redactor.ts'
import { formatTape, parseTape } from '../../src/tapes/tape.ts'
import { type Exchanged, toTape } from '../../src/tapes/tape-writer.ts'

const redactor = new Redactor()
const tapeOf = (exchange: Exchanged) =>
  parseTape(formatTape(toTape(exchange, { redactor, operation: undefined })))
const base = 'https://gateway.example/api/v1'
const headers = { authorization: 'Bearer any', 'content-type': 'application/json' }

async function call(gateway: ReturnType<typeof createGateway>, path: string, body?: object) {
  const init = body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }
  const response = await gateway.fetch(base + path, init)
  return { status: response.status, text: await response.text() }
}

const asked: [string, object?][] = [
  ['/providers'],
  ['/benchmarks?max_results=2'],
  ['/presets/none'],
  ['/responses', { model: 'aurora/dawn-2', input: 'Wörter 🌊' }],
  ['/responses', { model: 'aurora/dawn-2', input: 'Wörter 🌊', stream: true }],
]

describe('A HAR file', () => {
  it('of our own journal, in and replayed, gives equal bytes and status', async () => {
    const gateway = createGateway({ timeScale: 0 })
    const before = []
    for (const [path, body] of asked) before.push(await call(gateway, path, body))
    const { exchanges, skipped } = importHar(JSON.stringify(gateway.journal.har()), 'a.har', '/api/v1')
    expect(skipped).toEqual([])

    const replaying = createGateway({ recordings: exchanges.map(tapeOf), speed: 0 })
    const after = []
    for (const [path, body] of asked) after.push(await call(replaying, path, body))
    expect(after).toEqual(before)
  })

  /** An entry as browsers write it. */
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

  it('of a browser brings the calls of the gateway, with their times and without what was about the wire', () => {
    const page = entry({}, { url: 'https://app.example/index.html' })
    const { exchanges } = importHar(
      `\ufeff${har(page, entry(stream('data: 1\r\n\r\n')))}`,
      'a.har',
      '/api/v1',
    )
    expect(exchanges.map(tapeOf)).toMatchObject([
      {
        request: { method: 'GET', path: '/providers', headers: {} },
        reply: { ms: 7, headers: { 'content-type': 'text/event-stream' } },
        chunks: [{ ms: 7, text: 'data: 1\r\n\r\n' }],
        end: { end: 'fin', ms: 10 },
      },
    ])
    expect(exchanges[0]?.reply?.headers).not.toHaveProperty('content-length')
  })

  it('of a proxy may have bodies in base64, and headers on several lines', () => {
    const body = {
      content: {
        size: 7,
        mimeType: 'text/event-stream',
        text: Buffer.from('data: ü').toString('base64'),
        encoding: 'base64',
      },
    }
    const { exchanges } = importHar(har(entry(body)), 'a.har', '/api/v1')
    expect(tapeOf(exchanges[0] as Exchanged).chunks).toMatchObject([{ text: 'data: ü' }])
  })

  it.each([
    ['U+FFFD in it', stream('data: W\ufffdrter\n\n')],
    ['UTF-8 read as Latin-1', stream('data: WÃ¶rter\n\n')],
    ['UTF-8 read as windows-1252', stream('data: so â€“ so\n\n')],
    ['another length', stream('data: W\n\n', 99)],
    ['no text', { content: { size: 12, mimeType: 'text/event-stream' } }],
    [
      'not kept',
      {
        content: {
          size: 12,
          mimeType: 'application/json',
          text: '{',
          comment: '11 more bytes were not kept',
        },
      },
    ],
  ])('is not guessed at where its body was lost: %s', (_, response) => {
    const { exchanges, skipped } = importHar(har(entry(response)), 'a.har', '/api/v1')
    expect(exchanges).toEqual([])
    expect(skipped[0]).toMatch(/^a\.har: entry 1: its (?:stream|body) /)
  })

  it('that is none, or of another site, is told in one line', () => {
    expect(() => importHar('{}', 'a.har', '/api/v1')).toThrow('a.har: is no HAR file')
    expect(() => importHar('<html>', 'a.har', '/api/v1')).toThrow('a.har: not JSON')
    expect(() => importHar(har(entry({})), 'a.har', '/v9')).toThrow('give --base')
    expect(importHar(har(entry({})), 'a.har', base).exchanges).toHaveLength(1)
  })
})

describe('curl commands', () => {
  const one = (text: string) => importCurl(text, 'a.sh', '/api/v1')[0]

  it.each([
    [
      `curl ${base}/providers?a=1 -H 'authorization: Bearer k'`,
      { method: 'GET', path: '/providers', query: '?a=1' },
    ],
    [`curl ${base}/providers\\?a=1\\&b=2 -H accept:\\ x`, { query: '?a=1&b=2', headers: { accept: 'x' } }],
    [
      `curl -sSN -XPATCH ${base}/workspaces/a -d '{"name":"N"}' -H "content-type: application/json"`,
      { method: 'PATCH', json: { name: 'N' } },
    ],
    [
      `curl '${base}/responses' \\\n  -H 'Content-Type: application/json' \\\n  --data-raw $'{"input":"it\\'s \\u00fc\\n"}' --compressed`,
      { method: 'POST', text: '{"input":"it\'s ü\n"}' },
    ],
    [
      `curl --json '{"a":' --json '1}' ${base}/responses`,
      { method: 'POST', json: { a: 1 }, headers: { 'content-type': 'application/json' } },
    ],
    [
      `curl -G ${base}/benchmarks -d max_results=3 --data-urlencode 'category=a b'`,
      { method: 'GET', query: '?max_results=3&category=a%20b' },
    ],
    [
      `$ curl --request POST --url=${base}/responses --data "{\\"a\\": \\"$ 5\\"}"`,
      { method: 'POST', text: '{"a": "$ 5"}' },
    ],
    [
      `curl -u user:pass -o out.json --max-time 5 ${base}/providers # why`,
      { headers: { authorization: expect.stringMatching(/^Basic /) } },
    ],
  ])('%s', (text, expected) => {
    expect(one(text)).toMatchObject(expected)
  })

  it('may be several in one file', () => {
    expect(
      importCurl(`#!/bin/sh\ncurl ${base}/providers\r\ncurl ${base}/benchmarks;`, 'a.sh', '/api/v1'),
    ).toHaveLength(2)
  })

  it.each([
    [`curl -H @headers.txt ${base}/providers`, 'reads a file'],
    [`curl -d @body.json ${base}/responses`, 'reads a file'],
    [`curl -F file=@a ${base}/responses`, '--form cannot be imported'],
    [`curl -H "authorization: Bearer $KEY" ${base}/providers`, 'a variable'],
    [`curl ${base}/providers | jq .`, "'|'"],
    [`curl ${base}/providers -H 'a`, 'not closed'],
    [`curl ${base}/providers -H "a: $`, 'a " is not closed'],
    ['curl https://other.example/x', 'give --base'],
    ['wget x', 'has no curl command'],
    ['curl -X', 'has no value'],
  ])('that cannot be taken are refused in one line: %s', (text, reason) => {
    expect(() => one(text)).toThrow(`a.sh: `)
    expect(() => one(text)).toThrow(reason)
  })

  it('make a tape that asks and answers nothing', () => {
    const request = one(`curl ${base}/providers`)
    const tape = tapeOf({ request, reply: undefined, chunks: [], end: undefined })
    expect(tape.end).toBeUndefined()
    expect(() => createGateway().use(tape)).toThrow('no reply yet')
  })
})

describe('A capture', () => {
  const bytes = (text: string) => new TextEncoder().encode(text)

  it('keeps its bytes, CR LF included, and answers nothing by itself', async () => {
    const tape = tapeOf(importCapture(bytes(': hi\r\ndata: ü\r\n\r\n'), 'a.txt', undefined))
    expect(tape.chunks).toMatchObject([{ text: ': hi\r\ndata: ü\r\n\r\n' }])
    const gateway = createGateway({ recordings: [tape] })
    expect((await call(gateway, '/responses', {})).status).toBe(404)
    gateway.use(tape)
    expect(await call(gateway, '/responses', { any: 1 })).toEqual({
      status: 200,
      text: ': hi\r\ndata: ü\r\n\r\n',
    })
  })

  it('answers the request that it is given', async () => {
    const request = { method: 'POST', path: '/responses', query: '', headers: {}, json: { a: 1 } }
    const gateway = createGateway({
      recordings: [tapeOf(importCapture(bytes('data: 1\n\n'), 'a.txt', request))],
    })
    expect((await call(gateway, '/responses', { a: 1 })).text).toBe('data: 1\n\n')
  })

  it('brings status and headers where curl -i printed them, after those of a proxy', () => {
    const text =
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/2 429 \r\ncontent-type: application/json\r\nretry-after: 3\r\n\r\n{"error":{}}'
    expect(importCapture(bytes(text), 'a.txt', undefined)).toMatchObject({
      reply: { status: 429, headers: { 'retry-after': '3' } },
      chunks: [{ bytes: bytes('{"error":{}}') }],
    })
  })

  it('brings the reply that curl -L followed to, not the redirection or its page', () => {
    const text =
      'HTTP/1.1 301 Moved\r\nlocation: /b\r\n\r\nHTTP/1.1 200 OK\r\nx-a: b\r\n\r\nHTTP is a protocol'
    expect(importCapture(bytes(text), 'a.txt', undefined)).toMatchObject({
      reply: { status: 200, headers: { 'x-a': 'b' } },
      chunks: [{ bytes: bytes('HTTP is a protocol') }],
    })
  })
})

describe('An entry of the journal', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'understudy-export-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  it('is imported as a tape, replayed with equal bytes', async () => {
    const gateway = createGateway({ timeScale: 0 })
    const before = []
    for (const [path, body] of asked) before.push(await call(gateway, path, body))
    const { exchanges, skipped } = importJournal(
      JSON.stringify({ data: gateway.journal.entries() }),
      'a.json',
    )
    expect(skipped).toEqual([])
    const replaying = createGateway({ recordings: exchanges.map(tapeOf), speed: 0 })
    for (const [index, [path, body]] of asked.entries())
      expect(await call(replaying, path, body)).toEqual(before[index])
  })

  it('is exported as a tape, as a rule and as a fixture, each of which answers as it did', async () => {
    const gateway = createGateway({ timeScale: 0, seed: 5 })
    const before = await call(gateway, '/providers')
    const entry = gateway.journal.last('listProviders')
    if (!entry) throw new Error('no entry')

    const file = join(folder, 'a.tape.jsonl')
    await writeFile(file, formatTape(entryTape(entry, entry.operation)))
    expect(await readFile(file, 'utf8')).not.toContain('Bearer any')
    const taped = createGateway({ timeScale: 0 })
    taped.use(file as ScenarioPath)
    expect(await call(taped, '/providers')).toEqual(before)

    const ruled = createGateway({ timeScale: 0 })
    ruled.use(entryScenario(entry, entry.operation, operations))
    expect(await call(ruled, '/providers')).toEqual(before)

    const fixed = createGateway({ fixtures: entryFixture(entry, entry.operation) as never })
    expect(await call(fixed, '/providers')).toEqual(before)
    expect(() => entryFixture({ ...entry, status: 500 }, entry.operation)).toThrow('as a tape or as a rule')
  })
})
