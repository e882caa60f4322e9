import { expect, test } from 'gateway-understudy/vitest'
import { POST } from './route.js'

const ask = (question) =>
  POST(new Request('http://localhost/api/chat', { method: 'POST', body: JSON.stringify({ question }) }))

test('returns the answer', async ({ sandbox }) => {
  sandbox.reply('Tides follow the moon.')

  expect(await (await ask('Why tides?')).json()).toEqual({ answer: 'Tides follow the moon.' })
  expect(sandbox).toHaveReceived('createResponse', { body: { input: 'Why tides?' } })
})

test('hides a gateway outage', async ({ sandbox }) => {
  sandbox.fail(500)

  expect((await ask('Why tides?')).status).toBe(503)
})
