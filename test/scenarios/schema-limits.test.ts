import { expect, it } from 'vitest'
import type * as z from 'zod'
import { Condition, Pattern, TextCondition, When } from '../../src/scenarios/condition.ts'
import { Rule, Scenario } from '../../src/scenarios/scenario.ts'
import { ResultCheck, Script, Turn, TurnExpectation } from '../../src/scenarios/script.ts'
import {
  ScriptedCitation,
  ScriptedFrame,
  ScriptedItem,
  ScriptedReply,
  ScriptedUsage,
} from '../../src/scenarios/scripted-reply.ts'

const rule = { on: '*', fault: 'status' }
const url = 'https://a.example/'

it.each<[name: string, z.ZodLazy, valid: unknown[], invalid: unknown[]]>([
  ['Scenario', Scenario, [{ name: 'a', rules: [rule] }], [{ name: 'a', rules: [] }]],
  [
    'Rule',
    Rule,
    [
      { on: 'a', name: 'a', setState: 'a' },
      { on: ['a'], faults: ['status'] },
    ],
    [
      { on: '' },
      { on: [] },
      { on: [''] },
      { ...rule, name: '' },
      { ...rule, setState: '' },
      { on: '*', faults: [] },
    ],
  ],
  [
    'When',
    When,
    [
      { model: 'a', state: 'a', call: 1 },
      { model: ['a'], state: ['a'], call: [1] },
    ],
    [
      { model: '' },
      { model: [] },
      { model: [''] },
      { state: '' },
      { state: [] },
      { state: [''] },
      { call: 0 },
      { call: [] },
      { call: [0] },
    ],
  ],
  ['Condition', Condition, [{ contains: 'a' }, ''], [{ contains: '' }, {}]],
  ['TextCondition', TextCondition, ['a'], ['']],
  [
    'Pattern',
    Pattern,
    [{ matches: 'a' }, { matches: 'a'.repeat(200), flags: 'dgimsuy' }],
    [{ matches: '' }, { matches: 'a'.repeat(201) }, { matches: 'a', flags: 'a'.repeat(9) }],
  ],
  ['ResultCheck', ResultCheck, ['a'], ['']],
  [
    'TurnExpectation',
    TurnExpectation,
    [{ tools: ['a'], result: { a: ['a'] } }],
    [{ tools: [] }, { tools: [''] }, { result: { '': 'a' } }, { result: { a: [] } }],
  ],
  [
    'Turn',
    Turn,
    [{ call: { a: {} } }, { call: [{ a: {} }] }, { text: 'a', faults: ['latency'] }],
    [{ call: { '': {} } }, { call: [] }, { text: 'a', faults: [] }],
  ],
  [
    'Script',
    Script,
    [[{ text: 'a' }], Array(1000).fill({ text: 'a' })],
    [[], Array(1001).fill({ text: 'a' })],
  ],
  [
    'ScriptedItem',
    ScriptedItem,
    [{ type: 'message', content: 'a', id: 'a' }],
    [{ type: 'message', content: 'a', id: '' }],
  ],
  ['ScriptedCitation', ScriptedCitation, [{ url, text: 'a' }], [{ url, text: '' }]],
  ['ScriptedFrame', ScriptedFrame, [{ done: true }], [{ done: false }]],
  [
    'ScriptedUsage',
    ScriptedUsage,
    [{ input_tokens: 0 }, { input_tokens: 1e9 }],
    [{ input_tokens: -1 }, { input_tokens: 1e9 + 1 }],
  ],
  [
    'ScriptedReply',
    ScriptedReply,
    [
      { status: 200, id: 'a' },
      { status: 599, error: { code: 'a' } },
    ],
    [{ status: 199 }, { status: 600 }, { id: '' }, { error: { code: '' } }],
  ],
])('%s accepts values at its limits, and rejects values beyond them', (_name, schema, valid, invalid) => {
  const built = schema.unwrap() as z.ZodType
  expect(valid.map((value) => built.safeParse(value).error)).toEqual(valid.map(() => undefined))
  expect(invalid.filter((value) => built.safeParse(value).success)).toEqual([])
})

it('a period starts at 0 by default', () => {
  expect((Rule.unwrap() as z.ZodType).parse({ ...rule, during: { toMs: 9 } })).toMatchObject({
    during: { fromMs: 0, toMs: 9 },
  })
})
