/**
 * Every fault on its own and every pair of faults, in both forms and through every adapter.
 */
import { expect, it } from 'vitest'
import { allCases, describeCase, runAll } from './pairs.ts'

it('two faults of one rule both act, or the scenario is refused with the reason: all pairs', async () => {
  const results = await runAll(allCases, 12)
  const wrong = results.flatMap((result, index) =>
    result.kind === 'wrong' ? [`${describeCase(allCases[index] as never)}: ${result.why}`] : [],
  )
  expect(wrong).toEqual([])
}, 900_000)
