/**
 * Real times of day.
 */
import { expect, it } from 'vitest'
import { timeOfDayAt } from '../../src/lib/clock.ts'

it('tells the time of day of a moment as a Date does, within a second and from one to the next', () => {
  for (const moment of [0, 0.4, 7.9, 99, 999.6, 1000, 1000.4, 59_999, 60_000, 86_400_000, 12.5, 0])
    expect(timeOfDayAt(moment)).toBe(new Date(performance.timeOrigin + moment).toISOString())
})
