/** Tests how requests are matched to recordings, and the nearest recording for an unmatched request. */
import { describe, expect, it } from 'vitest'
import type { Recording } from '../../../src/extras/recordings/recording.ts'
import { RecordingIndex } from '../../../src/extras/recordings/recordings.ts'
import {
  canonicalBody,
  defaultIgnoreFields,
  keyPartsOf,
  operationName,
} from '../../../src/extras/recordings/request-key.ts'
import { placeholderFor } from '../../../src/extras/recordings/secrets.ts'
import { head, recordingOf, requestOf } from './samples.ts'

describe('names and keys', () => {
  it.each([
    ['ask', 'POST', '/a', 'ask'],
    [undefined, 'POST', '/chat/completions', 'post-chat-completions'],
    [undefined, 'GET', '/a/', 'get-a'],
    [undefined, 'GET', '/', 'get'],
  ])('are derived from operation %j, method %s and path %s: %s', (operation, method, path, name) => {
    expect(operationName(operation, method, path)).toBe(name)
  })

  const parts = (request: object) =>
    keyPartsOf(requestOf({ b: 1, a: [{ d: 2, c: null }] }, request), defaultIgnoreFields)

  it('depend only on the relevant parts of a request', () => {
    expect(parts({ query: '?b=2&a=1' })).toEqual({ ...parts({}), query: 'a=1&b=2' })
    expect(parts({ method: 'HEAD' })).toEqual({ ...parts({}), method: 'GET' })
    const same = [
      { json: { a: [{ c: null, d: 2 }], b: 1 } },
      { json: undefined, text: '{ "a": [{"d":2,"c":null}], "b": 1 }' },
      { json: { a: [{ d: 2, c: null }], b: 1, user: 'me', metadata: { trace_id: '1' } } },
    ].map((more) => parts(more).bodyHash)
    // Metadata that is not ignored is compared.
    expect(same.map((each) => each === parts({}).bodyHash)).toEqual([true, true, false])
    expect(parts({ json: { a: [{ d: 2, c: null }], b: 1, user: 'me' } })).toEqual(parts({}))
    expect(parts({ json: { a: [{ d: 2, c: null }], b: 2 } })).not.toEqual(parts({}))
  })

  it('use a canonical form of a JSON body, and any other body unchanged', () => {
    expect(canonicalBody(requestOf(undefined, { text: '{no' }), [])).toBe('{no')
    expect(canonicalBody(requestOf(undefined, { base64: '/w==' }), [])).toBe('\xff')
    expect(canonicalBody(requestOf(undefined), [])).toBe('')
    expect(canonicalBody(requestOf({ b: placeholderFor('a long secret of mine'), a: 1 }), [])).toBe(
      '{"a":1,"b":"redacted"}',
    )
    expect(canonicalBody(requestOf({ a: 1, b: { c: 2, d: 3 } }), ['b.c', 'a'])).toBe('{"b":{"d":3}}')
  })
})

describe('RecordingIndex', () => {
  const recorded = (name: string, request: object | undefined, body: unknown = {}): [string, Recording] => [
    name,
    recordingOf([name], { request: request && requestOf(body, request) }),
  ]
  const miss = (recordings: [string, Recording][], body: unknown, more: object = {}) =>
    new RecordingIndex(new Map(recordings)).find(requestOf(body, more)).explainMiss()

  it('returns the recordings of equal requests in order', () => {
    const recordings = new RecordingIndex(
      new Map([
        recorded('a.10.recording.jsonl', {}),
        recorded('a.2.recording.jsonl', {}),
        recorded('a.recording.jsonl', {}),
        recorded('b.recording.jsonl', {}, { other: 1 }),
        recorded('c.recording.jsonl', undefined),
        ['d.3.recording.jsonl', { ...recorded('', {})[1], end: undefined }],
      ]),
    )
    const { key, recordings: matching } = recordings.find(requestOf({ user: 'x' }))
    expect(matching.map(({ name }) => name)).toEqual([
      'a.recording.jsonl',
      'a.2.recording.jsonl',
      'a.10.recording.jsonl',
    ])
    expect(recordings.find(requestOf({})).key).toBe(key)
    expect(recordings.find(requestOf({}, { query: '?a=1' }))).toMatchObject({ recordings: [] })
  })

  it.each([
    [
      1,
      'The only recording of POST /ask has been replayed: record the request again, or set replay.onUnmatchedRecording',
    ],
    [
      2,
      'All 2 recordings of POST /ask have been replayed: record the request again, or set replay.onUnmatchedRecording',
    ],
  ])('reports that all recordings were replayed: %i', (count, message) => {
    const recordings = Array.from({ length: count }, (_, index) =>
      recorded(`a.${index + 1}.recording.jsonl`, {}),
    )
    expect(miss(recordings, {})).toEqual({ message, nearest: undefined })
  })

  it.each([
    ['another field', [recorded('a', {}, { a: 1 })], { a: 2 }, {}, 'body.a', 'body.a is 1, not 2'],
    [
      'a missing field',
      [recorded('a', {}, { a: 1, b: 1 })],
      { a: 1 },
      {},
      'body.b',
      'body.b is 1, not absent',
    ],
    [
      'an additional field',
      [recorded('a', {}, {})],
      { a: { b: null } },
      {},
      'body.a',
      'body.a is absent, not {"b":null}',
    ],
    [
      'a nested field',
      [recorded('a', {}, { a: [{ b: 1 }] })],
      { a: [{ b: 2 }] },
      {},
      'body.a.0.b',
      'body.a.0.b is 1, not 2',
    ],
    [
      'two fields',
      [recorded('a', {}, { a: 1, b: 1 })],
      { a: 2, b: 2 },
      {},
      'body.a',
      'body.a is 1, not 2 (and 1 more)',
    ],
    [
      'the nearest of two',
      [recorded('b', {}, { a: 1, b: 1 }), recorded('a', {}, { a: 2, b: 1 })],
      { a: 2, b: 2 },
      {},
      'body.b',
      'body.b is 1, not 2',
    ],
    ['a query', [recorded('a', { query: '?q=1' })], {}, {}, 'query', "query is 'q=1', not ''"],
    [
      'a query and a body',
      [recorded('a', { query: '?q=1' }, { a: 1 })],
      {},
      {},
      'query',
      "query is 'q=1', not '' (and 1 more)",
    ],
    ['a method', [recorded('a', { method: 'PUT' })], {}, {}, 'method', 'method is PUT, not POST'],
    [
      'a path',
      [recorded('b', { path: '/other' }), recorded('a', { path: '/aks' })],
      {},
      {},
      'path',
      'path is /aks, not /ask',
    ],
    [
      'a different path',
      [recorded('a', { path: '/elsewhere' })],
      {},
      {},
      'path',
      'path is /elsewhere, not /ask',
    ],
    [
      'a body that is not JSON',
      [recorded('a', { json: undefined, text: '<' })],
      {},
      {},
      'body',
      'body is absent, not {}',
    ],
    [
      'long text',
      [recorded('a', {}, 'x'.repeat(78))],
      'x'.repeat(79),
      {},
      'body',
      `body is "${'x'.repeat(78)}", not "${'x'.repeat(79)}…`,
    ],
    [
      'an ignored field',
      [recorded('a', {}, { user: 'x', a: 1 })],
      { user: 'y', a: 2 },
      {},
      'body.a',
      'body.a is 1, not 2',
    ],
  ] as [string, [string, Recording][], unknown, object, string, string][])(
    'names the nearest recording, which differs by %s',
    (_, recordings, body, more, field, reason) => {
      expect(miss(recordings, body, more)).toEqual({
        message: `No recording matches POST /ask. The nearest is a, whose ${reason}`,
        nearest: { recording: 'a', field },
      })
    },
  )

  it('matches text that was redacted, but nothing else', () => {
    const [secret, placeholder] = ['hunter-22222', 'redacted.0a9f.']
    const index = new RecordingIndex(
      new Map([
        recorded('a', {}, { a: placeholder, b: {} }),
        recorded('b', { json: undefined, text: `a ${placeholder} b` }),
      ]),
    )
    const matching = (...request: Parameters<typeof requestOf>) =>
      index.find(requestOf(...request)).recordings.map(({ name }) => name)
    expect(matching({ a: secret, b: {} })).toEqual(['a'])
    expect(matching({ a: secret, b: 5 })).toEqual([])
    expect(matching({ a: secret, b: [] })).toEqual([])
    expect(matching({ a: secret, c: {} })).toEqual([])
    expect(matching({ a: secret, b: {} }, { method: 'PUT' })).toEqual([])
    expect(matching({ a: secret, b: {} }, { query: '?a=1' })).toEqual([])
    expect(matching(undefined, { json: undefined, text: `a ${secret} b` })).toEqual(['b'])
    expect(matching(undefined, { json: undefined, text: `b ${secret} b` })).toEqual([])
  })

  it('does not match or name a recording of an exchange in progress', () => {
    const [name, recording] = recorded('a', {}, { a: 1 })
    expect(miss([[name, { ...recording, end: undefined }]], { a: 1 }).message).toBe(
      'There is no recording of POST /ask. Run gateway-understudy record, or set replay.onUnmatchedRecording',
    )
  })

  it('reports only that a redacted body differs, and ignores a recording without a request', () => {
    const [name, recording] = recorded('a', {}, { a: 1 })
    const filled = { ...recording, head: { ...head, bodyHash: 'h' } }
    expect(miss([[name, filled]], { a: 2 }).message).toBe(
      'No recording matches POST /ask. The nearest is a, whose body differs, but its text is redacted and cannot be compared',
    )
    expect(miss([recorded('a', undefined)], {}).message).toBe(
      'There is no recording of POST /ask. Run gateway-understudy record, or set replay.onUnmatchedRecording',
    )
  })
})
