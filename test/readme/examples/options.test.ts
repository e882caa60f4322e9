import { createGateway } from 'gateway-understudy'
import { expect, test } from 'vitest'

test('rejects unknown fields, with a latency that takes no real time', async () => {
  const gateway = createGateway({ strict: true, latency: 'typical', timeScale: 0 })

  const response = await gateway.fetch('https://gateway.example/api/v1/responses', {
    method: 'POST',
    headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'aurora/dawn-2', input: 'Why tides?', temprature: 1 }),
  })

  expect(response.status).toBe(400)
})
