import { expect, test } from 'gateway-understudy/vitest'
import { describe } from 'vitest'
import { ask } from './chat.js'

async function answerTo(...question: Parameters<typeof ask>): Promise<string[]> {
  const parts: string[] = []
  for await (const part of ask(...question)) parts.push(part)
  return parts
}

test('passes on the text as it arrives', async ({ sandbox }) => {
  sandbox.reply('Tides follow the moon.')
  const parts = await answerTo(sandbox, 'Why tides?')
  expect(parts.length).toBeGreaterThan(1)
  expect(parts.join('')).toBe('Tides follow the moon.')
  expect(sandbox).toHaveReceived('createResponse', { body: { input: 'Why tides?', stream: true } })
})

describe('the client, in concurrent tests,', () => {
  for (const status of [429, 500, 503]) {
    test.concurrent(`retries after a ${status}`, async ({ sandbox, expect }) => {
      sandbox.fail(status, { times: 2, headers: { 'retry-after-ms': '5' } })
      sandbox.reply(`Better than ${status}.`, { after: 2 })
      await answerTo(sandbox, 'Hello?')
      expect(sandbox).toHaveReceivedTimes('createResponse', 3)
      expect(sandbox.journal.calls('createResponse').map((call) => call.status)).toEqual([
        status,
        status,
        200,
      ])
    })
  }
})

test("gives up after three errors, with the gateway's message", async ({ sandbox }) => {
  sandbox.fail(529, { message: 'Provider overloaded' })
  await expect(answerTo(sandbox, 'Hello?')).rejects.toThrow('Provider overloaded')
  expect(sandbox).toHaveReceivedTimes('createResponse', 3)
  expect(sandbox).toHaveUsedAllRules()
})

test('does not retry permanent errors', async ({ sandbox }) => {
  sandbox.use('status-402')
  await expect(answerTo(sandbox, 'Hello?')).rejects.toThrow('Insufficient credits')
  expect(sandbox).toHaveReceivedTimes('createResponse', 1)
})

test('notices a stream that ends early', async ({ sandbox }) => {
  sandbox.use({ on: 'createResponse', fault: { name: 'stream-cut', afterEvents: 6 } })
  await expect(answerTo(sandbox, 'Hello?')).rejects.toThrow()
  expect(sandbox).toHaveNoUnmatchedRequests()
})

test('does not send gateway requests to the network', async ({ sandbox }) => {
  const elsewhere = { baseUrl: 'https://models.example/api/v1/v2', apiKey: sandbox.apiKey }
  await expect(answerTo(elsewhere, 'Hello?', 1)).rejects.toThrow()
  expect(sandbox).not.toHaveNoUnmatchedRequests()
})
