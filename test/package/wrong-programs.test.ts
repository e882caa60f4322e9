/** What the compiler says of mistakes; after an intended change: `npx vitest run -u --project slow test/package/wrong`. */
import { expect, inject, it } from 'vitest'
import { expectFile } from '../golden/expect-golden.ts'
import { compilerMessages, wrongPrograms } from './wrong-programs.ts'

it('reports each mistake of a wrong program at its place, and none in right ones', async () => {
  const [right, ...found] = await compilerMessages(inject('packed').folder)
  expect(right).toEqual([])
  const report = wrongPrograms.map((program, index) => [program, ...(found[index] ?? [])].join('\n  '))
  await expectFile(`${report.join('\n\n')}\n`, new URL('wrong-programs.txt', import.meta.url))
})
