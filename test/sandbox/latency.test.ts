import { describe, expect, it } from 'vitest'
import {
  drawLatency,
  drawLength,
  Latency,
  Quantiles,
  valueAt,
  withLatency,
} from '../../src/sandbox/latency.ts'

const reply = { status: 200, headers: {}, body: { kind: 'none' } } as const
const latencyOf = (input: unknown) => ({ seed: 1, latency: Latency.parse(input) })

describe('the latency option', () => {
  it.each([
    [{ tokens: 100_000 }, true],
    [{ tokens: 100_001 }, false],
    [{ gapMs: { p0: 0, p50: 0, p100: 0 } }, true],
    [{ gapMs: { p0: 1, p50: 1 } }, true],
    [{ gapMs: { p0: 2, p50: 1 } }, false],
    [{ gapMs: {} }, false],
    [{ profile: 1, models: { '*': { gapMs: 1 } } }, true],
    [{ profile: 2, models: { '*': { gapMs: 1 } } }, false],
  ])('is %j, which is valid: %s', (input, isValid) => {
    expect(Latency.safeParse(input).success).toBe(isValid)
  })

  it('accepts a profile', () => {
    expect(Latency.parse({ profile: 1, models: {} })).toEqual({ profile: 1, models: {} })
  })
})

describe('drawLatency()', () => {
  it('returns no delays without a latency', () => {
    expect(drawLatency('id', 'a/b', { seed: 1 })).toEqual({
      firstMs: 0,
      gapMs: undefined,
      keepAliveMs: Number.POSITIVE_INFINITY,
    })
  })
})

describe('withLatency()', () => {
  const delayOf = (outputTokens: number, latency: object) =>
    withLatency(reply, { id: 'id', model: 'a/b', outputTokens }, latencyOf(latency)).transport

  it.each([
    [0, 10],
    [1, 12],
    [3, 16],
  ])('adds up the first delay and the gaps of %i tokens', (outputTokens, delayMs) => {
    expect(delayOf(outputTokens, { firstByteMs: 10, gapMs: 2 })).toEqual({ delayMs })
  })

  it('prefers the total', () => {
    expect(delayOf(3, { firstByteMs: 10, gapMs: 2, totalMs: 5 })).toEqual({ delayMs: 5 })
    expect(withLatency(reply, { id: 'id', model: 'a/b', outputTokens: 3 }, { seed: 1 })).toBe(reply)
  })
})

describe('drawLength()', () => {
  it.each([
    [0, 1],
    [1, 1],
    [2, 2],
    [99_999, 99_999],
    [100_000, 100_000],
    [200_000, 100_000],
  ])('returns a length for %i tokens of at least 1 and at most 100,000: %i', (tokens, expected) => {
    expect(drawLength({ p50: tokens }, 'key')).toBe(expected)
  })
})

describe('valueAt()', () => {
  it('interpolates between quantiles, and extrapolates down to zero', () => {
    const quantiles = Quantiles.parse({ p20: 10, p50: 40, p80: 100 })
    expect(
      [0, 0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 1].map((share) => Math.round(valueAt(quantiles, share))),
    ).toEqual([0, 0, 10, 25, 40, 70, 100, 140])
    expect([
      valueAt({ p50: 7 }, 0),
      valueAt({ p50: 7 }, 0.5),
      valueAt({ p50: 7 }, 1),
      valueAt({}, 0.5),
    ]).toEqual([7, 7, 7, 0])
  })
})
