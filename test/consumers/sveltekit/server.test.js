import { expect, test } from 'gateway-understudy/vitest'
import { POST } from './server.js'

const ask = (question) => {
  const body = JSON.stringify({ question })
  return POST({ request: new Request('http://localhost/api/chat', { method: 'POST', body }), fetch })
}

test('returns the answer', async ({ sandbox }) => {
  sandbox.reply('Tides follow the moon.')

  expect(await (await ask('Why tides?')).text()).toBe('Tides follow the moon.')
  expect(sandbox).toHaveReceived('createResponse', { body: { input: 'Why tides?' } })
})

test('hides a gateway outage', async ({ sandbox }) => {
  sandbox.fail(500)

  expect((await ask('Why tides?')).status).toBe(503)
})
