/** Runs a small, seeded version of `npm run soak -- --files 20000`. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { cases } from '../../suite-size.ts'
import { anyMutation, mutated, realFiles, tryFile } from './mutated-file.ts'

const files = await realFiles()

it.each(files)('a valid %s file is accepted and works', async (kind, data) => {
  expect(await tryFile(kind, data)).toEqual({ isValid: true })
})

it('a mutated file is accepted and works, or is rejected with one line', async () => {
  let valid = 0
  const mutations = fc.sample(anyMutation, { numRuns: cases(60, 20_000), seed: 1 })
  for (const mutation of mutations) {
    const [kind, data] = files[mutation.of] as (typeof files)[number]
    const { wrong, isValid } = await tryFile(kind, mutated(data, mutation))
    expect(wrong, `${kind} ${JSON.stringify(mutation)}`).toBeUndefined()
    if (isValid) valid++
  }
  // Both outcomes must occur.
  expect(valid).toBeGreaterThan(mutations.length / 20)
  expect(valid).toBeLessThan(mutations.length)
}, 600_000)
