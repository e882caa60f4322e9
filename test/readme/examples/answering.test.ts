import { createGateway } from 'gateway-understudy'
import OpenAI from 'openai'
import { expect, test } from 'vitest'

const gateway = createGateway()
const baseURL = 'https://gateway.example/api/v1'
const client = new OpenAI({ apiKey: 'any', baseURL, fetch: gateway.fetch })
const ask = async (input: string) =>
  (await client.responses.create({ model: 'aurora/dawn-2', input, metadata: { user: 'Ada' } })).output_text

test('a template answers with parts of the request', async () => {
  using _active = gateway.reply('{{ body.metadata.user }} asks: {{ input }}')
  expect(await ask('Why tides?')).toBe('Ada asks: Why tides?')
})

test('a function answers as the test likes', async () => {
  using _active = gateway.reply(({ request }) => request.body.input.toUpperCase())
  expect(await ask('Why tides?')).toBe('WHY TIDES?')
})
