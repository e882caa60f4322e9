/** Runs a small, seeded version of `npm run soak`, which tries many more scenarios. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createGateway } from '../../../src/index.ts'
import { cases } from '../../suite-size.ts'
import { anyScenario, tryScenario } from './any-scenario.ts'

it("an arbitrary scenario leaves the gateway usable and the journal readable, or is rejected with the error's position", async () => {
  const gateway = createGateway({ timeScale: 0 })
  let valid = 0
  const scenarios = fc.sample(anyScenario, { numRuns: cases(50, 10_000), seed: 1 })
  for (const scenario of scenarios) {
    const { wrong, isValid } = await tryScenario(gateway, scenario)
    expect(wrong, JSON.stringify(scenario)).toBeUndefined()
    if (isValid) valid++
  }
  // Both outcomes must occur.
  expect(valid).toBeGreaterThan(scenarios.length / 20)
  expect(valid).toBeLessThan(scenarios.length)
}, 60_000)
