import { expect, it } from 'vitest'
import type { CompiledRule } from '../../src/scenarios/compiled.ts'
import { ruleTitle } from '../../src/scenarios/names.ts'
import { explainNearMisses, type SkipReason } from '../../src/scenarios/near-misses.ts'

const rule = (more: object = {}) =>
  ({ scenario: 's', number: 2, tests: [], steps: [{}], ...more }) as unknown as CompiledRule
const explained = (rules: CompiledRule[], reasons: SkipReason[], skipped = rules.length, limit?: number) =>
  explainNearMisses({ rules, skipped, reasons: new Map(reasons.entries()) }, {} as never, limit).map(
    ({ scenario, rule, reason }) => `${scenario} ${rule}: ${reason}`,
  )

it.each<[object, SkipReason, string]>([
  [{ times: 1 }, { kind: 'times' }, 'is used up: it applies once'],
  [{ times: 3 }, { kind: 'times' }, 'is used up: it applies 3 times'],
  [{ steps: [{}, {}] }, { kind: 'sequence' }, 'is used up: its sequence has 2 steps'],
  [{ states: ['a'] }, { kind: 'state', state: 'b' }, "expected the state 'a', but it is 'b'"],
  [{ states: ['a', 'c'] }, { kind: 'state', state: 'b' }, "expected the state 'a' or 'c', but it is 'b'"],
  [{}, { kind: 'script' }, 'has no turn left for this call'],
  [{ calls: new Set([2, 4]) }, { kind: 'call', call: 3 }, 'expected call 2 or 4, but this is call 3'],
  [{ after: 2 }, { kind: 'after', call: 1 }, 'skips the first 2 calls, but this is call 1'],
  [
    { rateLimit: { requests: 5, tokens: Number.POSITIVE_INFINITY, windowMs: 10 } },
    { kind: 'rateLimit', call: 1 },
    'has not reached its limit of 5 calls in 10 ms: this is call 1 in this window',
  ],
  [
    { rateLimit: { requests: 1, tokens: 7, windowMs: 90_000 } },
    { kind: 'rateLimit', call: 1 },
    'has not reached its limit of 1 call and 7 tokens in 90 s: this is call 1 in this window',
  ],
  [
    {},
    { kind: 'stream', step: 2 },
    'is at step 2 of its sequence, a fault for streams, but the request is for JSON',
  ],
  [
    {},
    { kind: 'json', step: 2 },
    'is at step 2 of its sequence, a fault for JSON, but the request is for a stream',
  ],
  [{}, { kind: 'step', call: 2 }, 'is at step 2 of its sequence, which lets the call pass'],
  [{ setState: 'a' }, { kind: 'step', call: 2 }, "set the state 'a' and let the call pass"],
  [
    { setState: 'a', steps: [{}, {}] },
    { kind: 'step', call: 2 },
    'is at step 2 of its sequence, which lets the call pass',
  ],
  [
    {},
    { kind: 'probability', probability: 0.12345, drawn: 0.98765 },
    'has probability 0.123, but this call drew 0.988',
  ],
  [
    { during: { fromMs: 5, toMs: 9 } },
    { kind: 'during', elapsedMs: 1.23456 },
    'applies from 5 to 9 ms of elapsed time, but this call arrived at 1.235 ms',
  ],
  [
    { during: { fromMs: 5, toMs: Number.POSITIVE_INFINITY } },
    { kind: 'during', elapsedMs: 1 },
    'applies after 5 ms of elapsed time, but this call arrived at 1 ms',
  ],
])('explainNearMisses describes a rule with %o, skipped for %o: %s', (more, reason, text) => {
  expect(explained([rule(more)], [reason])).toEqual([`s 2: rule 2 of 's' ${text}`])
})

it('explainNearMisses reports the first condition that failed', () => {
  const test = (passes: boolean, text: string) => ({ passes: () => passes, explain: () => text })
  const tests = [test(true, 'one'), test(false, 'two'), test(false, 'three')]
  expect(explained([rule({ tests, name: 'mine' })], [])).toEqual(["s 2: rule 2 (mine) of 's' two"])
  expect(explained([rule({ tests: [test(true, 'one')] })], [])).toEqual([
    "s 2: rule 2 of 's' cannot be explained: the body was too long to store",
  ])
  expect(ruleTitle('s', 2, 'mine')).toBe("rule 2 (mine) of 's'")
})

it('explainNearMisses explains up to `limit` skipped rules, and counts the rest', () => {
  const rules = [1, 2, 3, 4].map((number) => rule({ number }))
  const over: SkipReason[] = rules.map(() => ({ kind: 'script' }))
  const line = (number: number) => `s ${number}: rule ${number} of 's' has no turn left for this call`
  expect(explained(rules, over)).toEqual([1, 2, 3, 4].map(line))
  expect(explained(rules, over, 2)).toEqual([1, 2].map(line))
  expect(explained(rules, over, 2, 2)).toEqual([1, 2].map(line))
  expect(explained(rules, over, 4, 4)).toEqual([1, 2, 3, 4].map(line))
  expect(explained(rules, over, 4, 2)).toEqual([
    ...[1, 2].map(line),
    "s 3: rule 3 of 's' did not apply either, nor did 1 more",
  ])
  expect(explained(rules, over, 3, 2)).toEqual([
    ...[1, 2].map(line),
    "s 3: rule 3 of 's' did not apply either",
  ])
})
