import { expect, test } from 'gateway-understudy/vitest'

const ask = (input: string, stream = false) =>
  fetch('https://gateway.example/api/v1/responses', {
    method: 'POST',
    headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'aurora/dawn-2', input, stream }),
  })

test('fails once for questions about tides, and limits all requests', async ({ sandbox }) => {
  sandbox.use({ on: 'createResponse', rateLimit: { requests: 3, per: '1m' } })
  sandbox.fail(503, { when: { input: 'tides' }, times: 1 })

  expect((await ask('Why currents?')).status).toBe(200)
  expect((await ask('Why tides?')).status).toBe(503)
  expect((await ask('Why tides?')).status).toBe(200)
  expect((await ask('Why tides?')).status).toBe(429)
})

test('cuts a scripted reply', async ({ sandbox }) => {
  sandbox.reply('Tides follow the moon, and the sun.')
  sandbox.use('stream-cut')

  const text = await (await ask('Why tides?', true)).text()

  expect(text).toContain('Tides')
  expect(text).not.toContain('response.completed')
})
