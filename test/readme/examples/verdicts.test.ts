import 'gateway-understudy/verdicts'
import { expect, test } from 'gateway-understudy/vitest'
import OpenAI from 'openai'

const client = new OpenAI({ apiKey: 'any', baseURL: 'https://gateway.example/api/v1', maxRetries: 1 })

async function answer(question: string): Promise<string> {
  const stream = client.responses.stream({ model: 'aurora/dawn-2', input: question })
  return (await stream.finalResponse()).output_text
}

test('survives a provider that is overloaded', async ({ sandbox }) => {
  sandbox.fail(529, { times: 1, headers: { 'retry-after-ms': '1' } })

  const result = await answer('Why tides?')

  expect(sandbox).toHaveRecovered({ result })
})
