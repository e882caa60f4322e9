import { createGateway } from 'gateway-understudy'
import OpenAI from 'openai'
import { expect, test } from 'vitest'

test('works with any client that accepts a fetch', async () => {
  const gateway = createGateway()
  const client = new OpenAI({
    apiKey: 'any',
    baseURL: 'https://gateway.example/api/v1',
    fetch: gateway.fetch,
  })

  gateway.reply('Tides follow the moon.', { citations: [{ url: 'https://oceans.example/tides' }] })
  const { output_text } = await client.responses.create({ model: 'aurora/dawn-2', input: 'Why tides?' })

  expect(output_text).toContain('Tides follow the moon.')
})
