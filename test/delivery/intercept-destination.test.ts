/**
 * Tests the routing of intercepted requests, which the gateway handles, passes through, or rejects with a
 * reason.
 */
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest'
import {
  decideDestination,
  isHandledBy,
  type UnhandledRequestStrategy,
} from '../../src/delivery/intercept-destination.ts'
import { createGateway, type GatewayOptions } from '../../src/index.ts'

let errors: MockInstance
let warnings: MockInstance
beforeEach(() => {
  errors = vi.spyOn(console, 'error').mockImplementation(() => {})
  warnings = vi.spyOn(console, 'warn').mockImplementation(() => {})
})
afterEach(() => vi.restoreAllMocks())

const kinds = ['guard', 'error', 'warn', 'bypass'] as const

/** Returns `answer`, `404`, `pass` or `refuse` for each value of onUnhandledRequest, or once if it is the same for all. */
function verdicts(line: string, options: GatewayOptions, headers: Record<string, string> = {}): string {
  const [method = '', address = ''] = line.split(' ')
  const gateway = createGateway(options)
  const outgoing = { method, url: new URL(address), headers }
  const words = kinds.map((onUnhandledRequest: UnhandledRequestStrategy) => {
    const verdict = decideDestination({ gateway, handlers: {} as never, onUnhandledRequest }, outgoing, [])
    if (verdict === 'pass') return verdict
    const word = verdict instanceof Error ? 'refuse' : verdict.rejection ? '404' : 'answer'
    expect(word === 'answer').toBe(isHandledBy(gateway, outgoing))
    return word
  })
  return new Set(words).size === 1 ? (words[0] as string) : words.join(' ')
}

/** Verdicts for requests that appear to be meant for the gateway but are unmatched, and for unrelated requests. */
const meant = '404 404 pass pass'
const foreign = 'pass refuse pass pass'
const baseUrl = 'https://models.example/api/v1'

describe('interception without a base URL', () => {
  it.each([
    ['GET https://any.example/api/v1/providers', 'answer'],
    ['GET https://any.example/sandboxes/s1/api/v1/providers', 'answer'],
    ['DELETE https://any.example/api/v1/providers', 'answer'],
    ['GET http://127.0.0.1:1/api/v1/providers', 'answer'],
    ['GET https://any.example/api/v1/users', meant],
    ['GET https://any.example/deep/api/v1/users', meant],
    ['GET https://any.example/v1/providers', meant],
    ['DELETE https://any.example/v1/providers', meant],
    ['POST https://any.example/v1/chat/completions', meant],
    ['POST https://any.example/other/v1/audio/speech/1', meant],
    ['POST https://any.example/openai/chat/completions', meant],
    ['POST https://any.example/v1/chat', foreign],
    ['POST https://any.example/v1/messagesx', foreign],
    ['GET https://any.example/v1', foreign],
    ['GET https://any.example/v1/users', foreign],
    ['GET https://any.example/', foreign],
    ['POST https://api.openai.com/v1/responses', 'answer'],
    ['GET https://api.openai.com/v1/files', meant],
    ['POST https://api.openai.com/inbox', meant],
    ['GET https://openrouter.ai/inbox', meant],
    ['POST https://api.anthropic.com/v1/responses', 'answer'],
    ['POST https://openrouter.ai/v1/responses', 'answer'],
    ['POST https://openrouter.ai/api/v1/responses', 'answer'],
    ['GET https://openrouter.ai/api/v1/files', meant],
    ['GET https://any.example/v1/keys', foreign],
    ['GET http://localhost:1/api/v1/users', 'pass'],
    ['GET http://a.localhost/api/v1/users', 'pass'],
    ['GET http://127.0.0.1/api/v1/users', 'pass'],
    ['GET http://127.9.9.9/api/v1/users', 'pass'],
    ['GET http://[::1]:80/api/v1/users', 'pass'],
    ['GET https://localhost.example/api/v1/users', meant],
    ['GET https://notlocalhost/api/v1/users', meant],
  ])('decides the destination of %s: %s', (line, expected) => {
    expect(verdicts(line, {})).toBe(expected)
  })
})

describe('interception with a base URL', () => {
  it.each([
    [`GET ${baseUrl}/providers`, 'answer'],
    [`GET ${baseUrl}/users`, 'answer'],
    ['GET https://models.example/sandboxes/s1/api/v1/users', 'answer'],
    ['GET https://models.example/api/v2/users', meant],
    ['GET https://models.example/', meant],
    ['GET https://any.example/api/v1/providers', meant],
    ['GET https://any.example/api/v1/users', foreign],
    ['POST https://any.example/v1/messages', meant],
    ['GET http://models.example/users', meant],
    ['GET https://models.example:8443/users', foreign],
  ])('decides the destination of %s: %s', (line, expected) => {
    expect(verdicts(line, { baseUrl })).toBe(expected)
  })
})

describe('a base URL', () => {
  it.each([
    ['https://Models.Example/api/v1', `GET ${baseUrl}/providers`, 'answer'],
    ['HTTPS://models.example:443/api/v1/', `GET ${baseUrl}/providers`, 'answer'],
    ['https://models.example:443/api/v1', 'GET https://models.example/sandboxes/s1/api/v1/users', 'answer'],
    [baseUrl, `GET ${baseUrl}`, 'answer'],
    [baseUrl, 'POST https://api.openai.com/v1/responses', meant],
    ['https://llm.example/openai/v2', 'POST https://llm.example/openai/v2/responses', 'answer'],
    ['https://llm.example/openai/v2', 'POST https://llm.example/openai/v2x/responses', meant],
    ['https://llm.example/openai/v2', 'GET https://llm.example/sandboxes/s1/openai/v2/users', 'answer'],
    ['https://llm.example', 'POST https://LLM.example:443/responses', 'answer'],
    ['https://llm.example', 'GET https://llm.example/sandboxes/s1/users', 'answer'],
    [baseUrl, `GET ${baseUrl}beta/providers`, meant],
    [baseUrl, 'GET https://models.example/deep/api/v1/providers', meant],
  ])('is compared as a URL: with %s, %s gets %s', (baseUrl, line, expected) => {
    expect(verdicts(line, { baseUrl })).toBe(expected)
  })
})

it('interception recognises a request with a sandbox key as meant for the gateway', () => {
  const asks = (authorization?: string) =>
    verdicts('GET https://any.example/users', {}, authorization === undefined ? {} : { authorization })
  expect(asks()).toBe(foreign)
  expect(asks('Bearer sk-other')).toBe(foreign)
  expect(asks('Bearer us-one-key')).toBe(meant)
  expect(asks('bearer  us-one-key')).toBe(meant)
  expect(asks('us-one-key')).toBe(meant)
})

it('interception handles a path if a rule in any sandbox replies to it', () => {
  const gateway = createGateway()
  const outgoing = { method: 'GET', url: new URL('https://any.example/api/v1/users') }
  expect(isHandledBy(gateway, outgoing)).toBe(false)
  gateway.createSandbox().use({ on: 'GET /users', reply: { body: [] } })
  expect(isHandledBy(gateway, outgoing)).toBe(true)
  expect(isHandledBy(gateway, { ...outgoing, method: 'POST' })).toBe(false)
})

describe('an unmatched request', () => {
  const refusal = (
    line: string,
    onUnhandledRequest: UnhandledRequestStrategy,
    options: GatewayOptions = {},
  ) => {
    const [method = '', address = ''] = line.split(' ')
    const gateway = createGateway(options)
    const setup = { gateway, handlers: {} as never, onUnhandledRequest }
    const verdict = decideDestination(setup, { method, url: new URL(address), headers: {} }, [])
    return { gateway, verdict, message: String(errors.mock.lastCall) }
  }

  it.each<[line: string, options: GatewayOptions, message: string]>([
    [
      'GET https://openrouter.ai/embeddings',
      {},
      "Unhandled request GET https://openrouter.ai/embeddings: the gateway's operations are under https://openrouter.ai/api/v1, so check the client's base URL. To allow the request, set onUnhandledRequest: 'bypass'.",
    ],
    [
      `GET https://any.example/inbox/sk-${'a1b2'.repeat(8)}?a=1`,
      {},
      "Unhandled request GET https://any.example/inbox/(hidden): mock it, for example with an MSW handler, or allow it with onUnhandledRequest: 'guard'.",
    ],
    [
      'GET https://any.example/v1/providers',
      {},
      "Unhandled request GET https://any.example/v1/providers: the gateway's operations are under a base URL that ends in /api/v1, so check the client's base URL, or set the gateway's baseUrl: 'https://any.example/v1'. To allow the request, set onUnhandledRequest: 'bypass'.",
    ],
    [
      'GET https://any.example/v1/providers',
      { baseUrl },
      `Unhandled request GET https://any.example/v1/providers: the gateway's operations are under ${baseUrl}, so check the client's base URL. To allow the request, set onUnhandledRequest: 'bypass'.`,
    ],
    [
      'GET https://any.example/api/v1/provider',
      {},
      "Unhandled request GET https://any.example/api/v1/provider: no operation handles GET /provider. Did you mean GET /providers? (if this request is not for the gateway, set the gateway's baseUrl). To allow the request, set onUnhandledRequest: 'bypass'.",
    ],
    [
      'GET https://any.example/api/v1/providers',
      { baseUrl },
      `Unhandled request GET https://any.example/api/v1/providers: the gateway's operations are under ${baseUrl}, so check the client's base URL. To allow the request, set onUnhandledRequest: 'bypass'.`,
    ],
    [
      'GET http://models.example/api/v1/providers',
      { baseUrl },
      `Unhandled request GET http://models.example/api/v1/providers: the gateway's operations are under ${baseUrl} (https, not http), so check the client's base URL. To allow the request, set onUnhandledRequest: 'bypass'.`,
    ],
  ])('is reported with a reason and a fix: %s with options %j', (line, options, message) => {
    refusal(line, 'error', options)
    expect(errors).toHaveBeenCalledExactlyOnceWith(`[understudy] ${message}`)
    expect(refusal(line, 'warn', options).verdict).toBe('pass')
    expect(warnings).toHaveBeenCalledExactlyOnceWith(`[understudy] ${message}`)
  })
})
