import { expect, it } from 'vitest'
import { assertChosenId, nodeOf } from '../../src/sandbox/sandbox-id.ts'

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

it.each(['s1', 'default', 'n3s1', 'n3x1', 'abcdefghijklms1x1'])('%s names no node', (id) => {
  expect(nodeOf(id)).toBeUndefined()
})
