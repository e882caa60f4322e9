/** Reactions of chat completion clients to faults, as in docs/clients.md. */
import { createOpenAI } from '@ai-sdk/openai'
import { ChatOpenAI } from '@langchain/openai'
import { streamText } from 'ai'
import OpenAI from 'openai'
import { expect, it } from 'vitest'
import { createGateway, type Fault } from '../../../src/index.ts'

const model = 'aurora/dawn-2'
const prompt = 'How do tides work?'
const at = { apiKey: 'any', baseURL: 'https://gateway.example/api/v1' }

/** Each reads a stream and returns its finish reason. */
const clients: Record<string, (fetch: typeof globalThis.fetch) => Promise<unknown>> = {
  async openai(fetch) {
    let reason: unknown
    const messages = [{ role: 'user' as const, content: prompt }]
    const client = new OpenAI({ ...at, fetch, maxRetries: 0 })
    for await (const { choices } of await client.chat.completions.create({ model, messages, stream: true }))
      reason = choices[0]?.finish_reason ?? reason
    return reason
  },
  async 'AI SDK'(fetch) {
    const chat = createOpenAI({ ...at, fetch }).chat(model)
    return streamText({ model: chat, prompt, maxRetries: 0 }).finishReason
  },
  async LangChain(fetch) {
    let chunks: Awaited<ReturnType<ChatOpenAI['invoke']>> | undefined
    const chat = new ChatOpenAI({ apiKey: 'any', model, configuration: { ...at, fetch }, maxRetries: 0 })
    for await (const chunk of await chat.stream(prompt)) chunks = chunks?.concat(chunk) ?? chunk
    return `${chunks?.response_metadata['finish_reason']}, ${chunks?.usage_metadata ? 'usage' : 'no usage'}`
  },
}

it.each<[Fault, ...unknown[]]>([
  ['stream-error-event', 'throws APIError', 'other', 'throws APIError'],
  ['stream-cut', undefined, 'interrupted', 'undefined, no usage'],
  ['stream-without-completed', undefined, 'interrupted', 'undefined, usage'],
  ['error-body-in-200', undefined, 'interrupted', 'undefined, no usage'],
])('%s ends a stream of chat completions as documented', async (name, ...outcomes) => {
  const gateway = createGateway()
  gateway.use({ on: 'createChatCompletion', fault: name })
  const seen = Object.values(clients).map((read) =>
    read(gateway.fetch).catch((error) => `throws ${error.constructor.name}`),
  )
  expect(await Promise.all(seen)).toEqual(outcomes)
})
