import { createGateway } from 'gateway-understudy'
import { expect, test } from 'vitest'

test('adds the cost, as the vendor does', async () => {
  const gateway = createGateway({
    dialect: {
      name: 'acme',
      comment: 'ACME PROCESSING',
      reply: (value, { operation, cost }) =>
        operation === 'createResponse' ? { ...(value as object), cost } : value,
    },
  })

  const response = await gateway.fetch('https://gateway.example/api/v1/responses', {
    method: 'POST',
    headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'aurora/dawn-2', input: 'Why tides?' }),
  })

  expect((await response.json()).cost).toBeGreaterThan(0)
})
