/**
 * Every fault on its own and every pair of faults, in both forms and through every adapter.
 */
import { expect, it } from 'vitest'
import { draw } from '../../src/lib/seed.ts'
import { isWhole } from '../whole.ts'
import { allCases, describeCase, protocolCases, runAll } from './pairs.ts'

it('two faults of one rule both act, or the scenario is refused with the reason: all pairs', async () => {
  const results = await runAll(allCases, 12)
  const wrong = results.flatMap((result, index) =>
    result.kind === 'wrong' ? [`${describeCase(allCases[index] as never)}: ${result.why}`] : [],
  )
  expect(wrong).toEqual([])
}, 900_000)

it('the same in streams of chat completions and messages: a tenth, or all where suites run whole', async () => {
  const some = protocolCases.filter((each) => isWhole || draw('pairs', describeCase(each)) < 0.1)
  const results = await runAll(some, 12)
  const wrong = results.flatMap((result, index) =>
    result.kind === 'wrong' ? [`${describeCase(some[index] as never)}: ${result.why}`] : [],
  )
  expect(wrong).toEqual([])
}, 900_000)
