/** Work grows in proportion to the parts of requests: eight times as many take at most ten times the time. */
import { expect, it } from 'vitest'
import { growthOf, requestPlaces } from './callers-data.ts'

it.each(requestPlaces)('takes work in proportion to %s', { retry: 3 }, async (_, prepare) => {
  expect(await growthOf(prepare)).toBeLessThanOrEqual(10)
})
