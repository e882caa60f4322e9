/** Tests which recording a request gets, and how the 404 for any other request explains the difference. */
import { describe, expect, it } from 'vitest'
import { createGateway, type Recording } from '../../../src/index.ts'
import { call } from '../../call.ts'
import { head, recordingOf, requestOf } from './samples.ts'

const replaying = (from: Recording[], options: object = {}) =>
  createGateway({ recordings: { from, ...options }, timeScale: 0 })

/** Returns a recording whose file name starts with `name`. */
const recorded = (name: string, body: unknown, request: object = {}): Recording =>
  recordingOf([name], { head: { ...head, operation: name }, request: requestOf(body, request) })

const ask = (gateway: object, body: unknown, line = 'POST /ask') => call(gateway, line, { body })

describe('a request', () => {
  it.each([
    ['in another order', '{ "a": [{"d":2,"c":null}], "b": 1 }', true],
    [
      'with an ignored field',
      { b: 1, a: [{ d: 2, c: null }], user: 'me', metadata: { trace_id: '1' } },
      false,
    ],
    ['with ignored fields only', { b: 1, a: [{ d: 2, c: null }], user: 'me', session_id: 's' }, true],
    ['with an ignored field of its own', { b: 1, a: [{ d: 2, c: null }], own: 3 }, true],
    ['with another value', { b: 2, a: [{ d: 2, c: null }] }, false],
    ['with another list', { b: 1, a: [{ d: 2, c: null }, 1] }, false],
  ])('%s matches the same recording or not', async (_, body, matches) => {
    const recording = recorded('a', { b: 1, a: [{ c: null, d: 2 }] })
    const ignoreFields = ['body.own', 'user', 'session_id', 'metadata.trace_id']
    const gateway = replaying([recording], { ignoreFields })
    const sent = typeof body === 'string' ? JSON.parse(body) : body
    expect((await ask(gateway, sent)).status).toBe(matches ? 200 : 404)
  })

  it('can differ in a query parameter that is ignored, but not in a body field of that name', async () => {
    const recording = recorded('a', { query: { t: 1 } }, { query: '?t=1&q=2' })
    const gateway = replaying([recording], { ignoreFields: ['query.t'] })
    const messageFor = async (query: string, t: number) =>
      (await ask(gateway, { query: { t } }, `POST /ask${query}`)).body.error.message
    expect(await messageFor('?t=5&q=3', 1)).toMatch(/whose query is 'q=2', not 'q=3'$/)
    expect(await messageFor('?q=2', 2)).toMatch(/whose body\.query\.t is 1, not 2$/)
    expect((await ask(gateway, { query: { t: 1 } }, 'POST /ask?q=2&t=7')).text).toBe('a')
  })

  it('matches a body that is not JSON by its text, a query in any order, and a method exactly', async () => {
    const text = { method: 'PUT', path: '/ask', query: '?b=2&a=1', headers: {}, text: '{no' }
    const gateway = replaying([recordingOf(['x'], { request: text }), recordingOf(['y'], { request: text })])
    const headers = { 'content-type': 'text/plain' }
    expect((await call(gateway, 'PUT /ask?a=1&b=2', { body: '{no', headers })).text).toBe('x')
    expect((await call(gateway, 'POST /ask?a=1&b=2', { body: '{no', headers })).status).toBe(404)
    expect((await call(gateway, 'PUT /ask?a=1&b=2', { body: '{No', headers })).status).toBe(404)
  })

  it('matches a redacted recording by everything but the secret', async () => {
    const placeholder = 'redacted.0a9f.'
    const gateway = replaying([
      recorded('a', { a: placeholder, b: {} }),
      recorded('a', { a: placeholder, b: {} }),
    ])
    for (const body of [
      { a: 'hunter-2', b: 5 },
      { a: 'hunter-2', b: [] },
      { a: 'hunter-2', c: {} },
      { a: 5, b: {} },
    ])
      expect((await ask(gateway, body)).status, JSON.stringify(body)).toBe(404)
    expect((await ask(gateway, { a: 'hunter-2', b: {} }, 'POST /ask?a=1')).status).toBe(404)
    expect((await ask(gateway, { a: 'hunter-2', b: {} })).text).toBe('a')
  })

  it('does not match a recording of an exchange in progress, or one without a request', async () => {
    const gateway = replaying([{ ...recorded('a', {}), end: undefined }, recordingOf(['b'])])
    expect((await ask(gateway, {})).body.error.message).toBe(
      'No recording of POST /ask. Run gateway-understudy record, or set recordings.onUnmatched',
    )
  })
})

describe('the 404', () => {
  const far = { path: '/elsewhere' }
  it.each([
    ['another field', [recorded('a', { a: 1 })], { a: 2 }, 'body.a is 1, not 2'],
    ['a missing field', [recorded('a', { a: 1, b: 1 })], { a: 1 }, 'body.b is 1, not absent'],
    ['an additional field', [recorded('a', {})], { a: { b: null } }, 'body.a is absent, not {"b":null}'],
    ['a nested field', [recorded('a', { a: [{ b: 1 }] })], { a: [{ b: 2 }] }, 'body.a.0.b is 1, not 2'],
    ['two fields', [recorded('a', { a: 1, b: 1 })], { a: 2, b: 2 }, 'body.a is 1, not 2 (and 1 more)'],
    [
      'the nearest of two',
      [recorded('b', { a: 1, b: 1 }), recorded('a', { a: 2, b: 1 })],
      { a: 2, b: 2 },
      'body.b is 1, not 2',
    ],
    [
      'a query and a body',
      [recorded('a', { a: 1 }, { query: '?q=1' })],
      {},
      "query is 'q=1', not '' (and 1 more)",
    ],
    ['a method', [recorded('a', {}, { method: 'PUT' })], {}, 'method is PUT, not POST'],
    ['a path', [recorded('b', {}, far), recorded('a', {}, { path: '/aks' })], {}, 'path is /aks, not /ask'],
    ['a distant path', [recorded('a', {}, far)], {}, 'path is /elsewhere, not /ask'],
    ['text', [recorded('a', {}, { json: undefined, text: '<' })], {}, 'body is "<", not {}'],
    ['a list', [recorded('a', { a: {} })], { a: [] }, 'body.a is {}, not []'],
    [
      'long text',
      [recorded('a', 'x'.repeat(78))],
      'x'.repeat(79),
      `body is "${'x'.repeat(78)}", not "${'x'.repeat(79)}…`,
    ],
  ] as [string, Recording[], unknown, string][])(
    'names the nearest recording, which differs by %s',
    async (_, recordings, body, reason) => {
      const text = typeof body === 'string' ? JSON.stringify(body) : body
      const answer = await call(replaying(recordings), 'POST /ask', {
        body: text,
        headers: { 'content-type': 'application/json' },
      })
      expect(answer.body.error).toMatchObject({
        message: `No recording matches POST /ask. The nearest is a.recording.jsonl, whose ${reason}`,
        metadata: { nearest: { recording: 'a.recording.jsonl', field: reason.split(' ', 1)[0] } },
      })
    },
  )
})
