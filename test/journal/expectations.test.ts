import { describe, expect, it } from 'vitest'
import { judgeScripts } from '../../src/journal/expectations.ts'
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
