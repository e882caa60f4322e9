/**
 * Tests compiler errors for common mistakes. After an intended change: `npx vitest run -u --project slow
 * test/package/invalid`.
 */
import { expect, inject, it } from 'vitest'
import { compilerMessages, invalidPrograms } from './invalid-programs.ts'

it('the compiler reports each mistake in an invalid program at its position, and accepts a valid program', async () => {
  const [right, ...found] = await compilerMessages(inject('packed').folder)
  expect(right).toEqual([])
  const report = invalidPrograms.map((program, index) => [program, ...(found[index] ?? [])].join('\n  '))
  await expect(`${report.join('\n\n')}\n`).toMatchFileSnapshot('invalid-programs.txt')
})
