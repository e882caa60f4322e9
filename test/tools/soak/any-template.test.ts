/** Runs a small, seeded version of `npm run soak -- --templates 20000`. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createGateway } from '../../../src/index.ts'
import { cases } from '../../suite-size.ts'
import { anyTemplate, tryTemplate } from './any-template.ts'

it("an arbitrary template renders the values it names, or is rejected with the error's position", async () => {
  const gateway = createGateway({ timeScale: 0 })
  let valid = 0
  const templates = fc.sample(anyTemplate, { numRuns: cases(150, 20_000), seed: 1 })
  for (const template of templates) {
    const { wrong, isValid } = await tryTemplate(gateway, template)
    expect(wrong, JSON.stringify(template)).toBeUndefined()
    if (isValid) valid++
  }
  // Both outcomes must occur.
  expect(valid).toBeGreaterThan(templates.length / 2)
  expect(valid).toBeLessThan(templates.length)
}, 60_000)
