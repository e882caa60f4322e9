import { expect, it } from 'vitest'
import { assertCustomId } from '../../src/sandbox/sandbox-id.ts'

const invalidName = 'id: must be 1 to 64 lowercase letters and digits, with single hyphens in between, got '
const reservedName = (id: string) => `id: '${id}' is reserved for generated ids: choose another`

it.each([
  ['a', undefined],
  ['a-b-9', undefined],
  ['s', undefined],
  ['s1a', undefined],
  ['a'.repeat(64), undefined],
  ['a'.repeat(65), invalidName],
  ['', invalidName],
  ['A', invalidName],
  ['-a', invalidName],
  ['a-', invalidName],
  ['a--b', invalidName],
  ['a_b', invalidName],
  ['default', reservedName('default')],
  ['s1', reservedName('s1')],
])('assertCustomId() checks the sandbox id %j', (id, message) => {
  const choose = () => assertCustomId(id)
  if (message === undefined) expect(choose).not.toThrow()
  else expect(choose).toThrow(message)
})
