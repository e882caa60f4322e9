// #region setup
import { expect, test } from 'gateway-understudy/vitest'
import OpenAI from 'openai'
import { vi } from 'vitest'

const baseURL = 'https://gateway.example/api/v1'
const client = new OpenAI({ apiKey: 'any', baseURL, maxRetries: 0 })
const body = { model: 'aurora/dawn-2', input: 'Why tides?' }
const ask = async (input = 'Why tides?') => (await client.responses.create({ ...body, input })).output_text

/** Types of a stream's events. */
async function stream(options = {}) {
  const types: string[] = []
  for await (const event of await client.responses.create({ ...body, stream: true }, options))
    types.push(event.type)
  return types
}
// #endregion

// #region text
test('replies with a text, once with another one', async ({ sandbox }) => {
  sandbox.reply('Tides follow the moon.')
  sandbox.reply('You asked: {{ input }}', { times: 1 })

  expect(await ask()).toBe('You asked: Why tides?')
  expect(await ask()).toBe('Tides follow the moon.')
})
// #endregion

// #region by-prompt
test('replies by prompt', async ({ sandbox }) => {
  sandbox.reply('Tides follow the moon.', { when: { input: 'tides' } })
  sandbox.reply('Six.', { when: { input: { matches: '^how many', flags: 'i' } } })

  expect(await ask('How many islands?')).toBe('Six.')
  expect(await ask('Why tides?')).toBe('Tides follow the moon.')
})
// #endregion

// #region function
test('replies with the result of a function', async ({ sandbox }) => {
  sandbox.reply(({ request }) => request.body.input.toUpperCase())

  expect(await ask('Why tides?')).toBe('WHY TIDES?')
})
// #endregion

// #region citations
test('cites a page', async ({ sandbox }) => {
  const citations = [{ url: 'https://oceans.example/tides', text: 'the moon' }]
  sandbox.reply('Tides follow the moon.', { citations })

  const { output } = await client.responses.create(body)

  const annotations = [{ type: 'url_citation', start_index: 13, end_index: 21 }]
  expect(output).toMatchObject([{ content: [{ annotations }] }])
})
// #endregion

// #region parallel-tool-calls
test('calls two tools in one turn', async ({ sandbox }) => {
  sandbox.script([{ call: [{ getTide: { port: 'Brest' } }, { getTide: { port: 'Dover' } }] }])
  const tool = { type: 'function' as const, name: 'getTide', parameters: { type: 'object' }, strict: false }

  const { output } = await client.responses.create({ ...body, tools: [tool] })

  expect(output).toMatchObject([{ arguments: '{"port":"Brest"}' }, { arguments: '{"port":"Dover"}' }])
})
// #endregion

// #region structured
test('returns structured output', async () => {
  const properties = { high: { type: 'string' }, metres: { type: 'number' } }
  const schema = { type: 'object', properties, required: ['high', 'metres'] }
  const text = { format: { type: 'json_schema' as const, name: 'tide', schema } }

  const { output_text } = await client.responses.create({ ...body, text })

  expect(JSON.parse(output_text)).toEqual({ high: expect.any(String), metres: expect.any(Number) })
})
// #endregion

// #region invalid-json
test('replies with invalid JSON once', async ({ sandbox }) => {
  sandbox.reply('{"high": "six', { times: 1 })
  sandbox.reply('{"high": "six"}')

  await expect(ask().then(JSON.parse)).rejects.toThrow(SyntaxError)
  await expect(ask().then(JSON.parse)).resolves.toEqual({ high: 'six' })
})
// #endregion

// #region rate-limit
test('rejects one request with a 429', async ({ sandbox }) => {
  sandbox.fail(429, { times: 1, headers: { 'retry-after': '5' } })

  await expect(ask()).rejects.toThrow(OpenAI.RateLimitError)
  await expect(ask()).resolves.toContain('tides')
})

test('limits requests and tokens per minute', async ({ sandbox }) => {
  sandbox.use({ on: 'createResponse', rateLimit: { requests: 10, tokens: 50, per: '1m' } })

  await ask()
  await expect(ask()).rejects.toThrow(OpenAI.RateLimitError)
  sandbox.clock.advance('1m')
  await ask()
})
// #endregion

// #region retry
test('retries twice', async ({ sandbox }) => {
  sandbox.fail(503, { times: 2, headers: { 'retry-after-ms': '1' } })

  await client.responses.create(body, { maxRetries: 2 })

  expect(sandbox).toHaveReceivedTimes('createResponse', 3)
})
// #endregion

// #region retry-after
test('retries after the time in Retry-After', async ({ sandbox }) => {
  vi.useFakeTimers()
  sandbox.fail(429, { times: 1, headers: { 'retry-after': '5' } })

  const response = client.responses.create(body, { maxRetries: 1 })
  await vi.advanceTimersByTimeAsync(5000)

  expect((await response).status).toBe('completed')
  vi.useRealTimers()
})
// #endregion

// #region cut
test('asks again if the stream is cut', async ({ sandbox }) => {
  sandbox.use({ on: 'createResponse', times: 1, fault: { name: 'stream-cut', afterDeltas: 3 } })

  expect((await stream()).at(-1)).toBe('response.output_text.delta')
  expect((await stream()).at(-1)).toBe('response.completed')
})
// #endregion

// #region error-event
test('notices that the gateway fails in the middle of a stream', async ({ sandbox }) => {
  sandbox.use({ on: 'createResponse', fault: { name: 'stream-error-event', afterDeltas: 3 } })

  expect((await stream()).at(-1)).toBe('response.failed')
})
// #endregion

// #region timeout
test('times out if the gateway never replies', async ({ sandbox }) => {
  sandbox.use({ on: 'createResponse', fault: 'timeout' })

  const response = client.responses.create(body, { timeout: 20 })

  await expect(response).rejects.toThrow(OpenAI.APIConnectionTimeoutError)
})
// #endregion

// #region slow
test('gives up if the first token is slow', async ({ sandbox }) => {
  sandbox.use({ on: 'createResponse', fault: { name: 'slow-stream', firstToken: '3s', perToken: 0 } })

  expect(await stream({ signal: AbortSignal.timeout(50) })).toEqual([])
})
// #endregion

// #region abort
test('closes the connection when the user presses Stop', async ({ sandbox }) => {
  sandbox.use({ on: 'createResponse', fault: { name: 'stream-stall', afterDeltas: 2 } })
  const controller = new AbortController()
  setTimeout(() => controller.abort(), 20)

  await stream({ signal: controller.signal })

  await expect.poll(() => sandbox.journal.last('createResponse')?.delivery).toBe('aborted-by-client')
})
// #endregion

// #region gate
test('keeps the text so far when the user presses Stop', async ({ sandbox }) => {
  sandbox.reply('Tides follow the moon.')
  using gate = sandbox.hold('text', { at: 'event', after: 2 })
  const controller = new AbortController()
  const { signal } = controller
  const events = await client.responses.create({ ...body, stream: true }, { signal })

  let shown = ''
  for await (const event of events) {
    if (event.type === 'response.output_text.delta') shown += event.delta
    // The third delta is held, so Stop comes before it.
    if (shown === 'Tides follow') controller.abort()
  }

  expect(shown).toBe('Tides follow')
  await gate.arrived()
})

test('shows the answers in the order in which they come', async ({ sandbox }) => {
  using gate = sandbox.hold({ on: 'text', when: { input: 'slow' } })
  const answers: string[] = []

  const slow = ask('slow').then(() => answers.push('slow'))
  await gate.arrived()
  await ask('fast').then(() => answers.push('fast'))
  gate.release()
  await slow

  expect(answers).toEqual(['fast', 'slow'])
})
// #endregion

// #region fallback
test('falls back to a second model', async ({ sandbox }) => {
  sandbox.fail(503, { when: { model: 'aurora/dawn-2' } })
  const ask = (model: string) => client.responses.create({ ...body, model })

  const response = await ask('aurora/dawn-2').catch(() => ask('aurora/dawn-2-mini'))

  expect(response.model).toBe('aurora/dawn-2-mini')
})
// #endregion

// #region offline
test('sends nothing to the real gateway', async ({ sandbox }) => {
  const response = await fetch(`${baseURL}/respones`, { method: 'POST' })

  expect(response.status).toBe(404)
  expect(await response.text()).toContain('Did you mean POST /responses?')
  expect(sandbox.journal.unmatched()).toHaveLength(1)
})
// #endregion

// #region endpoint
test('adds an endpoint', async ({ sandbox }) => {
  sandbox.use({ on: 'GET /reports/7', reply: { body: { pages: 12 } } })

  const response = await fetch(`${baseURL}/reports/7`, { headers: { authorization: 'Bearer any' } })

  expect(await response.json()).toEqual({ pages: 12 })
})
// #endregion

// #region usage
test('stays within a budget', async ({ sandbox }) => {
  await sandbox.db.models.create({
    id: 'acme/tide-1',
    pricing: { prompt: '0.000002', completion: '0.00001' },
  })

  await ask()
  await client.responses.create({ ...body, model: 'acme/tide-1' })

  expect(sandbox.usage().unpriced).toBe(0)
  expect(sandbox.usage().cost).toBeLessThan(0.01)
})

test('counts a scripted cost', async ({ sandbox }) => {
  sandbox.reply({ text: 'Six.', usage: { cost: 0.25 } })

  await ask()

  expect(sandbox.usage().cost).toBe(0.25)
})
// #endregion
