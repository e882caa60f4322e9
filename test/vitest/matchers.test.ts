import { describe, expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'
import '../../src/vitest.ts'
import { call } from '../call.ts'

/** Returns a failing expectation's message, and the actual and expected values. */
function failureOf(expectation: () => void): { message: string; actual?: unknown; expected?: unknown } {
  try {
    expectation()
  } catch (error) {
    const { message, actual, expected } = error as Error & { actual: unknown; expected: unknown }
    return { message: message.replace(/, \d+ ms/g, ', 0 ms'), actual, expected }
  }
  throw new Error('The expectation holds')
}

const question = { model: 'aurora/aurora-large', input: 'What is the weather in Oslo?' }

describe('toHaveReceived', () => {
  it('passes for a call that contains the fields', async () => {
    const gateway = createGateway()
    await call(gateway, 'POST /responses', { body: { ...question, store: false } })
    expect(gateway).toHaveReceived('createResponse')
    expect(gateway).toHaveReceived('createResponse', { body: question })
    expect(gateway).toHaveReceived('createResponse', { body: { stream: undefined } })
    expect(gateway).toHaveReceived('createResponse', { headers: { 'Content-Type': 'application/json' } })
    expect(gateway).not.toHaveReceived('createResponse', { body: { store: undefined } })
    expect(gateway).not.toHaveReceived('listProviders')
  })

  it('lists the received calls if the operation was not called', async () => {
    const gateway = createGateway()
    await call(gateway, 'GET /providers')
    gateway.fail(429)
    await call(gateway, 'GET /embeddings/models')
    expect(failureOf(() => expect(gateway).toHaveReceived('createResponse')).message).toBe(
      `Expected a call to createResponse, but received none.
The journal has 2 calls:
  1. GET /api/v1/providers (listProviders): 200, 0 ms
  2. GET /api/v1/embeddings/models (listEmbeddingsModels): 429 by fail() (status), 0 ms`,
    )
  })

  it('escapes control characters in received calls', async () => {
    const gateway = createGateway()
    await call(gateway, 'POST /responses', { body: { ...question, '\u001b[2J\u202e': 1 } })
    const { message } = failureOf(() => expect(gateway).toHaveReceived('listProviders'))
    expect(message).toContain('\\u001b[2J\\u202e')
    expect(message).not.toMatch(/(?!\n)[\p{Cc}\u202e]/u)
  })

  it('shows the nearest call with a diff of the expected fields', async () => {
    const gateway = createGateway()
    await call(gateway, 'POST /responses', { body: { model: 'aurora/aurora-small', input: 'Hello' } })
    await call(gateway, 'POST /responses', { body: { ...question, stream: true } })
    await call(gateway, 'GET /providers')
    const match = { body: { ...question, stream: false } }
    const { message, actual, expected } = failureOf(() =>
      expect(gateway).toHaveReceived('createResponse', match),
    )
    expect(message).toMatch(
      /^Expected a call to createResponse with these fields, but received none\.\nThe journal has 3 calls:/,
    )
    expect(message).toMatch(/\nThe closest is call 2:$/)
    expect(expected).toEqual({ body: { ...question, stream: false } })
    expect(actual).toEqual({ body: { ...question, stream: true } })
  })

  it.each<[match: object, position: number, actual: object]>([
    // Two of three fields are equal in call 2, fewer in the others.
    [{ model: 'b', metadata: { one: '1', two: '2' } }, 2, { model: 'a', metadata: { one: '1', two: '2' } }],
    // Calls 3 and 4 have one equal field each: the newer one is shown.
    [{ model: 'b', input: 'Moon', store: true }, 4, { model: 'b', input: 'Sun', store: undefined }],
    // No call has an equal field.
    [{ model: 'none', metadata: { one: '0' } }, 4, { model: 'b', metadata: undefined }],
    [{ metadata: 'text' }, 4, { metadata: undefined }],
  ])(
    'shows the call with most of the fields in %j, or the newest of several',
    async (body, position, actual) => {
      const gateway = createGateway()
      for (const sent of [
        { model: 'a', input: 'Hello', metadata: 'none' },
        { model: 'a', metadata: { one: '1', two: '2' } },
        { model: 'c', input: 'Moon' },
        { model: 'b', input: 'Sun' },
      ])
        await call(gateway, 'POST /responses', { body: sent })
      const failure = failureOf(() => expect(gateway).toHaveReceived('createResponse', { body } as object))
      expect(failure.message).toMatch(new RegExp(`\\nThe closest is call ${position}:$`))
      expect(failure.actual).toEqual({ body: actual })
      expect(failure.expected).toEqual({ body })
    },
  )
})

describe('toHaveReceivedTimes', () => {
  it('counts calls that contain the fields', async () => {
    const gateway = createGateway()
    await call(gateway, 'POST /responses', { body: question })
    await call(gateway, 'POST /responses', { body: { ...question, stream: true } })
    expect(gateway).toHaveReceivedTimes('createResponse', 2)
    expect(gateway).toHaveReceivedTimes('createResponse', 1, { body: { stream: true } })
    expect(gateway).toHaveReceivedTimes('listProviders', 0)
    expect(failureOf(() => expect(gateway).toHaveReceivedTimes('createResponse', 3)).message).toMatch(
      /^Expected 3 calls to createResponse, but received 2\.\nThe journal has 2 calls:/,
    )
    expect(failureOf(() => expect(gateway).not.toHaveReceivedTimes('createResponse', 2)).message).toMatch(
      /^Did not expect 2 calls to createResponse, but received 2\./,
    )
  })
})

describe('toHaveNoUnmatchedRequests', () => {
  it('passes if an operation or a rule matches every request', async () => {
    const gateway = createGateway()
    gateway.use({ on: 'GET /files', reply: { body: { data: { total_credits: 10 } } } })
    await call(gateway, 'GET /providers')
    await call(gateway, 'GET /files')
    expect(gateway).toHaveNoUnmatchedRequests()
  })

  it('suggests corrections for unmatched requests', async () => {
    const gateway = createGateway()
    await call(gateway, 'GET /provider')
    await call(gateway, 'GET /provider')
    expect(failureOf(() => expect(gateway).toHaveNoUnmatchedRequests()).message).toBe(
      `Expected every request to match an operation, a rule or a recording, but 2 did not:
  'GET /provider'; did you mean 'GET /providers'?`,
    )
  })
})

describe('toHaveUsedAllRules', () => {
  it('passes when every rule has been used', async () => {
    const gateway = createGateway()
    gateway.fail(503, { times: 1 })
    expect(gateway).not.toHaveUsedAllRules()
    await call(gateway, 'GET /providers')
    expect(gateway).toHaveUsedAllRules()
  })

  it('lists unused rules and the received calls', async () => {
    const gateway = createGateway()
    gateway.reply('It rains.', { when: { input: 'Rome' } })
    await call(gateway, 'POST /responses', { body: question })
    expect(failureOf(() => expect(gateway).toHaveUsedAllRules()).message).toBe(
      `Expected every rule to be used, but these were not:
  reply() expected input text containing 'Rome', but the request has 'What is the weather in Oslo?'
The journal has 1 call:
  1. POST /api/v1/responses (createResponse): 200, 0 ms
     reply() expected input text containing 'Rome', but the request has 'What is the weather in Oslo?'.`,
    )
  })
})
