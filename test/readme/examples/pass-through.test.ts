import { createGateway } from 'gateway-understudy'
import { startServer } from 'gateway-understudy/serve'
import OpenAI from 'openai'
import { expect, test } from 'vitest'

test('mocks one model, and passes the others through', async () => {
  await using real = await startServer()
  real.gateway.reply('Real: tides follow the moon.')
  const gateway = createGateway({ recordings: { upstream: real.baseUrl } })
  gateway.reply('Mocked.', { when: { model: 'aurora/*' } })

  const baseURL = 'https://gateway.example/api/v1'
  const client = new OpenAI({ apiKey: 'any', baseURL, fetch: gateway.fetch })
  const ask = (model: string) => client.responses.create({ model, input: 'Why tides?' })

  expect((await ask('aurora/dawn-2')).output_text).toBe('Mocked.')
  expect((await ask('borealis/polar-4')).output_text).toBe('Real: tides follow the moon.')
})
