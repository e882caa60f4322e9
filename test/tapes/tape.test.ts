/**
 * Tapes as data: read, written, replayed, compared, scanned and measured, without a connection.
 */
import { describe, expect, it } from 'vitest'
import { fromLatin1, toLatin1 } from '../../src/lib/bytes.ts'
import { fillText, fillValue } from '../../src/tapes/filler.ts'
import { latencyProfile } from '../../src/tapes/latency-profile.ts'
import { Recordings } from '../../src/tapes/recordings.ts'
import { Redactor } from '../../src/tapes/redactor.ts'
import { hangUpOf, replayedHeaders, toReplay } from '../../src/tapes/replay.ts'
import {
  canonicalBody,
  keyPartsOf,
  operationName,
  toKey,
  volatileFields,
} from '../../src/tapes/request-key.ts'
import { scanFile, scanTape, scanText } from '../../src/tapes/scan.ts'
import {
  isPlaceholder,
  placeholderFor,
  SecretFinder,
  withoutPlaceholders,
} from '../../src/tapes/secret-finder.ts'
import {
  formatTape,
  isTape,
  parseTape,
  rounded,
  type Tape,
  tapeName,
  toChunk,
  toContent,
} from '../../src/tapes/tape.ts'
import { isEventStream, joinedDeltas } from '../../src/tapes/tape-events.ts'
import { tapeScenario } from '../../src/tapes/tape-scenario.ts'
import { type Exchanged, toTape } from '../../src/tapes/tape-writer.ts'

const utf8 = (text: string) => new TextEncoder().encode(text)
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

const head = { tape: 1, operation: 'ask', dialect: 'neutral', key: '', redacted: [] as string[] } as const

type Part = string | { ms: number; text: string } | { ms: number; base64: string }

/** A tape of a reply; chunks come at 10, 20, … ms. */
function tapeOf(
  chunks: Part[],
  {
    end = 'fin',
    ...more
  }: Partial<Omit<Tape, 'chunks' | 'end'>> & { end?: string | object; type?: string } = {},
): Tape {
  const parts = chunks.map((part, index) =>
    typeof part === 'string' ? { ms: 10 * (index + 1), text: part } : part,
  )
  return {
    head,
    reply: { ms: 4, status: 200, headers: { 'content-type': more.type ?? 'text/plain' } },
    chunks: parts,
    end: typeof end === 'string' ? { end, ms: 100, bytes: 0 } : end,
    ...more,
  } as Tape
}

const asked = (body: unknown, more: object = {}) =>
  ({ method: 'POST', path: '/ask', query: '', headers: {}, json: body, ...more }) as NonNullable<
    Tape['request']
  >

describe('The file of a tape', () => {
  const first = '{"tape":1,"operation":"ask","key":"k"}'
  const request = '{"request":{"method":"GET","path":"/a"}}'
  const reply = '{"reply":{"ms":1,"status":200,"headers":{}}}'
  const chunk = '{"ms":2,"text":"ab"}'
  const end = '{"end":"fin","ms":3,"bytes":2}'

  it('is read line by line, blank lines left out, and written as it was', () => {
    const tape = parseTape([first, '', request, reply, '  ', chunk, end].join('\n'))
    expect(tape).toEqual({
      head: { tape: 1, operation: 'ask', key: 'k', dialect: 'neutral', redacted: [] },
      request: { method: 'GET', path: '/a', query: '', headers: {} },
      reply: { ms: 1, status: 200, headers: {} },
      chunks: [{ ms: 2, text: 'ab' }],
      end: { end: 'fin', ms: 3, bytes: 2 },
    })
    expect(parseTape(formatTape(tape))).toEqual(tape)
    expect(formatTape(tape).split('\n')).toHaveLength(6)
    expect(parseTape(first)).toEqual({ head: tape.head, chunks: [] })
  })

  it.each([
    [[], 't: is empty'],
    [['nothing'], /^t:1: not JSON: /],
    [['7'], 't:1: is not an object'],
    [['null'], 't:1: is not an object'],
    [['[]'], 't:1: is not an object'],
    [[request], 't:1: a tape begins with its head, {"tape":1,…}'],
    [[first, '', first], 't:3: has a second head'],
    [[first, request, request], 't:3: has a second request'],
    [[first, reply, reply], 't:3: has a second reply'],
    [[first, chunk, end, chunk], 't:4: stands after the line that says how it ended'],
    [['{"tape":2,"operation":"ask","key":"k"}'], 't:1: head: tape: Invalid input: expected 1'],
    [
      ['{"tape":1,"operation":"","key":"k"}'],
      't:1: head: operation: Too small: expected string to have >=1 characters',
    ],
    [[first, '{"request":7}'], 't:2: request: Invalid input: expected object, received number'],
    [[first, '{"request":{"method":"get","path":"/a"}}'], 't:2: request: method: a method is in capitals'],
    [
      [first, '{"reply":{"ms":-1,"status":200,"headers":{}}}'],
      't:2: reply: ms: Too small: expected number to be >=0',
    ],
    [
      [first, '{"reply":{"ms":0,"status":99,"headers":{}}}'],
      't:2: reply: status: Too small: expected number to be >=100',
    ],
    [
      [first, '{"reply":{"ms":0,"status":600,"headers":{}}}'],
      't:2: reply: status: Too big: expected number to be <=599',
    ],
    [[first, '{"ms":0}'], 't:2: chunks: a chunk has ms, and text or base64'],
    [
      [first, chunk, '{"end":"fin","ms":0,"bytes":-1}'],
      't:3: end: bytes: Too small: expected number to be >=0',
    ],
    [[first, chunk, '{"end":"fin","ms":3,"bytes":3}'], 't: its chunks have 2 bytes, its last line says 3'],
    [
      [first, chunk, '{"end":"fin","ms":3,"bytes":2,"sha256":"00"}'],
      't: its chunks are not what was recorded. Where that is meant, remove sha256 from its last line',
    ],
  ] as [string[], string | RegExp][])('that holds %j is refused', (lines, message) => {
    expect(() => parseTape(lines.join('\n'), 't')).toThrow(message)
    if (typeof message === 'string')
      expect(() => parseTape(lines.join('\n'), 't')).toThrow(
        new RegExp(`^${message.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`),
      )
  })

  it('has a name of its operation and key, and a number from the second on', () => {
    const named = { ...head, key: 'k' }
    expect(tapeName(named)).toBe('ask-k.tape.jsonl')
    expect(tapeName(named, 1)).toBe('ask-k.tape.jsonl')
    expect(tapeName(named, 2)).toBe('ask-k.2.tape.jsonl')
    expect(tapeName({ ...head, operation: 'get /a' })).toBe('get-a-capture.tape.jsonl')
  })

  it.each([
    [{ head, chunks: [] }, true],
    [{ head }, false],
    [{ chunks: [] }, false],
    [null, false],
    ['tape', false],
    [() => {}, false],
  ])('%j, given as a tape: %j', (value, is) => {
    expect(isTape(value)).toBe(is)
  })

  it.each([
    ['', {}],
    ['{"a":1}', { json: { a: 1 } }],
    ['{ "a": 1 }', { text: '{ "a": 1 }' }],
    ['no JSON', { text: 'no JSON' }],
    ['null', { json: null }],
  ])('keeps the body %j of a request in the form that reads best', (body, content) => {
    expect(toContent(utf8(body))).toEqual(content)
  })

  it('keeps bytes that are no text in base64, and times to a hundredth', () => {
    expect(toContent(Uint8Array.of(0xff))).toEqual({ base64: '/w==' })
    expect(toChunk(1.234, utf8('a'))).toEqual({ ms: 1.23, text: 'a' })
    expect(toChunk(1.236, Uint8Array.of(0xff))).toEqual({ ms: 1.24, base64: '/w==' })
    expect([-1, 0, 0.004, 0.005, 1.999].map(rounded)).toEqual([0, 0, 0, 0.01, 2])
  })
})

describe('A replay', () => {
  const framesOf = (tape: Tape, speed: number, elapsed?: () => number) => {
    const { waitMs, reply } = toReplay(tape, speed, elapsed)
    const frames = reply.body.kind === 'frames' ? [...reply.body.frames] : [reply.body]
    return [
      waitMs,
      ...frames.map((frame) => {
        if (frame.kind === 'bytes') return text(frame.bytes as Uint8Array)
        if (frame.kind === 'wait') return frame.ms
        return frame.kind === 'hang-up' ? `hang up: ${frame.how}` : frame
      }),
    ]
  }

  it('waits as it was recorded, faster or slower, or not at all', () => {
    const tape = tapeOf(['a', { ms: 10, text: 'b' }, { ms: 40, base64: 'Yw==' }])
    expect(framesOf(tape, 1)).toEqual([4, 10, 'a', 'b', 30, 'c', 60])
    expect(framesOf(tape, 2)).toEqual([2, 5, 'a', 'b', 15, 'c', 30])
    expect(framesOf(tape, 0.5)).toEqual([8, 20, 'a', 'b', 60, 'c', 120])
    expect(framesOf(tape, 0)).toEqual([0, 'a', 'b', 'c'])
  })

  it('does not wait for what was late already', () => {
    expect(framesOf(tapeOf(['a', 'b']), 1, () => 15)).toEqual([-11, 'a', 5, 'b', 80])
    expect(
      framesOf(
        tapeOf([
          { ms: 20, text: 'a' },
          { ms: 10, text: 'b' },
        ]),
        1,
      ),
    ).toEqual([4, 20, 'a', 'b', 80])
  })

  it.each([
    ['fin', 'a', undefined],
    ['reset', 'a', 'reset'],
    ['idle', 'a', 'silence'],
    ['client-left', 'data: {"type":"x"}\n\n', 'reset'],
    ['client-left', 'data: [DONE]\n\n', undefined],
    ['client-left', 'data:[DONE]\n\n', undefined],
    ['client-left', 'a [DONE]', 'reset'],
    ['client-left', '{"type":"response.completed"}', undefined],
    ['client-left', '{"type": "response.failed"}', undefined],
    ['client-left', '{"type":"response.incomplete"}', undefined],
    ['client-left', '{"type":"message_stop"}', undefined],
    ['client-left', '{"type":"response.created"}', 'reset'],
  ])('of a reply that ended with %s after %j hangs up with %j', (end, body, how) => {
    const tape = tapeOf([body], { end })
    expect(hangUpOf(tape)).toBe(how)
    expect(framesOf(tape, 0)).toEqual([0, body, ...(how ? [`hang up: ${how}`] : [])])
  })

  it('of a connection that ended without a head hangs up after the same time', () => {
    const nothing = (end: string) => framesOf(tapeOf([], { end, reply: undefined }), 2)
    expect(nothing('reset')).toEqual([50, 'hang up: reset'])
    expect(nothing('idle')).toEqual([50, 'hang up: silence'])
    expect(nothing('fin')).toEqual([50, 'hang up: end'])
    const open = { ...tapeOf([], { reply: undefined }), end: undefined }
    expect(framesOf(open, 1)).toEqual([0, 'hang up: end'])
    expect(framesOf(open, 1, () => 7)).toEqual([-7, 'hang up: end'])
    expect(framesOf({ ...tapeOf(['a']), end: undefined }, 1)).toEqual([4, 10, 'a'])
  })

  it('leaves headers out that are not true of it, were redacted, or cannot be sent', () => {
    const headers = {
      'content-type': 'a',
      date: 'today',
      connection: 'close',
      'content-encoding': 'gzip',
      'transfer-encoding': 'chunked',
      'set-cookie': placeholderFor('a=b; and more of it'),
      'bad name': 'a',
      'x-line': 'a\nb',
      etag: 'b',
    }
    expect(replayedHeaders(tapeOf([], { reply: { ms: 0, status: 200, headers } }))).toEqual({
      'content-type': 'a',
      etag: 'b',
    })
  })
})

describe('A tape as a scenario', () => {
  const operations = [
    { id: 'getThing', method: 'get', path: '/things/{id}/of/{name}' },
    { id: 'ask', method: 'post', path: '/ask' },
  ]
  const rule = (tape: Tape) => tapeScenario(tape, operations).rules[0]

  it('has the query, the path and the body of the request as its conditions', () => {
    const get = tapeOf(['a'], {
      request: asked(undefined, { method: 'GET', path: '/things/a%20b/of/c', query: '?q=1&r=' }),
    })
    expect(tapeScenario({ ...get, head: { ...head, operation: 'get /x', key: 'k' } }, operations)).toEqual({
      name: 'tape-get-x-k',
      rules: [
        {
          name: 'recorded',
          on: 'getThing',
          when: { params: { id: 'a b', name: 'c' }, query: { q: '1', r: '' } },
          reply: {
            status: 200,
            headers: { 'content-type': 'text/plain' },
            frames: [{ wait: 4 }, { wait: 6 }, { bytes: 'a' }, { wait: 90 }],
          },
        },
      ],
    })
    expect(rule(tapeOf([], { request: asked({ a: { b: [1] }, user: 'x' }) }))).toMatchObject({
      on: 'ask',
      when: { body: { a: { equals: { b: [1] } } } },
    })
    for (const body of [null, [1], 'text', 7, {}, { user: 'x' }])
      expect(rule(tapeOf([], { request: asked(body) }))).not.toHaveProperty('when')
    const filled = tapeOf([], { head: { ...head, bodyHash: 'h' }, request: asked({ a: 1 }) })
    expect(rule(filled)).not.toHaveProperty('when')
  })

  it('is about the operation that is called so, the path, or every call', () => {
    const on = (request?: Tape['request']) => rule(tapeOf([], { request }))?.on
    expect(on()).toBe('*')
    expect(on(asked({}))).toBe('ask')
    expect(on(asked({}, { method: 'PUT' }))).toBe('PUT /ask')
    expect(on(asked({}, { path: '/ask/more' }))).toBe('POST /ask/more')
    expect(on(asked({}, { method: 'GET', path: '/things/a/at/b' }))).toBe('GET /things/a/at/b')
  })

  it('is named by operation and key, 100 characters at most', () => {
    expect(tapeScenario(tapeOf([]), operations).name).toBe('tape-ask-capture')
    expect(tapeScenario(tapeOf([], { head: { ...head, operation: 'x'.repeat(200) } }), operations).name).toBe(
      `tape-${'x'.repeat(95)}`,
    )
  })

  it('waits, keeps braces, and hangs up as it was', () => {
    const tape = tapeOf(
      [
        { ms: 4, text: 'a {{b}} é' },
        { ms: 4.126, base64: '/w==' },
        { ms: 3, text: '{ {' },
      ],
      { end: 'reset' },
    )
    expect(rule(tape)?.reply).toMatchObject({
      frames: [
        { wait: 4 },
        { base64: btoa(toLatin1(utf8('a {{b}} é'))) },
        { wait: 0.13 },
        { base64: '/w==' },
        { bytes: '{ {' },
        { wait: 95.87 },
        { hangUp: 'reset' },
      ],
    })
  })

  it('is a fault where there was no reply, and refused where there is none yet', () => {
    const fault = (end: string) => rule(tapeOf([], { end, reply: undefined }))?.fault
    expect(fault('idle')).toEqual({ name: 'timeout' })
    expect(fault('reset')).toEqual({ name: 'connection-reset' })
    expect(() => rule({ ...tapeOf([]), end: undefined })).toThrow(
      'The tape of ask has a request and no reply yet',
    )
  })
})

describe('An exchange that is written', () => {
  const exchange: Exchanged = {
    request: {
      method: 'POST',
      path: '/ask',
      query: '?a=1',
      headers: { Accept: 'a', Cookie: 'c=d' },
      text: '{"a":1}',
    },
    reply: { ms: 1.006, status: 201, headers: { 'Content-Type': 'text/plain' } },
    chunks: [
      { ms: 2, bytes: utf8('hel') },
      { ms: 3, bytes: utf8('lo') },
    ],
    end: { how: 'fin', ms: 4 },
  }
  const write = (more: Partial<Exchanged> = {}, setup: object = {}) =>
    toTape({ ...exchange, ...more }, { redactor: new Redactor(), operation: 'ask', ...setup })

  it('is a tape of its lines', () => {
    const tape = write({}, { dialect: 'own', recordedAt: 'today' })
    const parts = keyPartsOf(tape.request as NonNullable<Tape['request']>, volatileFields)
    expect(tape).toEqual({
      head: {
        tape: 1,
        operation: 'ask',
        dialect: 'own',
        key: toKey('ask', parts),
        redacted: ['header cookie'],
        recordedAt: 'today',
      },
      request: {
        method: 'POST',
        path: '/ask',
        query: '?a=1',
        headers: { accept: 'a', cookie: placeholderFor('c=d') },
        json: { a: 1 },
      },
      reply: { ms: 1.01, status: 201, headers: { 'content-type': 'text/plain' } },
      chunks: [
        { ms: 2, text: 'hel' },
        { ms: 3, text: 'lo' },
      ],
      end: {
        end: 'fin',
        ms: 4,
        bytes: 5,
        sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824',
      },
    })
    expect(parseTape(formatTape(tape))).toEqual(tape)
  })

  it('says what was replaced in the request, and what in the reply', () => {
    const secret = `sk-or-v1-${'a1B2'.repeat(10)}7`
    const { head: own, end } = write({
      request: { ...(exchange.request as NonNullable<Tape['request']>), text: secret },
      reply: { ms: 1, status: 200, headers: { 'x-own': 'a' } },
      chunks: [{ ms: 2, bytes: utf8(secret) }],
    })
    expect(own.redacted).toHaveLength(2)
    expect(own.redacted).toContain('header cookie')
    expect(end?.redacted).toHaveLength(2)
    expect(end?.redacted).toContain('header x-own')
    expect(write().end).not.toHaveProperty('redacted')
  })

  it('has the hash of its body where its texts are filler', () => {
    expect(write().head).not.toHaveProperty('bodyHash')
    const filled = write({}, { redactor: new Redactor({ text: true }) })
    expect(filled.head.bodyHash).toBe(keyPartsOf(write().request as never, volatileFields).bodyHash)
    expect(filled.head.redacted).toEqual(['header cookie', 'texts'])
  })

  it('has filler for the texts of its request, whatever form that has', () => {
    const asked = (given: object) =>
      new Redactor({ text: true }).request({ method: 'POST', path: '/a', query: '', headers: {}, ...given })
        .request
    const rest = { method: 'POST', path: '/a', query: '', headers: {} }
    expect(asked({ json: { model: 'm', input: 'Hi 5' } })).toEqual({
      ...rest,
      json: { model: 'm', input: 'Xx 1' },
    })
    expect(asked({ text: '{ "input": "Hi" }' })).toEqual({ ...rest, json: { input: 'Xx' } })
    expect(asked({ text: 'data: {"input":"Hi"}\n' })).toEqual({ ...rest, text: 'data: {"input":"Xx"}\n' })
    expect(asked({ base64: '/w==' })).toEqual({ ...rest, base64: '/w==' })
    expect(asked({})).toEqual(rest)
  })

  it('may have no request, no reply, or no end', () => {
    expect(write({ request: undefined }, { operation: undefined }).head).toEqual({
      ...head,
      operation: 'capture',
    })
    expect(write({ request: undefined }).head).toEqual(head)
    expect(write({ request: undefined })).not.toHaveProperty('request')
    expect(write({ reply: undefined, chunks: [], end: undefined })).toEqual({
      head: write().head,
      request: write().request,
      chunks: [],
    })
    expect(write({}, { operation: undefined }).head.operation).toBe('post-ask')
  })
})

describe('Names and keys', () => {
  it.each([
    ['ask', 'POST', '/a', 'ask'],
    [undefined, 'POST', '/chat/completions', 'post-chat-completions'],
    [undefined, 'GET', '/a/', 'get-a'],
    [undefined, 'GET', '/', 'get'],
  ])('of the operation %j, asked with %s %s: %s', (operation, method, path, name) => {
    expect(operationName(operation, method, path)).toBe(name)
  })

  const parts = (request: object) =>
    keyPartsOf(asked({ b: 1, a: [{ d: 2, c: null }] }, request), volatileFields)

  it('are of what counts of a request', () => {
    expect(parts({ query: '?b=2&a=1' })).toEqual({ ...parts({}), query: 'a=1&b=2' })
    expect(parts({ method: 'HEAD' })).toEqual({ ...parts({}), method: 'GET' })
    const same = [
      { json: { a: [{ c: null, d: 2 }], b: 1 } },
      { json: undefined, text: '{ "a": [{"d":2,"c":null}], "b": 1 }' },
      { json: { a: [{ d: 2, c: null }], b: 1, user: 'me', metadata: { trace_id: '1' } } },
    ].map((more) => parts(more).bodyHash)
    // What is left of the metadata counts.
    expect(same.map((each) => each === parts({}).bodyHash)).toEqual([true, true, false])
    expect(parts({ json: { a: [{ d: 2, c: null }], b: 1, user: 'me' } })).toEqual(parts({}))
    expect(parts({ json: { a: [{ d: 2, c: null }], b: 2 } })).not.toEqual(parts({}))
  })

  it('know a body as it is where it is no JSON', () => {
    expect(canonicalBody(asked(undefined, { text: '{no' }), [])).toBe('{no')
    expect(canonicalBody(asked(undefined, { base64: '/w==' }), [])).toBe('\xff')
    expect(canonicalBody(asked(undefined), [])).toBe('')
    expect(canonicalBody(asked({ b: placeholderFor('a long secret of mine'), a: 1 }), [])).toBe(
      '{"a":1,"b":"redacted"}',
    )
    expect(canonicalBody(asked({ a: 1, b: { c: 2, d: 3 } }), ['b.c', 'a'])).toBe('{"b":{"d":3}}')
  })
})

describe('Recordings', () => {
  const taped = (name: string, request: object | undefined, body: unknown = {}): [string, Tape] => [
    name,
    tapeOf([name], { request: request && asked(body, request) }),
  ]
  const miss = (tapes: [string, Tape][], body: unknown, more: object = {}, taken = 0) =>
    new Recordings(new Map(tapes)).find(asked(body, more)).miss(taken)

  it('give the tapes of equal requests in their order', () => {
    const recordings = new Recordings(
      new Map([
        taped('a.10.tape.jsonl', {}),
        taped('a.2.tape.jsonl', {}),
        taped('a.tape.jsonl', {}),
        taped('b.tape.jsonl', {}, { other: 1 }),
        taped('c.tape.jsonl', undefined),
        ['d.3.tape.jsonl', { ...taped('', {})[1], end: undefined }],
      ]),
    )
    expect(recordings.size).toBe(6)
    const { key, tapes } = recordings.find(asked({ user: 'x' }))
    expect(tapes.map(({ name }) => name)).toEqual(['a.tape.jsonl', 'a.2.tape.jsonl', 'a.10.tape.jsonl'])
    expect(recordings.find(asked({})).key).toBe(key)
    expect(recordings.find(asked({}, { query: '?a=1' }))).toMatchObject({ tapes: [] })
  })

  it.each([
    [1, 'The only tape of this request to POST /ask has been played: record it once more, or set onMiss'],
    [2, 'All 2 tapes of this request to POST /ask have been played: record it once more, or set onMiss'],
  ])('say that %i have been played', (taken, message) => {
    expect(miss([taped('a', {})], {}, {}, taken)).toEqual({ message, nearest: undefined })
  })

  it.each([
    ['another field', [taped('a', {}, { a: 1 })], { a: 2 }, {}, 'body.a', 'body.a is 1, not 2'],
    [
      'a field that is absent',
      [taped('a', {}, { a: 1, b: 1 })],
      { a: 1 },
      {},
      'body.b',
      'body.b is 1, not absent',
    ],
    [
      'a field more',
      [taped('a', {}, {})],
      { a: { b: null } },
      {},
      'body.a',
      'body.a is absent, not {"b":null}',
    ],
    [
      'a deep field',
      [taped('a', {}, { a: [{ b: 1 }] })],
      { a: [{ b: 2 }] },
      {},
      'body.a.0.b',
      'body.a.0.b is 1, not 2',
    ],
    [
      'two fields',
      [taped('a', {}, { a: 1, b: 1 })],
      { a: 2, b: 2 },
      {},
      'body.a',
      'body.a is 1, not 2 (and 1 more)',
    ],
    [
      'the nearer of two',
      [taped('b', {}, { a: 1, b: 1 }), taped('a', {}, { a: 2, b: 1 })],
      { a: 2, b: 2 },
      {},
      'body.b',
      'body.b is 1, not 2',
    ],
    ['a query', [taped('a', { query: '?q=1' })], {}, {}, 'query', "query is 'q=1', not ''"],
    [
      'a query and a body',
      [taped('a', { query: '?q=1' }, { a: 1 })],
      {},
      {},
      'query',
      "query is 'q=1', not '' (and 1 more)",
    ],
    ['a method', [taped('a', { method: 'PUT' })], {}, {}, 'method', 'method is PUT, not POST'],
    [
      'a path',
      [taped('b', { path: '/other' }), taped('a', { path: '/aks' })],
      {},
      {},
      'path',
      'path is /aks, not /ask',
    ],
    ['a path far away', [taped('a', { path: '/elsewhere' })], {}, {}, 'path', 'path is /elsewhere, not /ask'],
    ['no JSON', [taped('a', { json: undefined, text: '<' })], {}, {}, 'body', 'body is absent, not {}'],
    [
      'a long text',
      [taped('a', {}, 'x'.repeat(78))],
      'x'.repeat(79),
      {},
      'body',
      `body is "${'x'.repeat(78)}", not "${'x'.repeat(79)}…`,
    ],
    [
      'a volatile field',
      [taped('a', {}, { user: 'x', a: 1 })],
      { user: 'y', a: 2 },
      {},
      'body.a',
      'body.a is 1, not 2',
    ],
  ] as [string, [string, Tape][], unknown, object, string, string][])(
    'name the nearest tape, which differs by %s',
    (_, tapes, body, more, field, reason) => {
      expect(miss(tapes, body, more)).toEqual({
        message: `No tape answers POST /ask. The nearest is a, whose ${reason}`,
        nearest: { tape: 'a', field },
      })
    },
  )

  it('say nothing of texts that are filler, and nothing where no tape has a request', () => {
    const [name, tape] = taped('a', {}, { a: 1 })
    const filled = { ...tape, head: { ...head, bodyHash: 'h' } }
    expect(miss([[name, filled]], { a: 2 }).message).toBe(
      'No tape answers POST /ask. The nearest is a, whose body is another one; its texts are redacted, so they cannot be compared',
    )
    expect(miss([taped('a', undefined)], {}).message).toBe('No tape answers POST /ask: none is recorded')
  })
})

describe('A latency profile', () => {
  const stream = (chunks: Part[], more: object = {}) => tapeOf(chunks, { type: 'text/event-stream', ...more })
  const q = (p10: number, p50 = p10, p90 = p50, p99 = p90) => ({ p10, p50, p90, p99 })

  it('has the quantiles of all replies, and of each model', () => {
    const of = (ms: number, model?: string) =>
      tapeOf([{ ms, text: '' }], {
        request: asked(model === undefined ? 'x' : { model }),
        end: { end: 'fin', ms: 2 * ms, bytes: 3 * ms },
      })
    const tapes = [9, 1, 8, 2, 7, 3, 6, 4, 5, 10].map((ms) => of(ms, ms > 8 ? 'b' : 'a'))
    const { models } = latencyProfile([...tapes, of(100)])
    expect(Object.keys(models)).toEqual(['*', 'a', 'b'])
    expect(models['b']).toEqual({
      samples: 2,
      firstByteMs: q(9, 10),
      totalMs: q(18, 20),
      bytes: q(27, 30),
    })
    expect(models['a']).toMatchObject({ samples: 8, firstByteMs: q(1, 5, 8) })
    expect(models['*']).toMatchObject({
      samples: 11,
      firstByteMs: q(2, 6, 10, 100),
      totalMs: q(4, 12, 20, 200),
    })
    expect(latencyProfile([])).toEqual({ profile: 1, models: {} })
    expect(latencyProfile([of(1.006)]).models['*']?.firstByteMs).toEqual(q(1.01))
  })

  it('has gaps and events of streams, and tokens of whoever tells', () => {
    const usage = (usage: object) => `data: ${JSON.stringify(usage)}\n\n`
    const told = (...tapes: Tape[]) => latencyProfile(tapes).models['*']
    expect(told(stream(['data: 1\n\n', { ms: 30, text: 'data: 2\n\ndata: [DONE]\n\n' }]))).toEqual({
      samples: 1,
      firstByteMs: q(10),
      gapMs: q(20),
      totalMs: q(100),
      bytes: q(0),
      events: q(3),
    })
    expect(told(stream(['data: 1\n\n']))).not.toHaveProperty('gapMs')
    expect(told(tapeOf(['a', 'b']))).not.toHaveProperty('gapMs')
    expect(told(tapeOf([]))?.firstByteMs).toEqual(q(4))
    for (const [text, tokens] of [
      ['{"usage":{"output_tokens":5}}', 5],
      ['{"usage":{"completion_tokens":6}}', 6],
      ['{"usage":{"output_tokens":"7"}}', undefined],
      ['{"response":{"usage":{"output_tokens":8}}}', 8],
      ['no JSON', undefined],
    ] as const)
      expect(told(tapeOf([text]))?.tokens, text).toEqual(tokens && q(tokens))
    const events = [{ usage: { output_tokens: 1 } }, { response: { usage: { output_tokens: 9 } } }, {}]
    expect(told(stream(events.map(usage)))?.tokens).toEqual(q(9))
  })

  it('leaves out what failed, or did not end well', () => {
    const status = (status: number) => tapeOf([], { reply: { ms: 1, status, headers: {} } })
    const samples = (tape: Tape) => latencyProfile([tape]).models['*']?.samples
    expect([399, 400, 500].map((each) => samples(status(each)))).toEqual([1, undefined, undefined])
    expect(['fin', 'client-left', 'reset', 'idle'].map((end) => samples(tapeOf([], { end })))).toEqual([
      1,
      1,
      undefined,
      undefined,
    ])
    expect(samples(tapeOf([], { reply: undefined }))).toBeUndefined()
    expect(samples({ ...tapeOf([]), end: undefined })).toBeUndefined()
  })
})

describe('Events', () => {
  it('are there where the media type says so', () => {
    const is = (type: string) => isEventStream(tapeOf([], { type }))
    expect(
      ['text/event-stream', 'Text/Event-Stream; charset=utf-8', 'text/event-streams', 'a/b', ''].map(is),
    ).toEqual([true, true, false, false, false])
    expect(isEventStream({})).toBe(false)
  })

  it.each([
    [
      [
        { type: 'a', delta: 'x' },
        { type: 'a', delta: 'y' },
        { type: 'b', delta: 'z' },
      ],
      ['xy', 'z'],
    ],
    [
      [
        { type: 'a', item_id: 1, delta: 'x' },
        { type: 'a', item_id: 2, delta: 'y' },
      ],
      ['x', 'y'],
    ],
    [
      [
        { type: 'a', content_index: 1, delta: 'x' },
        { type: 'a', content_index: 2, delta: 'y' },
      ],
      ['x', 'y'],
    ],
    [
      [
        { type: 'a', index: 1, delta: { t: 'x' } },
        { type: 'a', index: 1, delta: { t: 'y', u: 'z' } },
      ],
      ['xy', 'z'],
    ],
    [
      [
        { type: 'a', index: 1, delta: { t: 'x' } },
        { type: 'a', index: 2, delta: { t: 'y' } },
      ],
      ['x', 'y'],
    ],
    [
      [{ choices: [{ index: 0, delta: { content: 'x' } }, { index: 1, delta: { content: 'y' } }, null, 7] }],
      ['x', 'y'],
    ],
    [
      [
        { choices: [{ index: 0, delta: { c: [{ a: 'x' }] } }] },
        { choices: [{ index: 0, delta: { c: [{ a: 'y' }] } }] },
      ],
      ['xy'],
    ],
    [[null, 7, 'text', undefined, {}, { delta: null }, { choices: 'none' }], []],
  ])('%j have the texts %j', (values, texts) => {
    expect(joinedDeltas(values.map((value) => ({ data: '', event: undefined, value })))).toEqual(texts)
  })
})

describe('Filler', () => {
  it.each([
    ['Tides, at 12:05!', 'Xxxxx, xx 11:11!'],
    ['é€😀', 'é€😀'],
    ['ößü', 'ééé'],
    ['true nulls false null', 'true xxxxx false null'],
    ['a\\n\\u00e9\\"', 'x\\n\\u0078\\"'],
    ['AZaz09', 'XXxx11'],
  ])('%j becomes %j', (given, filled) => {
    expect(fillValue({ text: given })).toEqual({ text: filled })
    expect(fillValue({ text: [given, { id: given }] })).toEqual({ text: [filled, { id: given }] })
    const bytes = utf8(`{"text" : "${given.replace(/^(?=")/, '')}","id":"${given}"}`)
    const line = text(fromLatin1(fillText(toLatin1(bytes))))
    expect(line).toBe(`{"text" : "${filled}","id":"${given}"}`)
  })

  it('leaves numbers, truths and nothing alone; lists of bytes become ones', () => {
    expect(fillValue({ text: [1, true, null], content: { text: 'a' } })).toEqual({
      text: [1, true, null],
      content: { text: 'x' },
    })
    expect(fillText('{"bytes": [72, 105],"other":[72]}')).toBe('{"bytes": [11, 111],"other":[72]}')
  })
})

describe('Secrets', () => {
  const known = `sk-or-v1-${'a1B2'.repeat(10)}7`
  const value = 'hunter2+"Ü"/x'
  const finder = new SecretFinder({ values: [{ kind: 'mine', value }] })
  const found = (given: string) =>
    finder.find(toLatin1(utf8(given))).map(({ start, end, kind }) => [start, end, kind])

  it('are found in every form in which they may be written, with their place', () => {
    const json = JSON.stringify(value).slice(1, -1)
    const url = encodeURIComponent(value)
    for (const form of [
      value,
      json,
      JSON.stringify(json).slice(1, -1),
      json.replaceAll('/', '\\/'),
      url,
      url.toLowerCase().replaceAll('%c3%9c', '%c3%9c'),
    ])
      expect(found(`<<${form}>>`), form).toEqual([[2, 2 + utf8(form).length, 'mine']])
    expect(found('nothing here')).toEqual([])
    const spaced = new SecretFinder({ values: [{ kind: 'mine', value: 'one two three' }] })
    for (const form of ['one two three', 'one%20two%20three', 'one+two+three'])
      expect(spaced.find(`<${form}>`)).toMatchObject([{ start: 1, end: 1 + form.length }])
  })

  it('are found in base64 and its form for URLs, wherever they begin', () => {
    for (let before = 0; before < 6; before++) {
      const bytes = toLatin1(utf8(`${'>'.repeat(before)}${value}${'?'.repeat(before)}`))
      for (const encoded of [btoa(bytes), btoa(bytes).replaceAll('+', '-').replaceAll('/', '_')]) {
        const clean = finder.replace(encoded)
        expect(clean).toHaveLength(encoded.length)
        const decoded = atob(clean.replaceAll('-', '+').replaceAll('_', '/'))
        expect(decoded.slice(0, before)).toBe('>'.repeat(before))
        expect(decoded.slice(decoded.length - before)).toBe('?'.repeat(before))
        expect(decoded).not.toContain('hunter')
        expect(decoded).toContain('edacted.')
      }
      const key = `${'>'.repeat(before)}${known}`
      const [finding, ...more] = finder.find(btoa(key))
      expect(more).toEqual([])
      expect(finding?.kind).toMatch(/ in base64$/)
      const clean = atob(finder.replace(btoa(key)))
      expect(clean.slice(0, before)).toBe('>'.repeat(before))
      expect(clean).toHaveLength(key.length)
      expect(clean.slice(before)).toBe(placeholderFor(known))
      for (let after = 1; after < 5; after++) {
        const around = (middle: string) => `${'>'.repeat(before)}${middle}${'?'.repeat(after)}`
        expect(atob(finder.replace(btoa(around(known))))).toBe(around(placeholderFor(known)))
      }
    }
  })

  it('are replaced by a stand-in of the same length, the same one each time', () => {
    const kinds: string[] = []
    const clean = finder.replace(`a ${known} b ${known}`, (kind) => kinds.push(kind))
    expect(clean).toBe(`a ${placeholderFor(known)} b ${placeholderFor(known)}`)
    expect(kinds).toHaveLength(2)
    expect(finder.replace(clean)).toBe(clean)
    expect(placeholderFor('a')).toBe('r')
    expect(placeholderFor('abc', 14)).toMatch(/^redacted\.[0-9a-f]{4}\.$/)
    expect(placeholderFor('abc', 17)).toMatch(/^redacted\.[0-9a-f]{4}\.xxx$/)
    expect(placeholderFor('abc', 14)).not.toBe(placeholderFor('abd', 14))
  })

  it.each([
    ['redacted.0a9f.', true],
    ['redacted.0a9f.xxx', true],
    ['redacted.0a9f.xxy', false],
    ['redacted.0a9f', true],
    ['redacted.', true],
    ['redacted', true],
    ['red', true],
    ['rad', false],
    ['redacted.g', false],
    ['a redacted.0a9f.', false],
  ])('%j is a stand-in: %j', (given, is) => {
    expect(isPlaceholder(given)).toBe(is)
  })

  it('that were replaced count as one word', () => {
    expect(withoutPlaceholders('a redacted.0a9f.xxx b redacted.1111. redacted.')).toBe(
      'a redacted b redacted redacted.',
    )
  })

  it('are named by line and kind, each once', () => {
    const [{ kind } = { kind: '' }] = finder.find(known)
    expect(scanText(`a\n${known}\n\n${known} ${known}`, finder)).toEqual([
      { line: 2, kind },
      { line: 4, kind },
      { line: 4, kind },
    ])
    expect(scanText(known, finder, 7)).toEqual([{ line: 7, kind }])
    expect(scanFile(utf8(`a\n${known} ${known}`), finder)).toEqual([{ line: 2, kind }])
    expect(scanFile(utf8(`{"a":1}\n${known}`), finder)).toEqual([{ line: 2, kind }])
    expect(scanFile(utf8(''), finder)).toEqual([])
  })

  it('in a tape are named by the line where they stand', () => {
    const [{ kind } = { kind: '' }] = finder.find(known)
    const halves = [known.slice(0, 20), known.slice(20)]
    const line = (tape: Tape) => scanTape(tape, finder)
    expect(line(tapeOf(['a ', known]))).toEqual([{ line: 4, kind }])
    expect(line(tapeOf(['a ', known], { request: asked({}) }))).toEqual([{ line: 5, kind }])
    expect(line(tapeOf([known, ' a'], { request: asked({}) }))).toEqual([{ line: 4, kind }])
    expect(line(tapeOf(['a ', ...halves]))).toEqual([{ line: 4, kind }])
    expect(line(tapeOf([], { request: asked({ a: known }) }))).toEqual([{ line: 2, kind }])
    expect(line(tapeOf([], { request: asked({}, { path: `/a/${known}` }) }))).toEqual([{ line: 2, kind }])
    expect(line(tapeOf([], { request: asked({}, { query: `?a=${known}` }) }))).toEqual([{ line: 2, kind }])
    // Neither of the two alone.
    expect(line(tapeOf([], { request: asked({}, { path: `/${halves[0]}`, query: halves[1] }) }))).toEqual([
      { line: 2, kind },
    ])
    const headers = { cookie: 'a', accept: 'b', authorization: placeholderFor('Bearer and more') }
    expect(line(tapeOf([], { request: asked({}, { headers }) }))).toEqual([
      { line: 2, kind: 'header cookie' },
    ])
    const reply = { ms: 1, status: 200, headers: { 'set-cookie': 'a', etag: 'b' } }
    expect(line(tapeOf([], { reply }))).toEqual([{ line: 2, kind: 'header set-cookie' }])
    expect(line(tapeOf([], { reply, request: asked({}) }))).toEqual([{ line: 3, kind: 'header set-cookie' }])
    const events = halves.map((delta) => `data: ${JSON.stringify({ type: 'd', delta })}\n\n`)
    expect(line(tapeOf(events, { type: 'text/event-stream' }))).toEqual([
      { line: 3, kind: `${kind} over several events` },
    ])
    expect(line(tapeOf(events))).toEqual([])
    expect(
      scanFile(
        utf8(formatTape(tapeOf(halves, { end: { end: 'fin', ms: 99, bytes: known.length } }))),
        finder,
      ),
    ).toEqual([{ line: 3, kind }])
  })

  it('in a body that comes in pieces are replaced before a piece is given back', () => {
    const body = (text = false) => new Redactor({ text, values: [{ kind: 'mine', value }] }).body()
    const given = (chunks: { ms: number; bytes: Uint8Array }[]) =>
      chunks.map(({ ms, bytes }) => [ms, text(bytes)])
    const plain = body()
    expect(plain.push(1, utf8('a'))).toEqual([])
    expect(plain.push(2, new Uint8Array())).toEqual([])
    expect(plain.push(3, utf8('b\n'))).toEqual([])
    expect(given(plain.push(4, utf8('\nc')))).toEqual([
      [1, 'a'],
      [3, 'b\n'],
    ])
    expect(given(plain.push(5, utf8('d\r\n\r\n')))).toEqual([
      [4, '\nc'],
      [5, 'd\r\n\r\n'],
    ])
    expect(given(plain.push(6, utf8('\r\r')))).toEqual([[6, '\r\r']])
    expect(given(plain.push(7, utf8(known.slice(0, 9))))).toEqual([])
    expect(given(plain.push(8, utf8(known.slice(9))))).toEqual([])
    expect([...plain.redacted]).toEqual([])
    expect(given(plain.end())).toEqual([
      [7, placeholderFor(known).slice(0, 9)],
      [8, placeholderFor(known).slice(9)],
    ])
    expect([...plain.redacted]).toHaveLength(1)
    expect(plain.end()).toEqual([])
    const filled = body(true)
    expect(given(filled.push(1, utf8('{"text":"Hi"}\n\n')))).toEqual([[1, '{"text":"Xx"}\n\n']])
  })

  it('in a long body without blank lines are looked for in pieces', () => {
    const mebi = 1024 * 1024
    const wait = 64 * 1024
    const sizes = (...pieces: string[]) => {
      const body = new Redactor().body()
      const told = pieces.map((piece, index) => body.push(index, utf8(piece)).length)
      return [...told, body.end().length]
    }
    expect(sizes(' '.repeat(mebi - wait), ' '.repeat(wait), 'a')).toEqual([0, 0, 1, 2])
    expect(sizes(' '.repeat(mebi - wait), ' '.repeat(wait + 1))).toEqual([0, 1, 1])
    expect(sizes('a,', ' '.repeat(mebi - 1))).toEqual([0, 1, 1])
    expect(sizes('a,b', ' '.repeat(mebi - 2))).toEqual([0, 0, 2])
  })

  it('of more lines than one wait for the longest of them', () => {
    const lines = '-----one\n\ntwo-----'
    const body = new Redactor({ values: [{ kind: 'mine', value: lines }] }).body()
    const all = utf8(`${'x'.repeat(200)}\n\n${lines}`)
    const chunks = [body.push(1, all.slice(0, 212)), body.push(2, all.slice(212)), body.end()].flat()
    expect(chunks.map(({ bytes }) => text(bytes)).join('')).toBe(
      `${'x'.repeat(200)}\n\n${placeholderFor(lines)}`,
    )
  })

  it('in headers are all those that are not on a list', () => {
    const redactor = new Redactor({ headers: ['X-Own', 'x-mine-*'] })
    const names = [
      'Accept',
      'accept-language',
      'x-own',
      'x-mine-a',
      'x-mine',
      'ratelimit',
      'ratelimit-policy',
      'x-ratelimit-limit',
      'x-request-id',
    ]
    const kinds: string[] = []
    const headers = redactor.headers(Object.fromEntries(names.map((name) => [name, 'a value'])), (kind) =>
      kinds.push(kind),
    )
    expect(
      Object.entries(headers)
        .filter(([, given]) => given === 'a value')
        .map(([name]) => name),
    ).toEqual([
      'accept',
      'accept-language',
      'x-own',
      'x-mine-a',
      'ratelimit',
      'ratelimit-policy',
      'x-ratelimit-limit',
    ])
    expect(kinds).toEqual(['header x-mine', 'header x-request-id'])
    expect(redactor.headers({ a: 'redacted.0a9f.x', accept: `to ${known}` })).toEqual({
      a: 'redacted.0a9f.x',
      accept: `to ${placeholderFor(known)}`,
    })
  })
})
