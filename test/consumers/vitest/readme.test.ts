import { expect, test } from 'gateway-understudy/vitest'
import { ask } from './chat.js'

test.concurrent('retries after a 529', async ({ sandbox }) => {
  sandbox.fail(529, { times: 1 })
  sandbox.reply('Tides follow the moon.')

  const words = await Array.fromAsync(ask({ baseUrl: sandbox.baseUrl, apiKey: 'any' }, 'Why tides?'))

  expect(words.join('')).toBe('Tides follow the moon.')
  expect(sandbox).toHaveReceivedTimes('createResponse', 2)
  expect(sandbox).toHaveReceived('createResponse', { body: { input: expect.stringContaining('tides') } })
  expect(sandbox).toHaveUsedAllRules()
})
