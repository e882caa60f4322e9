/**
 * Tests a recording's conversion to a reply and to a scenario, without a connection.
 */
import { describe, expect, it } from 'vitest'
import type { Recording } from '../../../src/extras/recordings/recording.ts'
import {
  hangUpOf,
  recordingScenario,
  replayedHeaders,
  toReplay,
} from '../../../src/extras/recordings/replay.ts'
import { placeholderFor } from '../../../src/extras/recordings/secrets.ts'
import { toLatin1 } from '../../../src/lib/bytes.ts'
import { head, recordingOf, requestOf, text, utf8 } from './samples.ts'

describe('toReplay()', () => {
  const framesOf = (recording: Recording, elapsed?: () => number) => {
    const { waitMs, reply } = toReplay(recording, elapsed)
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

  it('waits as long as recorded', () => {
    const recording = recordingOf(['a', { ms: 10, text: 'b' }, { ms: 40, base64: 'Yw==' }])
    expect(framesOf(recording)).toEqual([4, 10, 'a', 'b', 30, 'c', 60])
  })

  it('does not wait before an immediate reply or disconnect', () => {
    const reply = { ms: 0, status: 200, headers: {} }
    const end = { end: 'reset', ms: 0, bytes: 0 }
    expect(framesOf(recordingOf([], { reply, end }))).toEqual([0, 'hang up: reset'])
    const none = recordingOf([], { reply: undefined, end })
    expect([none, { ...none, end: undefined }].map((each) => toReplay(each).waitMs)).toEqual([0, 0])
  })

  it('does not wait for times that have already passed', () => {
    expect(framesOf(recordingOf(['a', 'b']), () => 15)).toEqual([-11, 'a', 5, 'b', 80])
    expect(
      framesOf(
        recordingOf([
          { ms: 20, text: 'a' },
          { ms: 10, text: 'b' },
        ]),
      ),
    ).toEqual([4, 20, 'a', 'b', 80])
  })

  it.each([
    ['fin', 'a', undefined],
    ['reset', 'a', 'reset'],
    ['idle', 'a', 'stall'],
    ['aborted-by-client', 'data: {"type":"x"}\n\n', 'reset'],
    ['aborted-by-client', 'data: [DONE]\n\n', undefined],
    ['aborted-by-client', 'data:[DONE]\n\n', undefined],
    ['aborted-by-client', 'a [DONE]', 'reset'],
    ['aborted-by-client', '{"type":"response.completed"}', undefined],
    ['aborted-by-client', '{"type": "response.failed"}', undefined],
    ['aborted-by-client', '{"type":"response.incomplete"}', undefined],
    ['aborted-by-client', '{"type":"message_stop"}', undefined],
    ['aborted-by-client', '{"type":"response.created"}', 'reset'],
  ])('converts the ending %s after %j to the hang-up %j', (end, body, how) => {
    const recording = recordingOf([body], { end })
    expect(hangUpOf(recording)).toBe(how)
  })

  it('hangs up after the same time if the connection ended without headers', () => {
    const nothing = (end: string) => framesOf(recordingOf([], { end, reply: undefined }))
    expect(nothing('reset')).toEqual([100, 'hang up: reset'])
    expect(nothing('idle')).toEqual([100, 'hang up: stall'])
    expect(nothing('fin')).toEqual([100, 'hang up: end'])
    const open = { ...recordingOf([], { reply: undefined }), end: undefined }
    expect(framesOf(open)).toEqual([0, 'hang up: end'])
    expect(framesOf(open, () => 7)).toEqual([-7, 'hang up: end'])
    expect(framesOf({ ...recordingOf(['a']), end: undefined })).toEqual([4, 10, 'a'])
  })

  it('omits headers that no longer apply, were redacted or cannot be sent', () => {
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
    expect(replayedHeaders(recordingOf([], { reply: { ms: 0, status: 200, headers } }))).toEqual({
      'content-type': 'a',
      etag: 'b',
    })
  })
})

describe('the scenario from recordingScenario()', () => {
  const operations = [
    { id: 'getThing', method: 'get', path: '/things/{id}/of/{name}' },
    { id: 'ask', method: 'post', path: '/ask' },
  ]
  const rule = (recording: Recording) => recordingScenario(recording, operations).rules[0]

  it("matches the request's query, path and body", () => {
    const get = recordingOf(['a'], {
      request: requestOf(undefined, { method: 'GET', path: '/things/a%20b/of/c', query: '?q=1&r=' }),
    })
    expect(
      recordingScenario({ ...get, head: { ...head, operation: 'get /x', key: 'k' } }, operations),
    ).toEqual({
      name: 'recording-get-x-k',
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
    expect(rule(recordingOf([], { request: requestOf({ a: { b: [1] }, user: 'x' }) }))).toMatchObject({
      on: 'ask',
      when: { body: { a: { equals: { b: [1] } } } },
    })
    const one = requestOf(undefined, { method: 'GET', path: '/things/a', query: '?q=1' })
    const thing = { id: 'getOne', method: 'get', path: '/things/{id}' }
    expect(recordingScenario(recordingOf([], { request: one }), [thing]).rules[0]).toMatchObject({
      when: { params: { id: 'a' }, query: { q: '1' } },
    })
    for (const body of [null, [1], 'text', 7, {}, { user: 'x' }])
      expect(rule(recordingOf([], { request: requestOf(body) }))).not.toHaveProperty('when')
    const filled = recordingOf([], { head: { ...head, bodyHash: 'h' }, request: requestOf({ a: 1 }) })
    expect(rule(filled)).not.toHaveProperty('when')
  })

  it('applies to the recorded operation or path or, without a request, to every call', () => {
    const on = (request?: Recording['request']) => rule(recordingOf([], { request }))?.on
    expect(on()).toBe('*')
    expect(on(requestOf({}))).toBe('ask')
    expect(on(requestOf({}, { method: 'PUT' }))).toBe('PUT /ask')
    expect(on(requestOf({}, { path: '/ask/more' }))).toBe('POST /ask/more')
    expect(on(requestOf({}, { method: 'GET', path: '/things/a/at/b' }))).toBe('GET /things/a/at/b')
  })

  it('is named after the operation and key, in at most 100 characters', () => {
    expect(recordingScenario(recordingOf([]), operations).name).toBe('recording-ask-capture')
    expect(
      recordingScenario(recordingOf([], { head: { ...head, operation: 'x'.repeat(200) } }), operations).name,
    ).toBe(`recording-${'x'.repeat(90)}`)
  })

  it('keeps waits, braces and the hang-up', () => {
    const recording = recordingOf(
      [
        { ms: 4, text: 'a {{b}} é' },
        { ms: 4.126, base64: '/w==' },
        { ms: 3, text: '{ {' },
      ],
      { end: 'reset' },
    )
    expect(rule(recording)?.reply).toMatchObject({
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

  it.each([
    [0, [{ bytes: 'a' }]],
    [1, [{ wait: 1 }, { bytes: 'a' }]],
  ])('waits for the head of a reply after %i ms', (ms, frames) => {
    const reply = { ms, status: 200, headers: {} }
    const end = { end: 'fin', ms, bytes: 1 }
    expect(rule(recordingOf([{ ms, text: 'a' }], { reply, end }))?.reply).toMatchObject({ frames })
  })

  it('contains a fault if there was no reply, and cannot be created from an unfinished recording', () => {
    const fault = (end: string) => rule(recordingOf([], { end, reply: undefined }))?.fault
    expect(fault('idle')).toEqual({ name: 'timeout' })
    expect(fault('reset')).toEqual({ name: 'connection-reset' })
    expect(() => rule({ ...recordingOf([]), end: undefined })).toThrow(
      'The recording of ask has a request, but no reply yet',
    )
  })
})
