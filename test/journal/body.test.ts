/**
 * Tests the journal's building blocks: stored bodies, chunk times, field matching and usage sums.
 */
import { describe, expect, it } from 'vitest'
import { KeptBody, Timeline } from '../../src/journal/body.ts'
import { matches } from '../../src/journal/expectations.ts'
import { Ledger } from '../../src/journal/ledger.ts'

function stored(limit: number, parts: ReadonlyArray<string | Uint8Array>) {
  const body = new KeptBody()
  const grown = parts.map((part) => body.add(part, limit))
  expect(grown.reduce((sum, bytes) => sum + bytes, 0)).toBe(body.bytes)
  const { text, bytes, truncatedBytes } = body
  return { text, bytes, truncatedBytes }
}

const bytes = (text: string) => new TextEncoder().encode(text)

it.each([
  [['abcde'], { text: 'abcde', bytes: 5, truncatedBytes: 0 }],
  [['abcdef'], { text: 'abcde', bytes: 5, truncatedBytes: 1 }],
  [['abcdef', 'gh'], { text: 'abcde', bytes: 5, truncatedBytes: 3 }],
  [['abc', 'def', '', 'gh'], { text: 'abcde', bytes: 5, truncatedBytes: 3 }],
  [['abcde', 'f', 'g'], { text: 'abcde', bytes: 5, truncatedBytes: 2 }],
  [['ab', 'cü', 'xy'], { text: 'abcü', bytes: 5, truncatedBytes: 2 }],
  // Nothing is added after the truncated part, even if it would fit.
  [['abcdü', 'x'], { text: 'abcd', bytes: 4, truncatedBytes: 3 }],
  [['', 'abc', '', 'de', ''], { text: 'abcde', bytes: 5, truncatedBytes: 0 }],
  [['€€'], { text: '€', bytes: 3, truncatedBytes: 3 }],
  [['ab€'], { text: 'ab€', bytes: 5, truncatedBytes: 0 }],
  [['ab😀'], { text: 'ab', bytes: 2, truncatedBytes: 4 }],
])('a stored body keeps at most five bytes of %j', (parts, expected) => {
  expect(stored(5, parts)).toEqual(expected)
  expect(stored(5, parts.map(bytes))).toEqual(expected)
})

describe('a stored body', () => {
  const block = 64 * 1024

  it.each([block - 1, block, block + 1, 2 * block, 3 * block + 7])(
    'keeps as many whole characters as fit into %i bytes',
    (limit) => {
      const text = 'aé€😀'.repeat(30_000)
      const { text: beginning, bytes: size, truncatedBytes } = stored(limit, [text])
      expect(text.startsWith(beginning)).toBe(true)
      expect(size).toBe(Buffer.byteLength(beginning))
      expect(limit - size).toBeLessThan(4)
      expect(size + truncatedBytes).toBe(Buffer.byteLength(text))
      const next = [...text.slice(beginning.length, beginning.length + 2)][0] as string
      expect(size + Buffer.byteLength(next)).toBeGreaterThan(limit)
    },
  )

  it('joins its chunks', () => {
    const parts = Array.from({ length: 300 }, (_, index) => `part ${index}: ü€😀;`)
    const whole = parts.join('')
    for (const limit of [Buffer.byteLength(whole), 10_000_000]) {
      expect(stored(limit, parts)).toEqual({
        text: whole,
        bytes: Buffer.byteLength(whole),
        truncatedBytes: 0,
      })
      expect(stored(limit, parts.map(bytes)).text).toBe(whole)
    }
  })

  it('copies a view of a larger buffer, but not a whole buffer', () => {
    const large = new Uint8Array(1000).fill(97)
    const view = new KeptBody()
    view.add(large.subarray(0, 3), 10)
    const own = new KeptBody()
    own.add(large, 1000)
    large.fill(98)
    expect([view.text, own.text.slice(0, 3)]).toEqual(['aaa', 'bbb'])
  })

  it('decodes a character that is split across two chunks of bytes', () => {
    const [first, second] = [bytes('ü').subarray(0, 1), bytes('ü').subarray(1)]
    expect(stored(10, [bytes('a'), first, second, bytes('b')]).text).toBe('aüb')
    const long = 'x'.repeat(10_000)
    const parts = [bytes(long), first, new Uint8Array([...second, ...bytes(long)]), bytes('€').subarray(0, 2)]
    expect(stored(100_000, parts).text).toBe(`${long}ü${long}\ufffd`)
  })
})

it('Timeline merges chunks sent within a millisecond, and keeps at most 2,000', () => {
  const timeline = new Timeline([{ ms: 5, offset: 0 }])
  for (const [offset, ms] of [
    [10, 5.9],
    [20, 6],
    [30, 6.5],
    [40, 7],
  ] as const)
    timeline.mark(offset, ms)
  expect(timeline.parts()).toEqual([
    { ms: 5, offset: 0 },
    { ms: 6, offset: 20 },
    { ms: 7, offset: 40 },
  ])
  for (let part = 4; part <= 2001; part++) timeline.mark(part, 10 * part)
  expect(timeline.parts()).toHaveLength(2000)
  expect(new Timeline(timeline.parts()).parts()).toEqual(timeline.parts())
})

it.each<[value: unknown, wanted: unknown, has: boolean]>([
  [1, 1, true],
  [1, 2, false],
  [Number.NaN, Number.NaN, true],
  [null, null, true],
  [null, {}, false],
  [{}, null, false],
  [1, {}, false],
  [{}, 1, false],
  [{ a: 1, b: 2 }, { a: 1 }, true],
  [{ a: 1 }, { a: 1, b: undefined }, false],
  [{ a: { b: 1, c: 2 } }, { a: { c: 2 } }, true],
  [{ a: { b: 1 } }, { a: { b: 2 } }, false],
  [{}, { toString: Object.prototype.toString }, false],
  [[1, { a: 1, b: 2 }], [1, { a: 1 }], true],
  [[1, 2], [1], false],
  [[1], [1, 2], false],
  [{ 0: 1, length: 1 }, [1], false],
  [[1], { 0: 1 }, true],
  [[], [], true],
])('matches(%j, %j) returns %s', (value, wanted, has) => {
  expect(matches(value, wanted)).toBe(has)
})

describe('Ledger', () => {
  const used = (model: string, more: object = {}) => ({
    model,
    inputTokens: 3,
    cachedTokens: 1,
    outputTokens: 5,
    reasoningTokens: 2,
    cost: 0.1,
    ...more,
  })

  it('returns a copy of the usage, in total and by model, sorted by model name', () => {
    const ledger = new Ledger()
    for (const usage of [used('b'), used('a', { cost: null }), used('c', { cost: 0.2 }), used('b')])
      ledger.add(usage)
    const copy = ledger.copy()
    ledger.add(used('d'))
    const one = {
      requests: 1,
      inputTokens: 3,
      cachedTokens: 1,
      outputTokens: 5,
      reasoningTokens: 2,
      totalTokens: 8,
    }
    const read = copy.read()
    expect(read).toEqual({
      requests: 4,
      inputTokens: 12,
      cachedTokens: 4,
      outputTokens: 20,
      reasoningTokens: 8,
      totalTokens: 32,
      cost: 0.4,
      unpriced: 1,
      models: {
        a: { ...one, cost: 0, unpriced: 1 },
        b: {
          requests: 2,
          inputTokens: 6,
          cachedTokens: 2,
          outputTokens: 10,
          reasoningTokens: 4,
          totalTokens: 16,
          cost: 0.2,
          unpriced: 0,
        },
        c: { ...one, cost: 0.2, unpriced: 0 },
      },
    })
    expect(Object.keys(read.models)).toEqual(['a', 'b', 'c'])
    read.models['a'] = read
    ;(read.models['b'] as { requests: number }).requests = 0
    expect(copy.read().models['b']?.requests).toBe(2)
    expect(copy.cost).toBe(0.4)
  })

  it('counts at most a thousand models separately', () => {
    const ledger = new Ledger()
    for (let name = 0; name < 1003; name++) ledger.add(used(`model-${name}`))
    ledger.add(used('model-7'))
    const { models, requests } = ledger.read()
    expect(requests).toBe(1004)
    expect(Object.keys(models)).toHaveLength(1001)
    expect(models['*']?.requests).toBe(3)
    expect(models['model-7']?.requests).toBe(2)
    expect(models['model-999']?.requests).toBe(1)
  })
})
