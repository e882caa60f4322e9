/**
 * Compares sandboxes with a model of their state: a seeded sample of cases here, all cases with `npm run
 * test:all`.
 */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { cases, isFullRun } from '../suite-size.ts'
import { runModel, type Step, steps, untilDone } from '../tools/soak/state-model.ts'

const timeoutMs = isFullRun ? 3_600_000 : 30_000
const settings = (part: number, all: number) => ({ numRuns: cases(part, all), seed: 1 })

it(
  'a sandbox matches the model when steps run one after another',
  () => fc.assert(fc.asyncProperty(steps(fc.constant(untilDone)), runModel), settings(40, 20_000)),
  timeoutMs,
)

it(
  'a sandbox matches the model when steps overlap at any await',
  () => fc.assert(fc.asyncProperty(steps(fc.nat({ max: 14 })), runModel), settings(70, 50_000)),
  timeoutMs,
)

it('the model detects a deviation', async () => {
  const patch = { kind: 'patch' as const, key: 'one', changes: { slug: 'three' } }
  const plan: Step[] = [{ action: patch, on: 0, turns: 0 }]
  await runModel(plan)
  const broken = JSON.parse(JSON.stringify(plan), (key, value) => (key === 'slug' ? 'NOT A SLUG' : value))
  await expect(runModel(broken)).rejects.toThrow('status: 400, expected 200')
})
