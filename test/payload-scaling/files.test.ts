/**
 * Tests that processing time grows in proportion to files, journals and options: eight times the items take
 * at most ten times as long.
 */
import { expect, it } from 'vitest'
import { growthOf, otherPlaces } from './large-inputs.ts'

it.each(otherPlaces)('processing time grows in proportion to %s', { retry: 3 }, async (_, prepare) => {
  expect(await growthOf(prepare)).toBeLessThanOrEqual(10)
})
