import { createGateway } from 'gateway-understudy'
import { handlers } from 'gateway-understudy/msw'
import { setupServer } from 'msw/node'
import OpenAI from 'openai'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'

const baseUrl = 'https://gateway.example/api/v1'
const gateway = createGateway({ baseUrl })
const server = setupServer(...handlers(gateway))

// In MSW 2 the option is called `onUnhandledRequest`.
beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
afterEach(() => gateway.reset())
afterAll(() => server.close())

// The client keeps the `fetch` that exists when the client is created, so create it after `listen()`.
const openai = () => new OpenAI({ apiKey: 'any', baseURL: baseUrl })

test('replies to the question', async () => {
  const response = await openai().responses.create({ model: 'aurora/dawn-2', input: 'How do tides work?' })
  expect(response.output_text).toContain('tides')
})

test('retries after two failures', async () => {
  gateway.fail(503, { times: 2, headers: { 'retry-after-ms': '1' } })
  await openai().responses.create({ model: 'aurora/dawn-2', input: 'Hello' })
  expect(gateway.journal.calls('createResponse').map(({ status }) => status)).toEqual([503, 503, 200])
})

test('notices a stream that ends early', async () => {
  gateway.use({ on: 'createResponse', fault: { name: 'stream-cut', afterEvents: 3 } })
  const stream = await openai().responses.create({ model: 'aurora/dawn-2', input: 'Hello', stream: true })
  const types: string[] = []
  for await (const event of stream) types.push(event.type)
  expect(types).toHaveLength(3)
  expect(types).not.toContain('response.completed')
})
