import { expect, inject, it } from 'vitest'
import { undocumented } from './documented.ts'

it('shows a sentence on every public option, method and field in an editor', () => {
  const entries = ['index', 'msw', 'node', 'vitest', 'playwright', 'remote', 'serve']
  expect(undocumented(inject('packed').folder, entries)).toEqual([])
})
