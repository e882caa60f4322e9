import { describe, expect, it } from 'vitest'
import { RulesFile } from '../../src/scenarios/rules-file.ts'

/** Returns true if a file with these values is valid. */
function accepts({ rule = 1, count = 0, at = 0, now = 0, state = 'started' }): boolean {
  const progress = {
    rule,
    seen: count,
    taken: count,
    happened: count,
    quota: [['key', [{ at, now, requests: count, tokens: count }]]],
    runs: [],
    problem: null,
  }
  const uses = [{ scenario: { rules: [{}, {}] }, progress: [progress] }]
  return RulesFile.safeParse({ uses, named: [], conversations: count, state }).success
}

describe('the rules in a sandbox file', () => {
  const largest = Number.MAX_SAFE_INTEGER

  it.each([
    ['rule', [1, 2], [0, 3, 1.5]],
    ['count', [0, 1], [-1, 0.5]],
    ['at', [0, 0.5, largest], [-0.5, largest + 1]],
    ['now', [0, 0.5, largest], [-0.5, largest + 1]],
  ])('have values of `%s` such as %j, but not %j', (name, valid, invalid) => {
    expect([...valid, ...invalid].filter((value) => accepts({ [name]: value }))).toEqual(valid)
  })

  it('have texts of up to 64 Mi characters', () => {
    const lengths = [67_108_864, 67_108_865]
    expect(lengths.map((length) => accepts({ state: 'x'.repeat(length) }))).toEqual([true, false])
  })
})
