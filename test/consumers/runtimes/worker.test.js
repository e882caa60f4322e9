import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createGateway } from 'gateway-understudy'
import { Miniflare } from 'miniflare'

const gateway = createGateway()
const miniflare = new Miniflare({
  modules: true,
  scriptPath: './chat-worker.js',
  compatibilityDate: '2026-01-01',
  outboundService: (request) => gateway.fetch(request),
})
after(() => miniflare.dispose())

test('returns the answer', async () => {
  using _reply = gateway.reply('Tides follow the moon.')

  const response = await miniflare.dispatchFetch('http://localhost/?question=Why+tides')

  assert.equal(await response.text(), 'Tides follow the moon.')
  assert.equal(gateway.journal.last('createResponse').body.input, 'Why tides')
})
