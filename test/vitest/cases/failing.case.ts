/** Tests that fail, for what a person then sees. Run by ../failing.test.ts. */
import { expect, test } from '../../../src/vitest.ts'

test('asks in vain', async ({ sandbox }) => {
  sandbox.fail(529, { times: 1 })
  for (const path of ['/providers', '/provider']) {
    await fetch(`${sandbox.baseUrl}${path}`, { headers: { authorization: 'Bearer any' } }).catch(() => {})
  }
  expect(sandbox).toHaveReceived('getPreset')
})

test('succeeds, and is silent', async ({ sandbox }) => {
  await fetch(`${sandbox.baseUrl}/presets/none`, { headers: { authorization: 'Bearer any' } })
})

test('takes options from the configuration', ({ gateway }) => {
  expect(gateway.options.seed).toBe('from the configuration')
})
