/**
 * Tests that hooks do not separate a test from its sandbox, although Vitest sets up fixtures in the first
 * hook that runs.
 */
import { describe, test as plainTest } from 'vitest'
import { expect, test } from '../../../src/vitest.ts'

const status = async () => {
  const headers = { authorization: 'Bearer any' }
  return (await fetch('https://gateway.example/api/v1/providers', { headers })).status
}

const hooks = {
  'a synchronous hook': () => {},
  'an asynchronous hook': async () => {
    await Promise.resolve()
  },
  'a hook that calls the gateway': async () => {
    expect(await status()).toBe(200)
  },
}

describe.each(Object.entries(hooks))('%s', (_, hook) => {
  test.beforeEach(hook)

  test('runs before a test whose requests reach its sandbox', async ({ sandbox }) => {
    sandbox.fail(503)
    expect(await status()).toBe(503)
  })

  test.concurrent.for([418, 451, 507])('runs before concurrent tests (%i)', async (expected, { sandbox }) => {
    sandbox.fail(expected)
    await new Promise((resolve) => setTimeout(resolve, 1))
    expect(await status()).toBe(expected)
  })
})

plainTest("a test that uses Vitest's own `test` runs in the same file", async () => {
  expect((await fetch('https://gateway.example/api/v1/respones')).status).toBe(404)
})
