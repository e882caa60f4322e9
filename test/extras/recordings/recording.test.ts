/** Tests recordings as data: reading, writing and events. */
import { describe, expect, it } from 'vitest'
import {
  fileNameOf,
  parseRecording,
  rounded,
  toChunk,
  toContent,
} from '../../../src/extras/recordings/recording.ts'
import { formatRecording, head, utf8 } from './samples.ts'

describe('a recording file', () => {
  const first = '{"recording":1,"operation":"ask","key":"k"}'
  const request = '{"request":{"method":"GET","path":"/a"}}'
  const reply = '{"reply":{"ms":1,"status":200,"headers":{}}}'
  const chunk = '{"ms":2,"text":"ab"}'
  const end = '{"end":"fin","ms":3,"bytes":2}'

  it('is parsed from text only', () => {
    const message = 'parseRecording() expects the text of a .recording.jsonl file'
    expect(() => parseRecording({} as never)).toThrow(message)
    expect(() => parseRecording('./ask.recording.jsonl')).toThrow(message)
  })

  it('is parsed line by line, ignoring blank lines, and is the same after it is formatted and parsed again', () => {
    const recording = parseRecording([first, '', request, reply, '  ', chunk, end].join('\n'))
    expect(recording).toEqual({
      head: { recording: 1, operation: 'ask', key: 'k', dialect: 'neutral', redacted: [] },
      request: { method: 'GET', path: '/a', query: '', headers: {} },
      reply: { ms: 1, status: 200, headers: {} },
      chunks: [{ ms: 2, text: 'ab' }],
      end: { end: 'fin', ms: 3, bytes: 2 },
    })
    expect(parseRecording(formatRecording(recording))).toEqual(recording)
    expect(parseRecording(first)).toEqual({ head: recording.head, chunks: [] })
  })

  it.each([
    [[], 't: is empty'],
    [['nothing'], /^parseRecording: t:1: not JSON: /],
    [['7'], 't:1: is not an object'],
    [['[]'], 't:1: is not an object'],
    [[request], 't:1: the first line must be the head, {"recording":1,…}'],
    [[first, '', first], 't:3: has a second head'],
    [[first, request, request], 't:3: has a second request'],
    [[first, reply, reply], 't:3: has a second reply'],
    [[first, chunk, end, chunk], 't:4: follows the line with "end", which must be the last'],
    [['{"recording":2,"operation":"ask","key":"k"}'], 't:1: head: recording: Must be 1, got 2'],
    [['{"recording":1,"operation":"","key":"k"}'], 't:1: head: operation: Must not be empty'],
    [[first, '{"request":7}'], 't:2: request: Must be an object, got 7'],
    [
      [first, '{"request":{"method":"get","path":"/a"}}'],
      't:2: request: method: a method must be upper case',
    ],
    [[first, '{"reply":{"ms":-1,"status":200,"headers":{}}}'], 't:2: reply: ms: Must be 0 or more, got -1'],
    [[first, '{"ms":0}'], 't:2: chunks: a chunk must have ms, and text or base64'],
    [[first, chunk, '{"end":"fin","ms":0,"bytes":-1}'], 't:3: end: bytes: Must be 0 or more, got -1'],
    [
      [first, chunk, '{"end":"fin","ms":3,"bytes":3}'],
      't: the chunks total 2 bytes, but the last line declares 3. If they were edited, correct bytes and remove sha256 there',
    ],
    [
      [first, chunk, '{"end":"fin","ms":3,"bytes":2,"sha256":"00"}'],
      't: the chunks were changed after recording. If that is intended, remove sha256 from the last line',
    ],
  ] as [string[], string | RegExp][])('is rejected if it contains %j', (lines, message) => {
    expect(() => parseRecording(lines.join('\n'), 't')).toThrow(message)
    if (typeof message === 'string')
      expect(() => parseRecording(lines.join('\n'), 't')).toThrow(
        new RegExp(`^parseRecording: ${message.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`),
      )
  })

  it('is named after its operation and key, with a number for repeated requests', () => {
    const named = { ...head, key: 'k' }
    expect(fileNameOf(named, new Set())).toBe('ask-k.recording.jsonl')
    const taken = new Set<string>()
    for (let number = 1; number < 100; number++) taken.add(fileNameOf(named, taken))
    expect([...taken][1]).toBe('ask-k.2.recording.jsonl')
    expect([...taken][98]).toBe('ask-k.99.recording.jsonl')
    expect(fileNameOf({ ...head, operation: 'get /a' }, new Set())).toBe('get-a.recording.jsonl')
  })

  it.each([
    ['', {}],
    ['{"a":1}', { json: { a: 1 } }],
    ['{ "a": 1 }', { text: '{ "a": 1 }' }],
    ['no JSON', { text: 'no JSON' }],
    ['null', { json: null }],
  ])('stores the request body %j in the most readable form', (body, content) => {
    expect(toContent(utf8(body))).toEqual(content)
  })

  it('stores binary data in base64, and times with two decimals', () => {
    expect(toContent(Uint8Array.of(0xff))).toEqual({ base64: '/w==' })
    expect(toChunk(1.234, utf8('a'))).toEqual({ ms: 1.23, text: 'a' })
    expect(toChunk(1.236, Uint8Array.of(0xff))).toEqual({ ms: 1.24, base64: '/w==' })
    expect([-1, 0, 0.004, 0.005, 1.999].map(rounded)).toEqual([0, 0, 0, 0.01, 2])
  })
})
