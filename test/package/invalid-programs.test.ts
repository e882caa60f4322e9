/**
 * Tests compiler errors for common mistakes. After an intended change: `npx vitest run -u --project slow
 * test/package/invalid`.
 */
import { expect, inject, it } from 'vitest'
import { expectFile } from '../golden/expect-golden.ts'
import { compilerMessages, invalidPrograms } from './invalid-programs.ts'

it('the compiler reports each mistake in an invalid program at its position, and accepts a valid program', async () => {
  const [right, ...found] = await compilerMessages(inject('packed').folder)
  expect(right).toEqual([])
  const report = invalidPrograms.map((program, index) => [program, ...(found[index] ?? [])].join('\n  '))
  await expectFile(`${report.join('\n\n')}\n`, new URL('invalid-programs.txt', import.meta.url))
})
