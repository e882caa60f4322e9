import { expect, it } from 'vitest'
import { checkText } from '../../src/control/check-text.ts'
import { createGateway } from '../../src/index.ts'

const gateway = createGateway()

it.each<[string, string[]]>([
  ['name: a\nrules:\n  - on: "*"\n    fault: timeout\n', []],
  ['on: "*"\nfault: timeout\n', []],
  ['on: "*"\nfault: timeot\n', ["2:1 fault 'timeot' is unknown; did you mean 'timeout'?"]],
  [
    'name: a\nrules:\n  - on: listProvider\n    fault: timeout\n',
    ["3:5 rule 1 of 'a': on: unknown operation 'listProvider'; did you mean 'listProviders'?"],
  ],
  [
    '{"on":"*","tims":1,"times":0,"fault":"timeout"}',
    [
      "1:11 unknown field 'tims'; did you mean 'times'?",
      '1:20 times must be 1 or more, got 0: to disable a rule, remove it',
    ],
  ],
  ['name: a\nrules: []\n', ["2:1 scenario 'a': rules must not be empty"]],
  ['7', ['1:1 a scenario must be { name, rules: […] } or a single rule, got 7']],
  ['null', ['1:1 a scenario must be { name, rules: […] } or a single rule, got null']],
])('checkText() checks %j and reports the problems %j', (text, expected) => {
  const { scenario, problems } = checkText(text, gateway)
  expect(problems.map(({ line, column, message }) => `${line}:${column} ${message}`)).toEqual(expected)
  expect(scenario === null).toBe(expected.length > 0)
})

it('checkText() reports invalid YAML with line and column', () => {
  const { scenario, problems } = checkText('name: a\nrules: [\n', gateway)
  expect(scenario).toBeNull()
  expect(problems).toMatchObject([{ line: expect.any(Number), column: expect.any(Number) }])
})
