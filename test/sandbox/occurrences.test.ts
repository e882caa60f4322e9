import { describe, expect, it } from 'vitest'
import { Occurrences } from '../../src/sandbox/memory.ts'

/** Maximum number of distinct requests to remember. */
const capacity = 100_000

function filled(count: number): Occurrences {
  const occurrences = new Occurrences()
  for (let index = 0; index < count; index++) occurrences.next(`request ${index}`)
  return occurrences
}

describe('Occurrences', () => {
  it('counts each request separately, from 0', () => {
    const occurrences = new Occurrences()
    expect(['a', 'a', 'b', 'a', 'b'].map((key) => occurrences.next(key))).toEqual([0, 1, 0, 2, 1])
  })

  it('remembers 100,000 requests', () => {
    const occurrences = filled(capacity)
    expect(occurrences.next('request 0')).toBe(1)
    expect(occurrences.next(`request ${capacity - 1}`)).toBe(1)
  })

  it('forgets only the oldest request when one more arrives', () => {
    const occurrences = filled(capacity)
    occurrences.next('one more')
    expect(occurrences.next('request 1')).toBe(1)
    expect(occurrences.next('request 0')).toBe(0)
    const others = filled(capacity)
    others.next('one more')
    expect(others.next('request 0')).toBe(0)
  })

  it('forgets requests one by one, oldest first', () => {
    const occurrences = filled(capacity)
    for (let index = 0; index < 10; index++) occurrences.next(`one more ${index}`)
    expect(occurrences.next('request 10')).toBe(1)
    expect(occurrences.next('request 9')).toBe(0)
    expect([occurrences.next('request 10'), occurrences.next('one more 0')]).toEqual([0, 1])
  })

  it('copies its counts to a fork, which then counts separately', () => {
    const origin = new Occurrences()
    origin.next('a')
    const fork = origin.fork()
    expect([fork.next('a'), fork.next('a')]).toEqual([1, 2])
    expect([origin.next('a'), origin.next('b')]).toEqual([1, 0])
    const second = origin.fork()
    expect([second.next('a'), second.next('b'), fork.next('b')]).toEqual([2, 1, 0])
  })

  it('forgets the oldest requests when a fork merges too many', () => {
    const origin = filled(capacity)
    origin.fork()
    origin.next('one more')
    const fork = origin.fork()
    expect([fork.next('one more'), fork.next('request 0'), fork.next('request 1')]).toEqual([1, 0, 1])
  })
})
