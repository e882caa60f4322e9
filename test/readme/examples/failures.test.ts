import { expect, test } from 'gateway-understudy/vitest'
import OpenAI from 'openai'
import { vi } from 'vitest'

const client = new OpenAI({ apiKey: 'any', baseURL: 'https://gateway.example/api/v1' })
const body = { model: 'aurora/dawn-2', input: 'Why tides?' }

test('retries a 429 after the time in Retry-After', async ({ sandbox }) => {
  vi.useFakeTimers() // the client sleeps for five seconds
  sandbox.fail(429, { times: 1, headers: { 'retry-after': '5' } })
  const response = client.responses.create(body)
  await vi.advanceTimersByTimeAsync(5000)
  expect((await response).status).toBe('completed')
  vi.useRealTimers()
})

test('retries a 503 twice', async ({ sandbox }) => {
  sandbox.fail(503, { times: 2, headers: { 'retry-after-ms': '1' } })
  await client.responses.create(body)
  expect(sandbox).toHaveReceivedTimes('createResponse', 3)
})

test('receives two deltas before the stream is cut', async ({ sandbox }) => {
  sandbox.use({ on: 'createResponse', fault: { name: 'stream-cut', afterDeltas: 2 } })
  let deltas = 0
  for await (const { type } of await client.responses.create({ ...body, stream: true }))
    if (type === 'response.output_text.delta') deltas++
  expect(deltas).toBe(2)
})

test('gives up if the first token is slow', async ({ sandbox }) => {
  sandbox.use({ on: 'createResponse', fault: { name: 'slow-stream', firstToken: '3s' } })
  const signal = AbortSignal.timeout(50)
  const stream = await client.responses.create({ ...body, stream: true }, { signal })
  for await (const _event of stream) throw new Error('too early')
  expect(signal.aborted).toBe(true)
})

test('times out if the gateway never replies', async ({ sandbox }) => {
  sandbox.use({ on: 'createResponse', fault: 'timeout' })
  const response = client.responses.create(body, { timeout: 20, maxRetries: 0 })
  await expect(response).rejects.toThrow(OpenAI.APIConnectionTimeoutError)
})
