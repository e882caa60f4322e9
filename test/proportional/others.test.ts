/** Work grows in proportion to the parts of files, journals and options: eight times as many take at most ten times the time. */
import { expect, it } from 'vitest'
import { growthOf, otherPlaces } from './callers-data.ts'

it.each(otherPlaces)('takes work in proportion to %s', { retry: 3 }, async (_, prepare) => {
  expect(await growthOf(prepare)).toBeLessThanOrEqual(10)
})
