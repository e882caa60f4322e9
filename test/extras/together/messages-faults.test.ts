/** Reactions of Anthropic's SDK to faults in streams, as in docs/clients.md. */
import Anthropic from '@anthropic-ai/sdk'
import { expect, it } from 'vitest'
import { createGateway, type Fault } from '../../../src/index.ts'

const question = { role: 'user' as const, content: 'How do tides work?' }
const request = { model: 'aurora/dawn-2', max_tokens: 1000, messages: [question] }

it.each<[Fault, string, string]>([
  ['stream-error-event', 'throws APIError', 'throws APIError'],
  ['stream-cut', 'ends with content_block_delta', 'throws AnthropicError'],
  ['stream-reset', 'throws ConnectionError', 'throws AnthropicError'],
  ['stream-stall', 'ends with content_block_delta', 'throws APIUserAbortError'],
])("%s ends a stream of Anthropic's SDK as documented", async (fault, iterated, final) => {
  const gateway = createGateway()
  gateway.use({ on: 'createMessage', fault })
  const at = { apiKey: 'any', baseURL: 'https://gateway.example/api', fetch: gateway.fetch, maxRetries: 0 }
  const { messages } = new Anthropic(at)
  const options = () => ({ signal: AbortSignal.timeout(500) })
  const iterate = async () => {
    let last = ''
    for await (const { type } of await messages.create({ ...request, stream: true }, options())) last = type
    return `ends with ${last}`
  }
  const finish = async () =>
    `stop_reason ${(await messages.stream(request, options()).finalMessage()).stop_reason}`
  const outcome = (reply: Promise<string>) => reply.catch((error) => `throws ${error.constructor.name}`)
  expect(await Promise.all([outcome(iterate()), outcome(finish())])).toEqual([iterated, final])
})
