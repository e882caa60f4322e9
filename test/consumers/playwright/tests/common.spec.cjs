const { expect, test } = require('gateway-understudy/playwright')

test('a project in CommonJS requires the fixtures', async ({ request, sandbox }) => {
  const headers = { authorization: `Bearer ${sandbox.apiKey}` }
  const response = await request.get(`${sandbox.baseUrl}/providers`, { headers })
  expect(response.status()).toBe(200)
})
