import { expect, inject, it } from 'vitest'
import { undocumented } from './documented.ts'

it('every public option, method and field has a doc comment', () => {
  const entries = ['index', 'msw', 'node', 'vitest', 'playwright', 'remote', 'serve']
  expect(undocumented(inject('packed').folder, entries)).toEqual([])
})
