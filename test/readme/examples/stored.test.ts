import { createGateway } from 'gateway-understudy'
import OpenAI from 'openai'
import { expect, test } from 'vitest'

const gateway = createGateway({
  storedResponses: true,
  promptCache: true,
  latency: 'fast',
  timeScale: 0,
})
const baseURL = 'https://gateway.example/api/v1'
const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
const client = new OpenAI({ apiKey: 'any', baseURL, fetch: gateway.fetch, defaultHeaders: { traceparent } })

test('a conversation goes on from a stored response, by its id or by the id of an item', async () => {
  const model = 'aurora/dawn-2'
  const first = await client.responses.create({ model, input: 'Tell me of tides' })
  const second = await client.responses.create({ model, input: 'And?', previous_response_id: first.id })
  const reference = { type: 'item_reference' as const, id: second.output[0]?.id ?? '' }
  const third = await client.responses.create({
    model,
    input: [reference, { role: 'user', content: 'Go on' }],
  })

  // The prompt of the second begins with that of the first.
  expect(second.usage?.input_tokens_details.cached_tokens).toBeGreaterThan(0)
  expect(third.status).toBe('completed')
  expect(gateway.journal.trace(traceparent)).toHaveLength(3)
})
