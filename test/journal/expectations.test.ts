import { describe, expect, it } from 'vitest'
import { judgeScripts, matches } from '../../src/journal/expectations.ts'
import type { ScriptProgress } from '../../src/scenarios/activation.ts'

const script = (change: Partial<ScriptProgress>): ScriptProgress => ({
  scenario: 'script',
  rule: 1,
  turns: 2,
  conversations: [],
  problem: null,
  ...change,
})
const conversation = (turns: number, problem: string | null = null) => ({ conversation: 3, turns, problem })

describe('judgeScripts()', () => {
  it('fails without a script', () => {
    expect(judgeScripts([], [])).toEqual({
      pass: false,
      message: 'Expected a script, but none is active: add one with sandbox.script().',
    })
  })

  it.each<[Partial<ScriptProgress>]>([
    [{ conversations: [conversation(2)] }],
    [{ conversations: [conversation(5), conversation(2)] }],
  ])('passes if all conversations are finished: %j', (change) => {
    expect(judgeScripts([script(change)], [])).toEqual({
      pass: true,
      message: 'Expected at least one unfinished script, but all are finished.',
    })
  })

  it.each<[Partial<ScriptProgress>, string]>([
    [{}, 'script() has not started: 0 of 2 turns consumed'],
    [{ problem: "input 'a'" }, "script() has not started: turn 1 of 2 expected input 'a'"],
    [{ conversations: [conversation(1)] }, 'script() is at turn 1 of 2 in conversation 3'],
    [
      { conversations: [conversation(2), conversation(5, 'expected no turn 3')] },
      'script() is at turn 2 of 2 in conversation 3; expected no turn 3',
    ],
  ])('fails if one is not finished: %j', (change, problem) => {
    expect(judgeScripts([script({ conversations: [conversation(2)] }), script(change)], [])).toEqual({
      pass: false,
      message: `Expected every script to be finished, but these are not:\n  ${problem}\nThe journal has no calls.`,
    })
  })
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
  [{ a: 1 }, { a: 1, b: undefined }, true],
  [{ a: 1, b: 2 }, { a: 1, b: undefined }, false],
  [{}, { a: expect.anything() }, false],
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
