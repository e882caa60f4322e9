/** Tests the time axis of the call list. */
import { describe, expect, it } from 'vitest'
import { timeAxis } from '../../../src/extras/console/page/time-axis.ts'

const at = (ms: number, durationMs: number | null) => ({
  startedAt: new Date(1_000_000 + ms).toISOString(),
  durationMs,
})
/** Returns positions in percent. */
function positions(calls: ReturnType<typeof at>[], ...times: number[]): number[] {
  const axis = timeAxis(calls)
  return times.map((ms) => Math.round(100 * axis.at(1_000_000 + ms)))
}

describe('the time axis', () => {
  it('is linear without long gaps', () => {
    const calls = [at(0, 100), at(50, 100), at(100, 100)]
    expect(positions(calls, -5, 0, 50, 100, 150, 200, 300)).toEqual([0, 0, 25, 50, 75, 100, 100])
    expect(timeAxis(calls)).toMatchObject({ cuts: [], ticks: [100, 200] })
  })

  it.each([
    ['a gap of an hour', [at(0, 100), at(3_600_000, 100)], [100, 3_600_000], [25, 75]],
    ['a stalled stream', [at(0, 100), at(0, 60_000), at(50, 100)], [100, 150, 60_000], [29, 43, 100]],
  ])('shortens %s', (_name, calls, times, expected) => {
    expect(positions(calls, ...times)).toEqual(expected)
    expect(timeAxis(calls).cuts).toHaveLength(1)
  })

  it('has positions for no call, and for a call that is not over', () => {
    expect(positions([], 0)).toEqual([0])
    expect(positions([at(0, null)], 0, 50)).toEqual([0, 0])
    expect(timeAxis([at(0, null)]).ticks).toEqual([0, 0])
  })
})
