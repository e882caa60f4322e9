/** Tests that exporting a call takes time proportional to its body's size. */
import { expect, it } from 'vitest'
import { toCurl, toTest } from '../../../src/extras/snippets/snippets.ts'
import { growthOf, keys, recordOf, withFields } from '../../payload-scaling/large-inputs.ts'
import { site } from './any-record.ts'

it.each([
  [
    'a curl command',
    async (count: number) => {
      const { record } = await recordOf(withFields({ input: "it's `x`\n".repeat(20 * count) }))
      return () => toCurl(record, site)
    },
  ],
  [
    'a test',
    async (count: number) => {
      const { record } = await recordOf(withFields(keys(count)))
      return () => toTest(record, 'vitest')
    },
  ],
] as const)('exporting %s takes time in proportion to the body', { retry: 3 }, async (_, prepare) => {
  expect(await growthOf(prepare)).toBeLessThanOrEqual(10)
})
