import { expect, test } from 'gateway-understudy/playwright'

test('attaches its requests to the report if it fails', async ({ request, gateway, sandbox }) => {
  await sandbox.fail(503, { times: 1 })
  const headers = { authorization: 'Bearer any' }
  const response = await request.get(`${sandbox.baseUrl}/providers`, { headers })
  await request.post(`${sandbox.baseUrl}/responses`, { headers, data: { model: 'gpt-4o' } })
  await request.get(`${gateway.baseUrl}/providers`, { headers })
  expect(response.status()).toBe(200)
})

test('attaches nothing to the report if it passes', async ({ sandbox }) => {
  expect(await sandbox.journal.entries()).toEqual([])
})

test('fails if a matcher is not awaited', ({ sandbox }) => {
  expect(sandbox).toHaveReceived('createResponse')
})
