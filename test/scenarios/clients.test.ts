/**
 * Tests that the OpenAI client recovers from temporary failures and reports permanent ones.
 */
import OpenAI, { APIConnectionError, APIConnectionTimeoutError, APIError, RateLimitError } from 'openai'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createGateway } from '../../src/index.ts'
import { startServer } from '../../src/serve.ts'

afterEach(() => vi.useRealTimers())

const question = { model: 'aurora/dawn-1', input: 'Why is the sky blue?' }

function setup(options: { maxRetries?: number; timeout?: number } = {}) {
  const gateway = createGateway()
  const client = new OpenAI({
    apiKey: 'any',
    baseURL: 'https://gateway.example/api/v1',
    fetch: gateway.fetch,
    ...options,
  })
  return { gateway, client, statuses: () => gateway.journal.entries().map(({ status }) => status) }
}

async function readAll(stream: AsyncIterable<{ type: string }>): Promise<string[]> {
  const types: string[] = []
  for await (const { type } of stream) types.push(type)
  return types
}

describe('OpenAI client with retries', () => {
  it('recovers from flaky on its third attempt', async () => {
    const { gateway, client, statuses } = setup()
    gateway.use('flaky')
    expect((await client.responses.create(question)).status).toBe('completed')
    expect(statuses()).toEqual([503, 503, 200])
  })

  it('recovers from flaky over a socket', async () => {
    await using server = await startServer()
    server.gateway.use('flaky')
    const client = new OpenAI({ apiKey: 'any', baseURL: server.baseUrl })
    expect((await client.responses.create(question)).status).toBe('completed')
  })

  it('recovers from rate-limited after the time in Retry-After', async () => {
    vi.useFakeTimers({ now: 0 })
    const { gateway, client, statuses } = setup()
    gateway.use('rate-limited')
    for (let call = 0; call < 3; call++) await client.responses.create(question)
    const fourth = client.responses.create(question)
    await vi.advanceTimersByTimeAsync(9_900)
    expect(statuses()).toEqual([200, 200, 200, 429])
    await vi.advanceTimersByTimeAsync(200)
    expect((await fourth).status).toBe('completed')
    expect(statuses()).toEqual([200, 200, 200, 429, 200])
  })

  it('recovers from a rate limit over a socket', async () => {
    await using server = await startServer()
    server.gateway.use({ on: '*', rateLimit: { requests: 1, per: 300 }, fault: 'rate-limit' })
    const client = new OpenAI({ apiKey: 'any', baseURL: server.baseUrl })
    await client.responses.create(question)
    expect((await client.responses.create(question)).status).toBe('completed')
  })
})

describe('OpenAI client without retries', () => {
  it('recovers from rate-limited immediately after clock.advance()', async () => {
    const { gateway, client } = setup({ maxRetries: 0 })
    gateway.use('rate-limited')
    for (let call = 0; call < 3; call++) await client.responses.create(question)
    await expect(client.responses.create(question)).rejects.toThrow(RateLimitError)
    gateway.clock.advance(10_000)
    expect((await client.responses.create(question)).status).toBe('completed')
  })
})

describe('OpenAI client', () => {
  const rejections = [
    ['provider-outage', 500],
    ['overloaded', 529],
    ['out-of-credits', 402],
    ['unauthorized', 401],
    ['proxy-error-page', 502],
  ] as const

  it.each(rejections)('reports %s as an error with status %i', async (scenario, status) => {
    const { gateway, client } = setup({ maxRetries: 0 })
    gateway.use(scenario)
    await expect(client.responses.create(question)).rejects.toMatchObject({ status })
  })

  it('reports unreachable as a connection error', async () => {
    const { gateway, client } = setup({ maxRetries: 0 })
    gateway.use('unreachable')
    await expect(client.responses.create(question)).rejects.toThrow(APIConnectionError)
  })

  it('reports the timeout fault as a timeout error', async () => {
    const { gateway, client } = setup({ maxRetries: 0, timeout: 50 })
    gateway.use({ on: '*', fault: 'timeout' })
    await expect(client.responses.create(question)).rejects.toThrow(APIConnectionTimeoutError)
  })

  it('receives response.failed as the last event of stream-error', async () => {
    const { gateway, client } = setup()
    gateway.use('stream-error')
    const types = await readAll(await client.responses.create({ ...question, stream: true }))
    expect(types.at(-1)).toBe('response.failed')
    expect(types.filter((type) => type === 'response.output_text.delta')).toHaveLength(3)
  })

  it("receives stream-error-event with form 'error' as an error event", async () => {
    const { gateway, client } = setup()
    gateway.use({ on: 'createResponse', fault: { name: 'stream-error-event', form: 'error' } })
    const stream = await client.responses.create({ ...question, stream: true })
    await expect(readAll(stream).then((types) => types.at(-1))).resolves.toBe('error')
  })

  it('reports malformed-events as a SyntaxError', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const { gateway, client } = setup()
    gateway.use('malformed-events')
    const stream = await client.responses.create({ ...question, stream: true })
    await expect(readAll(stream)).rejects.toThrow(SyntaxError)
  })

  it('reports stream-reset as an error while reading the stream', async () => {
    const { gateway, client } = setup()
    gateway.use('stream-reset')
    const stream = await client.responses.create({ ...question, stream: true })
    await expect(readAll(stream)).rejects.toThrow('terminated')
  })

  it('reports no error for stream-cut, which omits the final event', async () => {
    const { gateway, client } = setup()
    gateway.use('stream-cut')
    const types = await readAll(await client.responses.create({ ...question, stream: true }))
    expect(types.at(-1)).toBe('response.output_text.delta')
    expect(types).not.toContain('response.completed')
  })

  it('receives the same from split-stream and buffering-proxy as from an unaffected stream', async () => {
    const { gateway, client } = setup()
    const plain = await readAll(await client.responses.create({ ...question, stream: true }))
    for (const scenario of ['split-stream', 'buffering-proxy'] as const) {
      using _use = gateway.use(scenario)
      expect(await readAll(await client.responses.create({ ...question, stream: true }))).toEqual(plain)
    }
  })

  it('exposes the error envelope of fail()', async () => {
    const { gateway, client } = setup({ maxRetries: 0 })
    gateway.fail(503, { message: 'Back soon', times: 1 })
    const error = await client.responses.create(question).catch((reason) => reason)
    expect(error).toBeInstanceOf(APIError)
    expect(error).toMatchObject({ status: 503, error: { code: 503, message: 'Back soon' } })
    expect((await client.responses.create(question)).status).toBe('completed')
  })
})
