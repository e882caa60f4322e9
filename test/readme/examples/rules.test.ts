import { expect, test } from 'gateway-understudy/vitest'

const ask = (input: string) =>
  fetch('https://gateway.example/api/v1/responses', {
    method: 'POST',
    headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'aurora/dawn-2', input }),
  })

test('fails once for questions about tides, and limits everyone', async ({ sandbox }) => {
  sandbox.use({ on: 'createResponse', rateLimit: { requests: 3, per: '1m' } })
  sandbox.use({
    on: 'createResponse',
    when: { input: 'tides' },
    times: 1,
    fault: { name: 'status', status: 503 },
  })

  expect((await ask('Why currents?')).status).toBe(200)
  expect((await ask('Why tides?')).status).toBe(503)
  expect((await ask('Why tides?')).status).toBe(200)
  expect((await ask('Why tides?')).status).toBe(429)
})
