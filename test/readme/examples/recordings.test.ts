import { createGateway } from 'gateway-understudy'
import OpenAI from 'openai'
import { expect, test } from 'vitest'

test('replays a recording', async () => {
  const gateway = createGateway({ recordings: 'test/readme/examples/recordings' })
  const baseURL = 'https://gateway.example/api/v1'
  const client = new OpenAI({ apiKey: 'any', baseURL, fetch: gateway.fetch })

  const { output_text } = await client.responses.create({ model: 'aurora/dawn-2', input: 'Why tides?' })

  expect(output_text).toBe('Recorded: tides follow the moon.')
})
