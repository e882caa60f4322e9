import { expect, test } from 'gateway-understudy/vitest'
import OpenAI from 'openai'

test('a refusal, a failure, and what it all cost', async ({ sandbox }) => {
  const client = new OpenAI({ apiKey: sandbox.apiKey, baseURL: sandbox.baseUrl, maxRetries: 0 })
  const ask = () => client.responses.create({ model: 'aurora/dawn-2', input: 'Write a poem' })

  // The newest rule answers, and when its budget in dollars is spent, the one below it: 402.
  sandbox.use({
    on: 'createResponse',
    sequence: [
      {
        reply: {
          output: [
            { type: 'reasoning', summary: 'A poem is asked for.' },
            { type: 'message', content: [{ refusal: 'I would rather not.' }] },
          ],
          usage: { input_tokens: 2_000 },
        },
      },
      { reply: { text: 'Roses are', incompleteReason: 'content_filter', usage: { input_tokens: 2_000 } } },
    ],
  })
  sandbox.use({ on: 'createResponse', budgetUsd: 0.01 })

  expect((await ask()).output.map(({ type }) => type)).toEqual(['reasoning', 'message'])
  expect((await ask()).incomplete_details).toEqual({ reason: 'content_filter' })
  expect(sandbox.usage()).toMatchObject({
    requests: 2,
    models: { 'aurora/dawn-2': { cost: expect.closeTo(0.01, 3) } },
  })
  await expect(ask()).rejects.toMatchObject({ status: 402 })
  await expect(sandbox).toMatchPrompts()
})
