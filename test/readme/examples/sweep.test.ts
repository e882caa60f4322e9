import { test } from 'gateway-understudy/vitest'
import OpenAI from 'openai'

const baseURL = 'https://gateway.example/api/v1'
const client = new OpenAI({ apiKey: 'any', baseURL, maxRetries: 1, timeout: 500 })

async function answer(input: string): Promise<string> {
  const headers = { 'idempotency-key': crypto.randomUUID() }
  try {
    const response = await client.responses.create({ model: 'aurora/dawn-2', input }, { headers })
    if (response.status === 'completed') return response.output_text
  } catch (cause) {
    throw new Error('There is no answer', { cause })
  }
  throw new Error('The answer is incomplete')
}

test.survives('the answer', () => answer('Why tides?'), {
  setUp: (sandbox) => sandbox.reply('Tides follow the moon.'),
})
