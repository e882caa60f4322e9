/** Tests each fault and a seeded sample of all pairs, through every adapter; `pairs.slow.test.ts` tests all pairs. */
import { expect, it } from 'vitest'
import { draw } from '../../src/lib/seed.ts'
import { allCases, describeCase, runAll } from './pairs.ts'

it('two faults in one rule both have an effect or are rejected with a reason: each fault and some pairs', async () => {
  const some = allCases.filter((each) => !each.second || draw('pairs', describeCase(each)) < 0.005)
  const results = await runAll(some, 48)
  const failures = results.flatMap((result, index) =>
    result.kind === 'failed' ? [`${describeCase(some[index] as never)}: ${result.why}`] : [],
  )
  expect(failures).toEqual([])
  expect(results.filter(({ kind }) => kind === 'both').length).toBeGreaterThan(200)
}, 60_000)
