import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { FaultInput } from '../../src/faults/index.ts'
import { eventStream, type Frame, ok, type Reply } from '../../src/http/reply.ts'
import { applyFaults, bytesOf, type FaultReport, framesOf, outline, sample } from './sample.ts'

const answer = ok({
  data: [
    { name: 'Ümlaut', slug: 'a', count: 1 },
    { name: 'B', slug: 'b', count: null },
  ],
})
const text = JSON.stringify({
  data: [
    { name: 'Ümlaut', slug: 'a', count: 1 },
    { name: 'B', slug: 'b', count: null },
  ],
})
const whole = Buffer.from(text)

const valueAfter = (fault: FaultInput) => {
  const { body } = applyFaults(answer, fault)
  return body.kind === 'json' ? body.value : undefined
}

describe('truncated-body', () => {
  it('announces the full Content-Length, sends half of the bytes and closes the connection', () => {
    const reply = applyFaults(answer, 'truncated-body')
    expect(reply.headers['content-length']).toBe(String(whole.length))
    expect(bytesOf(framesOf(reply))).toEqual(whole.subarray(0, whole.length >> 1))
    expect(outline(framesOf(reply)).at(-1)).toBe('close')
  })

  it('sends `atByte` bytes, even if that splits a multibyte character', () => {
    const inside = whole.indexOf('Ü') + 1
    expect(bytesOf(framesOf(applyFaults(answer, { name: 'truncated-body', atByte: inside })))).toHaveLength(
      inside,
    )
  })
})

describe('slow-body and bandwidth', () => {
  it('slow-body: sends equal chunks over the given time', () => {
    const reply = applyFaults(answer, { name: 'slow-body', ms: 100, chunks: 4 })
    expect(outline(framesOf(reply))).toEqual([
      'wait 25',
      'bytes',
      'wait 25',
      'bytes',
      'wait 25',
      'bytes',
      'wait 25',
      'bytes',
    ])
    expect(bytesOf(framesOf(applyFaults(answer, 'slow-body'))).toString()).toBe(text)
    expect(reply.headers['content-length']).toBe(String(whole.length))
  })

  it('bandwidth: takes time in proportion to the body', () => {
    const frames = framesOf(applyFaults(answer, { name: 'bandwidth', bytesPerSecond: 100 }))
    const waits = frames.map((frame) => (frame.kind === 'wait' ? frame.ms : 0))
    expect(waits.reduce((sum, ms) => sum + ms)).toBeCloseTo(whole.length * 10)
    expect(bytesOf(frames)).toEqual(whole)
  })

  it('bandwidth: leaves the bytes of a stream unchanged', () => {
    const frames = framesOf(applyFaults(sample(), { name: 'bandwidth', bytesPerSecond: 1000 }))
    expect(bytesOf(frames)).toEqual(bytesOf(framesOf(sample())))
  })
})

describe('missing-field and wrong-type', () => {
  it('missing-field: removes a field at a path', () => {
    expect(valueAfter({ name: 'missing-field', path: 'data.0.slug' })).toEqual({
      data: [
        { name: 'Ümlaut', count: 1 },
        { name: 'B', slug: 'b', count: null },
      ],
    })
  })

  it('missing-field: accepts wildcards and list items in the path', () => {
    expect(valueAfter({ name: 'missing-field', path: 'data[*].slug' })).toEqual({
      data: [
        { name: 'Ümlaut', count: 1 },
        { name: 'B', count: null },
      ],
    })
    expect(valueAfter({ name: 'missing-field', path: 'data.0' })).toEqual({
      data: [{ name: 'B', slug: 'b', count: null }],
    })
  })

  it('missing-field: does not modify the original reply', () => {
    valueAfter({ name: 'missing-field', path: 'data' })
    expect(JSON.stringify(answer.body.kind === 'json' && answer.body.value)).toBe(text)
  })

  it('wrong-type: turns strings into numbers and other values into strings', () => {
    expect(valueAfter({ name: 'wrong-type', path: 'data.0.*' })).toMatchObject({
      data: [{ name: 42, slug: 42, count: '1' }, {}],
    })
    expect(valueAfter({ name: 'wrong-type', path: 'data.1.count' })).toMatchObject({
      data: [{}, { count: 'null' }],
    })
  })

  it.each([
    ['string', '[]'],
    ['number', 42],
    ['boolean', true],
    ['null', null],
    ['array', [[]]],
    ['object', { value: [] }],
  ] as const)('wrong-type: replaces the value as specified by `as: %s`', (as, expected) => {
    const { body } = applyFaults(ok({ data: [] }), { name: 'wrong-type', path: 'data', as })
    expect(body).toMatchObject({ value: { data: expected } })
  })

  it('missing-field: reports a path that does not exist', () => {
    const report: FaultReport = { warnings: [] }
    applyFaults(answer, { name: 'missing-field', path: 'data.0.constructor' }, { report })
    expect(report).toEqual({
      noEffect: true,
      warnings: ["'missing-field' found nothing to act on: the answer has no field 'data.0.constructor'"],
    })
  })

  it('missing-field: removes the field from stream events', () => {
    const frames = framesOf(applyFaults(sample(), { name: 'missing-field', path: 'response.output' }))
    expect(JSON.stringify(frames)).not.toContain('"output":')
  })
})

it('wrong-content-type: changes only the header', () => {
  const reply = applyFaults(answer, 'wrong-content-type')
  expect(reply).toEqual({ ...answer, headers: { 'content-type': 'text/plain' } })
})

/** Applies a fault, and returns the JSON value or the frames of the reply with the warnings. */
const effectOn = (reply: Reply, fault: FaultInput | FaultInput[]) => {
  const report: FaultReport = { warnings: [] }
  const { body } = applyFaults(reply, fault, { report })
  const value = body.kind === 'json' ? body.value : body.kind === 'frames' ? [...body.frames] : undefined
  return { value, warnings: report.warnings }
}
const event = (fields: object): Frame => ({ kind: 'event', event: { ...fields } })

it('wrong-content-type: warns if the content type is not wrong', () => {
  expect(effectOn(answer, { name: 'wrong-content-type', contentType: 'application/json' }).warnings).toEqual([
    "'wrong-content-type' found nothing to act on: the content type is 'application/json'",
  ])
})

it('slow-body: delays a body of one byte, even by one millisecond', () => {
  expect(effectOn(ok(7), { name: 'slow-body', ms: 1 })).toEqual({
    value: [
      { kind: 'wait', ms: 1 },
      { kind: 'bytes', bytes: Uint8Array.of(0x37) },
    ],
    warnings: [],
  })
})

it('truncated-body: sends the first of two bytes', () => {
  expect(bytesOf(framesOf(applyFaults(ok(42), 'truncated-body'))).toString()).toBe('4')
})

it.each([65_533, 65_534, 200_000])('gzip-body: encodes a text of %i characters', (length) => {
  const sent = bytesOf(framesOf(applyFaults(ok('x'.repeat(length)), 'gzip-body')))
  expect(gunzipSync(sent).toString()).toBe(JSON.stringify('x'.repeat(length)))
})

describe('citation faults', () => {
  it.each<[object, number]>([
    [{ start_index: 0, end_index: 3 }, 11],
    [{ start_index: 0, end_index: 1 }, 9],
    [{ start_index: 3, end_index: 3 }, 9],
    [{ start_index: 5, end_index: 2 }, 9],
    [{ start_index: 5 }, 9],
  ])('citation-out-of-range: moves %j after the end of the text, to at least one character', (span, end) => {
    const reply = ok({ content: [{ text: 'One two', annotations: [{ type: 'url_citation', ...span }] }] })
    const moved = { type: 'url_citation', start_index: 8, end_index: end }
    expect(effectOn(reply, { name: 'citation-out-of-range', by: 1 })).toEqual({
      value: { content: [{ text: 'One two', annotations: [moved] }] },
      warnings: [],
    })
  })

  it('citation-out-of-range: adds up the deltas of a stream that never sends the full text', () => {
    const stream = (...spans: object[]) => [
      event({ delta: { content: 'One ' } }),
      event({ delta: { content: 'two' } }),
      ...spans.map((span) => event({ annotations: [{ type: 'url_citation', ...span }] })),
    ]
    const reply = eventStream(stream({ start_index: 0, end_index: 3 }))
    expect(effectOn(reply, { name: 'citation-out-of-range', by: 1 })).toEqual({
      value: stream({ start_index: 8, end_index: 11 }),
      warnings: [],
    })
  })

  it('citation-missing-field: warns if no citation has the field', () => {
    const reply = ok({ annotations: [{ type: 'url_citation', url: 'https://a.example' }] })
    expect(effectOn(reply, { name: 'citation-missing-field', field: 'content' })).toEqual({
      value: { annotations: [{ type: 'url_citation', url: 'https://a.example' }] },
      warnings: [
        "'citation-missing-field' found nothing to act on: the answer's citations have no 'content'",
      ],
    })
  })

  it('citation-missing-field: changes only citations', () => {
    const others = [
      { start_index: 1 },
      { url: 'https://a.example' },
      { type: 'page', url: 'https://a.example', start_index: 1 },
      { type: 'page', start_index: 1 },
    ]
    const url = 'https://a.example'
    expect(
      effectOn(ok([...others, { url, start_index: 1 }, { type: 'url_citation', start_index: 1 }]), {
        name: 'citation-missing-field',
        field: 'start_index',
      }).value,
    ).toEqual([...others, { url }, { type: 'url_citation' }])
  })
})
