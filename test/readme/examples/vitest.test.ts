import { expect, test } from 'gateway-understudy/vitest'
import OpenAI from 'openai'

const client = new OpenAI({ apiKey: 'any', baseURL: 'https://openrouter.ai/api/v1' })
const ask = () => client.responses.create({ model: 'openai/gpt-5', input: 'Why tides?' })

test('returns the scripted text', async ({ sandbox }) => {
  sandbox.reply('Tides follow the moon.')

  expect((await ask()).output_text).toBe('Tides follow the moon.')
  expect(sandbox).toHaveReceived('createResponse', { body: { input: 'Why tides?' } })
})

test('retries after two failures', async ({ sandbox }) => {
  sandbox.fail(503, { times: 2, headers: { 'retry-after-ms': '1' } })

  await ask()

  expect(sandbox).toHaveReceivedTimes('createResponse', 3)
})

test('notices a stream that ends early', async ({ sandbox }) => {
  sandbox.use({ on: 'createResponse', fault: { name: 'stream-cut', afterEvents: 3 } })

  const stream = await client.responses.create({ model: 'openai/gpt-5', input: 'Why tides?', stream: true })
  const types: string[] = []
  for await (const event of stream) types.push(event.type)

  expect(types).toHaveLength(3)
  expect(types).not.toContain('response.completed')
})
