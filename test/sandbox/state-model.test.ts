/**
 * Sandboxes against a model of their state: a seeded part here, all of it with `npm run test:all`.
 */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runModel, type Step, steps, untilDone } from '../tools/soak/state-model.ts'
import { cases, isWhole } from '../whole.ts'

const patient = isWhole ? 3_600_000 : 30_000
const settings = (part: number, all: number) => ({ numRuns: cases(part, all), seed: 1 })

it(
  'is what the model says when each step waits for the one before',
  () => fc.assert(fc.asyncProperty(steps(fc.constant(untilDone)), runModel), settings(40, 20_000)),
  patient,
)

it(
  'is what the model says when steps begin at any await of those before',
  () => fc.assert(fc.asyncProperty(steps(fc.nat({ max: 14 })), runModel), settings(70, 50_000)),
  patient,
)

it('would be noticed where it is something else', async () => {
  const patch = { kind: 'patch' as const, key: 'one', changes: { slug: 'three' } }
  const plan: Step[] = [{ action: patch, on: 0, turns: 0 }]
  await runModel(plan)
  const broken = JSON.parse(JSON.stringify(plan), (key, value) => (key === 'slug' ? 'NOT A SLUG' : value))
  await expect(runModel(broken)).rejects.toThrow('status: 400, expected 200')
})
