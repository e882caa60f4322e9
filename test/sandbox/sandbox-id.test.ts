import { expect, it } from 'vitest'
import { assertChosenId, nodeOf, SandboxIds } from '../../src/sandbox/sandbox-id.ts'

const ofNoForm = 'sandbox: a name has 1 to 64 small letters and digits, with single hyphens between them'
const ofOurForm = (id: string) =>
  `sandbox: '${id}' has the form of the names that the gateway gives itself: choose another`

it.each([
  ['a', undefined],
  ['a-b-9', undefined],
  ['s', undefined],
  ['s1a', undefined],
  ['a'.repeat(64), undefined],
  ['a'.repeat(65), ofNoForm],
  ['', ofNoForm],
  ['A', ofNoForm],
  ['-a', ofNoForm],
  ['a-', ofNoForm],
  ['a--b', ofNoForm],
  ['a_b', ofNoForm],
  ['default', ofOurForm('default')],
  ['s1', ofOurForm('s1')],
  ['n3s17x8k2f1q0z', ofOurForm('n3s17x8k2f1q0z')],
])('a client may choose the name %j, or is told why not', (id, message) => {
  const choose = () => assertChosenId(id)
  if (message === undefined) expect(choose).not.toThrow()
  else expect(choose).toThrow(message)
})

it('ids are counted; those of a node begin with its name, and end as in no other run', () => {
  const next = (ids: SandboxIds) => [ids.next(), ids.next()]
  expect(next(new SandboxIds(undefined))).toEqual(['s1', 's2'])
  const ids = [next(new SandboxIds('n3')), next(new SandboxIds('n3'))]
  for (const [first = '', second = ''] of ids) {
    expect(first).toMatch(/^n3s1x[0-9a-z]{8,}$/)
    expect(second).toBe(first.replace('s1x', 's2x'))
    expect(nodeOf(first)).toBe('n3')
  }
  expect(ids[0]).not.toEqual(ids[1])
  expect(['s1', 'default', 'n3s1', 'n3x1', 'abcdefghijklms1x1'].map(nodeOf)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})
