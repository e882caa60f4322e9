import { expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'

const invalidName = 'id: must be 1 to 64 lowercase letters and digits, with single hyphens in between, got '

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
  ['s1', "id: 's1' is reserved for generated ids: choose another"],
])('createSandbox() checks the id %j', (id, message) => {
  const create = () => createGateway().createSandbox({ id })
  if (message === undefined) expect(create().id).toBe(id)
  else expect(create).toThrow(message)
})
