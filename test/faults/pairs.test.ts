/**
 * Tests a seeded sample of all pairs of faults; `pairs.slow.test.ts` tests all of them.
 */
import { expect, it } from 'vitest'
import { draw } from '../../src/lib/seed.ts'
import { allCases, describeCase, runAll } from './pairs.ts'

it('two faults in one rule both have an effect or are rejected with a reason: a sample of all pairs', async () => {
  const some = allCases.filter((each) => draw('pairs', describeCase(each)) < 0.0125)
  const results = await runAll(some, 48)
  const failures = results.flatMap((result, index) =>
    result.kind === 'failed' ? [`${describeCase(some[index] as never)}: ${result.why}`] : [],
  )
  expect(failures).toEqual([])
  expect(results.filter(({ kind }) => kind === 'both').length).toBeGreaterThan(50)
}, 60_000)
