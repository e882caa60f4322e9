/**
 * Tests that processing time grows in proportion to a request's parts: eight times the items take at most ten
 * times as long.
 */
import { expect, it } from 'vitest'
import { growthOf, requestPlaces } from './large-inputs.ts'

it.each(requestPlaces)('processing time grows in proportion to %s', { retry: 3 }, async (_, prepare) => {
  expect(await growthOf(prepare)).toBeLessThanOrEqual(10)
})
