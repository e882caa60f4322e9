// #region setup
import { expect, test } from 'gateway-understudy/vitest'
import OpenAI from 'openai'

const baseURL = 'https://gateway.example/api/v1'
const model = 'aurora/dawn-2'
const client = new OpenAI({ apiKey: 'any', baseURL })
const body = { model, input: 'Why tides?' }
// #endregion

// #region abort
test('closes the connection when the user presses Stop', async ({ sandbox }) => {
  sandbox.use({ on: 'createResponse', fault: { name: 'stream-stall', afterDeltas: 2 } })
  const stream = await client.responses.create({ ...body, stream: true })

  setTimeout(() => stream.controller.abort(), 20)
  for await (const _event of stream);

  await expect.poll(() => sandbox.journal.last('createResponse')?.delivery).toBe('aborted-by-client')
})
// #endregion

// #region parallel-tool-calls
test('runs two tool calls of one turn', async ({ sandbox }) => {
  sandbox.script([
    { call: [{ getTide: { port: 'Brest' } }, { getTide: { port: 'Dover' } }] },
    { text: 'High water is at six in both ports.' },
  ])
  const tool = { type: 'function' as const, name: 'getTide', parameters: { type: 'object' }, strict: false }

  const first = await client.responses.create({ model, input: 'Compare the tides', tools: [tool] })
  const calls = first.output.filter((item) => item.type === 'function_call')

  expect(calls.map((call) => JSON.parse(call.arguments).port)).toEqual(['Brest', 'Dover'])
})
// #endregion

// #region invalid-json
test('asks again after invalid JSON', async ({ sandbox }) => {
  sandbox.reply('{"high": "six', { times: 1 })
  sandbox.reply('{"high": "six"}')
  const ask = async () => (await client.responses.create({ model, input: 'As JSON, please' })).output_text

  await expect(ask().then(JSON.parse)).rejects.toThrow(SyntaxError)
  await expect(ask().then(JSON.parse)).resolves.toEqual({ high: 'six' })
})
// #endregion

// #region fallback
test('falls back to the second model', async ({ sandbox }) => {
  sandbox.use({ on: 'createResponse', when: { model }, fault: { name: 'status', status: 503 } })
  const ask = (model: string) => client.responses.create({ ...body, model }, { maxRetries: 0 })

  const response = await ask(model).catch(() => ask('aurora/dusk-1'))

  expect(response.model).toBe('aurora/dusk-1')
})
// #endregion

// #region resume
test('asks again when the gateway fails in the middle of a stream', async ({ sandbox }) => {
  sandbox.use({ on: 'createResponse', times: 1, fault: { name: 'stream-error-event', afterDeltas: 3 } })
  const lastEvent = async () => {
    const stream = await client.responses.create({ ...body, stream: true })
    let last = ''
    for await (const event of stream) last = event.type
    return last
  }

  expect([await lastEvent(), await lastEvent()]).toEqual(['response.failed', 'response.completed'])
})
// #endregion

// #region token-budget
test('waits for the next window once the token budget is spent', async ({ sandbox }) => {
  sandbox.use({ on: 'createResponse', rateLimit: { tokens: 50, requests: 10, per: '1m' } })
  const ask = () => client.responses.create(body, { maxRetries: 0 })

  await ask()
  await expect(ask()).rejects.toThrow(OpenAI.RateLimitError)
  sandbox.clock.advance(60_000)
  await ask()
})
// #endregion

// #region offline
test('sends nothing to the real gateway', async ({ sandbox }) => {
  await expect(fetch(`${baseURL}/respones`, { method: 'POST' })).rejects.toThrow()

  expect(sandbox).not.toHaveReceived('createResponse')
})
// #endregion
