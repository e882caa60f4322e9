const { expect, test } = require('gateway-understudy/playwright')

test('the fixtures can be required in CommonJS', async ({ request, sandbox }) => {
  const headers = { authorization: `Bearer ${sandbox.apiKey}` }
  const response = await request.get(`${sandbox.baseUrl}/providers`, { headers })
  expect(response.status()).toBe(200)
})
