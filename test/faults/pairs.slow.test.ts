/** Tests every fault alone and every pair of faults, as JSON and stream, through every adapter. */
import { expect, it } from 'vitest'
import { draw } from '../../src/lib/seed.ts'
import { isFullRun } from '../suite-size.ts'
import { allCases, describeCase, protocolCases, runAll } from './pairs.ts'

it('two faults in one rule both have an effect or are rejected with a reason: all pairs', async () => {
  const results = await runAll(allCases, 12)
  const failures = results.flatMap((result, index) =>
    result.kind === 'failed' ? [`${describeCase(allCases[index] as never)}: ${result.why}`] : [],
  )
  expect(failures).toEqual([])
}, 900_000)

it('two faults in one rule either both take effect in chat and messages streams, or are rejected (10% of the pairs; all with test:all)', async () => {
  const some = protocolCases.filter((each) => isFullRun || draw('pairs', describeCase(each)) < 0.1)
  const results = await runAll(some, 12)
  const failures = results.flatMap((result, index) =>
    result.kind === 'failed' ? [`${describeCase(some[index] as never)}: ${result.why}`] : [],
  )
  expect(failures).toEqual([])
}, 900_000)
