/**
 * The time of a request grows with its bytes and not with their square, for every list, map and text of every operation.
 */
import { expect, it } from 'vitest'
import { ask, badMessage, growthOf, list, message, patient, sized, withFields } from './sized.ts'

it.each(sized)('takes time in proportion to %s', async (_, sizedBy) => {
  // Eight times the bytes; their square would be sixty-four times.
  expect(await growthOf(sizedBy)).toBeLessThan(30)
})

it(
  '100,000 messages of which 65,000 are bad are a 400 with the first hundred violations, and how many more',
  async () => {
    const input = list(100_000, (index) => (index < 65_000 ? badMessage : message))
    const { status, text } = await ask(withFields({ input }))
    const { metadata } = JSON.parse(text).error
    expect(status).toBe(400)
    expect(metadata.violations).toHaveLength(100)
    expect(metadata.more).toBeGreaterThan(64_000)
  },
  patient,
)
