/**
 * A seeded fiftieth of all pairs; `pairs.slow.test.ts` runs them all.
 */
import { expect, it } from 'vitest'
import { draw } from '../../src/lib/seed.ts'
import { allCases, describeCase, runAll } from './pairs.ts'

it('two faults of one rule both act, or the scenario is refused with the reason: a fiftieth of all pairs', async () => {
  const some = allCases.filter((each) => draw('pairs', describeCase(each)) < 0.02)
  const results = await runAll(some, 24)
  const wrong = results.flatMap((result, index) =>
    result.kind === 'wrong' ? [`${describeCase(some[index] as never)}: ${result.why}`] : [],
  )
  expect(wrong).toEqual([])
  expect(results.filter(({ kind }) => kind === 'both').length).toBeGreaterThan(20)
}, 60_000)
