import { describe, expect, it, vi } from 'vitest'
import { Occurrences } from '../../src/sandbox/memory.ts'

/** Maximum number of distinct requests to remember. */
const capacity = 100_000

function filled(count: number): Occurrences {
  const occurrences = new Occurrences()
  for (let index = 0; index < count; index++) occurrences.next(`request ${index}`)
  return occurrences
}

describe('Occurrences', () => {
  it('remembers 100,000 requests', () => {
    const occurrences = filled(capacity)
    expect(occurrences.next('request 0')).toBe(1)
    expect(occurrences.next(`request ${capacity - 1}`)).toBe(1)
  })

  it('forgets the oldest 100,000 requests after 100,000 newer ones', () => {
    const occurrences = filled(2 * capacity + 1)
    expect(occurrences.next('request 0')).toBe(0)
    expect(occurrences.next(`request ${capacity}`)).toBe(1)
  })

  it('shares its counts with forks, instead of copying them', () => {
    const origin = filled(20_000)
    origin.fork()
    const set = vi.spyOn(Map.prototype, 'set')
    for (let index = 0; index < 100; index++) {
      origin.next(`later ${index}`)
      origin.fork()
    }
    const copied = set.mock.calls.length
    set.mockRestore()
    expect(copied).toBeLessThan(1000)
    expect([origin.next('request 0'), origin.next('later 0'), origin.next('new')]).toEqual([1, 1, 0])
  })
})
