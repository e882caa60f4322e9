import { describe, expect, it } from 'vitest'
import type { FaultInput } from '../../src/faults/index.ts'
import { ok } from '../../src/http/reply.ts'
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
