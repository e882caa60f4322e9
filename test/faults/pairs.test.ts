/**
 * a seeded eightieth of all pairs; `pairs.slow.test.ts` runs them all.
 */
import { expect, it } from 'vitest'
import { draw } from '../../src/lib/seed.ts'
import { allCases, describeCase, protocolCases, runAll } from './pairs.ts'

it('two faults of one rule both act, or the scenario is refused with the reason: a eightieth of all pairs', async () => {
  const some = allCases.filter((each) => draw('pairs', describeCase(each)) < 0.0125)
  const results = await runAll(some, 48)
  const wrong = results.flatMap((result, index) =>
    result.kind === 'wrong' ? [`${describeCase(some[index] as never)}: ${result.why}`] : [],
  )
  expect(wrong).toEqual([])
  expect(results.filter(({ kind }) => kind === 'both').length).toBeGreaterThan(50)
}, 60_000)

it('each fault has its effect on streams of chat completions and messages, where they have what it is about', async () => {
  const alone = protocolCases.filter(({ second, adapter }) => second === undefined && adapter === 'fetch')
  const results = await runAll(alone, 48)
  const wrong = results.flatMap((result, index) =>
    result.kind === 'wrong' ? [`${describeCase(alone[index] as never)}: ${result.why}`] : [],
  )
  expect(wrong).toEqual([])
  expect(results.filter(({ kind }) => kind === 'both').length).toBeGreaterThan(90)
}, 60_000)
