/** Tests that the applications with planted defects work, with and without each defect, as long as nothing fails. */
import { describe, expect, it } from 'vitest'
import { createGateway } from '../../../src/index.ts'
import { hasExtra } from '../../has-extra.ts'
import { apps } from './apps/index.ts'

const baseUrl = 'https://gateway.example/api/v1'
const gateway = createGateway()

describe.runIf(['chat', 'messages', 'models'].every(hasExtra))('an application', () => {
  it.each(apps)('returns the same result with each defect: $name', async ({ setUp, run, defects }) => {
    const results = await Promise.all(
      [undefined, ...Object.keys(defects)].map(async (defect) => {
        using sandbox = gateway.createSandbox()
        setUp(sandbox)
        return await run({ baseUrl, apiKey: sandbox.apiKey, fetch: gateway.fetch }, defect)
      }),
    )
    for (const result of results) expect(result).toEqual(results[0])
  })
})

describe('applications', () => {
  it('have fifty defects', () => {
    expect(apps.flatMap(({ defects }) => Object.keys(defects))).toHaveLength(50)
  })
})
