import { describe, expect, it } from 'vitest'
import type { FaultInput } from '../../src/faults/index.ts'
import { ok } from '../../src/http/reply.ts'
import { afflict, bytesOf, framesOf, outline, sample, type Told } from './sample.ts'

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
  const { body } = afflict(answer, fault)
  return body.kind === 'json' ? body.value : undefined
}

describe('truncated-body', () => {
  it('promises all bytes, sends half of them, and closes', () => {
    const reply = afflict(answer, 'truncated-body')
    expect(reply.headers['content-length']).toBe(String(whole.length))
    expect(bytesOf(framesOf(reply))).toEqual(whole.subarray(0, whole.length >> 1))
    expect(outline(framesOf(reply)).at(-1)).toBe('close')
  })

  it('sends as many bytes as it is told, also inside a character', () => {
    const inside = whole.indexOf('Ü') + 1
    expect(bytesOf(framesOf(afflict(answer, { name: 'truncated-body', atByte: inside })))).toHaveLength(
      inside,
    )
  })
})

describe('slow-body and bandwidth', () => {
  it('slow-body comes in equal pieces over a time', () => {
    const reply = afflict(answer, { name: 'slow-body', ms: 100, chunks: 4 })
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
    expect(bytesOf(framesOf(afflict(answer, 'slow-body'))).toString()).toBe(text)
    expect(reply.headers['content-length']).toBe(String(whole.length))
  })

  it('bandwidth takes as long as the bytes need', () => {
    const frames = framesOf(afflict(answer, { name: 'bandwidth', bytesPerSecond: 100 }))
    const waits = frames.map((frame) => (frame.kind === 'wait' ? frame.ms : 0))
    expect(waits.reduce((sum, ms) => sum + ms)).toBeCloseTo(whole.length * 10)
    expect(bytesOf(frames)).toEqual(whole)
  })

  it('bandwidth throttles a stream and keeps its end', () => {
    const frames = framesOf(afflict(sample(), { name: 'bandwidth', bytesPerSecond: 1000 }))
    expect(bytesOf(frames)).toEqual(bytesOf(framesOf(sample())))
  })
})

describe('missing-field and wrong-type', () => {
  it('takes a field away at a path', () => {
    expect(valueAfter({ name: 'missing-field', path: 'data.0.slug' })).toEqual({
      data: [
        { name: 'Ümlaut', count: 1 },
        { name: 'B', slug: 'b', count: null },
      ],
    })
  })

  it('takes it away everywhere with a star, and an item out of its list', () => {
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

  it('leaves the answer itself as it was', () => {
    valueAfter({ name: 'missing-field', path: 'data' })
    expect(JSON.stringify(answer.body.kind === 'json' && answer.body.value)).toBe(text)
  })

  it('makes a string a number and everything else a string', () => {
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
  ] as const)('makes it a %s where told', (as, expected) => {
    const { body } = afflict(ok({ data: [] }), { name: 'wrong-type', path: 'data', as })
    expect(body).toMatchObject({ value: { data: expected } })
  })

  it('says so when there is nothing at the path', () => {
    const told: Told = { warnings: [] }
    afflict(answer, { name: 'missing-field', path: 'data.0.constructor' }, { told })
    expect(told).toEqual({
      nothingHappened: true,
      warnings: ["'missing-field' found nothing to act on: the answer has no field 'data.0.constructor'"],
    })
  })

  it('changes the events of a stream', () => {
    const frames = framesOf(afflict(sample(), { name: 'missing-field', path: 'response.output' }))
    expect(JSON.stringify(frames)).not.toContain('"output":')
  })
})

it('wrong-content-type keeps the body', () => {
  const reply = afflict(answer, 'wrong-content-type')
  expect(reply).toEqual({ ...answer, headers: { 'content-type': 'text/plain' } })
})
