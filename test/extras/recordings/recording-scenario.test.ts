/** Tests a recording's conversion to a reply and to a scenario. */
import { describe, expect, it } from 'vitest'
import type { Recording } from '../../../src/extras/recordings/recording.ts'
import { recordingScenario, replayedHeaders, toReplay } from '../../../src/extras/recordings/replay.ts'
import { placeholderFor } from '../../../src/extras/recordings/secrets.ts'
import { toLatin1 } from '../../../src/lib/bytes.ts'
import { head, recordingOf, requestOf, utf8 } from './samples.ts'

describe('a replayed reply', () => {
  const framesOf = (recording: Recording) => {
    const { reply } = toReplay(recording, () => 0)
    const frames = reply.body.kind === 'frames' ? [...reply.body.frames] : [reply.body]
    return frames.map((frame) => (frame.kind === 'hang-up' ? `hang up: ${frame.how}` : frame))
  }
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
  ])('with the ending %s after %j hangs up: %s', (end, body, how) => {
    const last = framesOf(recordingOf([body], { end })).at(-1)
    expect(last).toEqual(how === undefined ? { kind: 'wait', ms: 90 } : `hang up: ${how}`)
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

describe('the scenario of a recording', () => {
  const operations = [
    { id: 'getThing', method: 'get', path: '/things/{id}/of/{name}' },
    { id: 'ask', method: 'post', path: '/ask' },
  ]
  const rule = (recording: Recording) => recordingScenario(recording, operations).rules[0]

  it("matches the request's query, path and body", () => {
    const request = requestOf(undefined, { method: 'GET', path: '/things/a%20b/of/c', query: '?q=1&r=' })
    const recording = recordingOf(['a'], { request, head: { ...head, operation: 'get /x', key: 'k' } })
    expect(recordingScenario(recording, operations)).toEqual({
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
    for (const body of [null, [1], 'text', 7, {}, { user: 'x' }])
      expect(rule(recordingOf([], { request: requestOf(body) }))).not.toHaveProperty('when')
  })

  it.each([
    [undefined, '*'],
    [requestOf({}), 'ask'],
    [requestOf({}, { method: 'PUT' }), 'PUT /ask'],
    [requestOf({}, { path: '/ask/more' }), 'POST /ask/more'],
    [requestOf({}, { method: 'GET', path: '/things/a/at/b' }), 'GET /things/a/at/b'],
  ])('of the request %j applies to %s', (request, on) => {
    expect(rule(recordingOf([], { request }))?.on).toBe(on)
  })

  it('is named after the operation and key, in at most 100 characters', () => {
    const name = (operation: string) =>
      recordingScenario(recordingOf([], { head: { ...head, operation } }), operations).name
    expect(name('ask')).toBe('recording-ask-capture')
    expect(name('x'.repeat(200))).toBe(`recording-${'x'.repeat(90)}`)
  })

  it('keeps waits, braces and the hang-up', () => {
    const parts = [
      { ms: 4, text: 'a {{b}} é' },
      { ms: 4.126, base64: '/w==' },
      { ms: 3, text: '{ {' },
    ]
    expect(rule(recordingOf(parts, { end: 'reset' }))?.reply).toMatchObject({
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

  it('contains a fault if there was no reply, and cannot be created from an unfinished recording', () => {
    const fault = (end: string) => rule(recordingOf([], { end, reply: undefined }))?.fault
    expect(fault('idle')).toEqual({ name: 'timeout' })
    expect(fault('reset')).toEqual({ name: 'connection-reset' })
    expect(() => rule({ ...recordingOf([]), end: undefined })).toThrow(
      'The recording of ask has a request, but no reply yet',
    )
  })
})
