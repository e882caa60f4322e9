/**
 * Runs published clients for three protocols: plain and streamed text, tools, structured output, aborts and failures.
 */
import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import Anthropic from '@anthropic-ai/sdk'
import { ChatAnthropic } from '@langchain/anthropic'
import { ChatOpenAI } from '@langchain/openai'
import { createOpenRouter } from '@openrouter/ai-sdk-provider'
import { generateText, jsonSchema, type LanguageModel, Output, streamText, tool } from 'ai'
import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createGateway, type GatewayOptions, type Sandbox } from '../../../src/index.ts'
import { type RunningServer, startServer } from '../../../src/serve.ts'

const model = 'aurora/dawn-2'
const schema = {
  type: 'object' as const,
  properties: { city: { type: 'string' as const }, degrees: { type: 'integer' as const } },
  required: ['city', 'degrees'],
  additionalProperties: false,
}

/** A client's connection options. */
interface Connection {
  /** Base URL, which ends in `/api/v1`. */
  baseURL: string
  apiKey: string
  fetch: typeof fetch
}

interface Client {
  plain(question: string): Promise<string>
  /** Calls `onText` with each text delta. */
  streamed(question: string, onText: (text: string) => void, signal?: AbortSignal): Promise<unknown>
  /** Returns the arguments of the call to the `weather` function. */
  tool(question: string): Promise<unknown>
  structured(question: string): Promise<unknown>
}

const parsed = (text: string | null | undefined): unknown => JSON.parse(text ?? '')

function openai({ baseURL, apiKey, fetch }: Connection, protocol: 'chat' | 'responses'): Client {
  const client = new OpenAI({ baseURL, apiKey, fetch, maxRetries: 0 })
  const ask = (content: string) => ({ model, messages: [{ role: 'user' as const, content }] })
  const chat: Client = {
    plain: async (question) =>
      (await client.chat.completions.create(ask(question))).choices[0]?.message.content ?? '',
    async streamed(question, onText, signal) {
      const stream = await client.chat.completions.create({ ...ask(question), stream: true }, { signal })
      for await (const { choices } of stream) onText(choices[0]?.delta.content ?? '')
    },
    async tool(question) {
      const tools = [{ type: 'function' as const, function: { name: 'weather', parameters: schema } }]
      const completion = await client.chat.completions.create({
        ...ask(question),
        tools,
        tool_choice: { type: 'function', function: { name: 'weather' } },
      })
      const [call] = completion.choices[0]?.message.tool_calls ?? []
      return parsed(call?.type === 'function' ? call.function.arguments : '')
    },
    async structured(question) {
      const response_format = { type: 'json_schema' as const, json_schema: { name: 'place', schema } }
      const completion = await client.chat.completions.create({ ...ask(question), response_format })
      return parsed(completion.choices[0]?.message.content)
    },
  }
  const responses: Client = {
    plain: async (input) => (await client.responses.create({ model, input })).output_text,
    async streamed(input, onText, signal) {
      const stream = await client.responses.create({ model, input, stream: true }, { signal })
      for await (const event of stream) if (event.type === 'response.output_text.delta') onText(event.delta)
    },
    async tool(input) {
      const tools = [{ type: 'function' as const, name: 'weather', parameters: schema, strict: true }]
      const response = await client.responses.create({ model, input, tools, tool_choice: 'required' })
      return parsed(response.output[0]?.type === 'function_call' ? response.output[0].arguments : '')
    },
    async structured(input) {
      const text = { format: { type: 'json_schema' as const, name: 'place', schema } }
      return parsed((await client.responses.create({ model, input, text })).output_text)
    },
  }
  return protocol === 'chat' ? chat : responses
}

function anthropic({ baseURL, apiKey, fetch }: Connection): Client {
  const url = baseURL.replace(/\/v1$/, '')
  const client = new Anthropic({ baseURL: url, authToken: apiKey, apiKey: null, fetch, maxRetries: 0 })
  const ask = (content: string) => ({
    model,
    max_tokens: 1000,
    messages: [{ role: 'user' as const, content }],
  })
  const textOf = ({ content: [block] }: Anthropic.Message) => (block?.type === 'text' ? block.text : '')
  return {
    plain: async (question) => textOf(await client.messages.create(ask(question))),
    async streamed(question, onText, signal) {
      const stream = client.messages.stream(ask(question), { signal })
      stream.on('text', onText)
      await stream.finalMessage()
    },
    async tool(question) {
      const tools = [{ name: 'weather', input_schema: schema }]
      const tool_choice = { type: 'tool' as const, name: 'weather' }
      const { content } = await client.messages.create({ ...ask(question), tools, tool_choice })
      return content[0]?.type === 'tool_use' && content[0].input
    },
    async structured(question) {
      const output_config = { format: { type: 'json_schema' as const, schema } }
      return parsed(textOf(await client.messages.create({ ...ask(question), output_config })))
    },
  }
}

function aiSdk(languageModel: LanguageModel): Client {
  const ask = (prompt: string) => ({ model: languageModel, prompt, maxRetries: 0, maxOutputTokens: 1000 })
  return {
    plain: async (question) => (await generateText(ask(question))).text,
    async streamed(question, onText, abortSignal) {
      let failure: unknown
      const options = { ...ask(question), onError: ({ error }: { error: unknown }) => (failure = error) }
      const { stream } = streamText({ ...options, ...(abortSignal && { abortSignal }) })
      for await (const part of stream) {
        if (part.type === 'text-delta') onText(part.text)
        if (part.type === 'abort') throw new Error('aborted')
      }
      if (failure) throw failure
    },
    async tool(question) {
      const tools = { weather: tool({ inputSchema: jsonSchema(schema) }) }
      const { toolCalls } = await generateText({
        ...ask(question),
        tools,
        toolChoice: { type: 'tool', toolName: 'weather' },
      })
      return toolCalls[0]?.input
    },
    async structured(question) {
      const output = Output.object({ schema: jsonSchema(schema) })
      return (await generateText({ ...ask(question), output })).output
    },
  }
}

function langChain(chat: ChatOpenAI | ChatAnthropic): Client {
  const weather = { name: 'weather', description: 'The weather', schema }
  const tools = { weather: { type: 'function', function: { name: 'weather', parameters: schema } } }
  return {
    plain: async (question) => (await chat.invoke(question)).text,
    async streamed(question, onText, signal) {
      for await (const chunk of await chat.stream(question, { ...(signal && { signal }) })) onText(chunk.text)
    },
    async tool(question) {
      const bound = (chat as ChatOpenAI).bindTools([tools.weather], { tool_choice: 'weather' })
      return (await bound.invoke(question)).tool_calls?.[0]?.args
    },
    structured: (question) =>
      (chat as ChatOpenAI)
        .withStructuredOutput(weather.schema, { name: 'place' })
        .invoke(question) as Promise<unknown>,
  }
}

const clients: Record<string, (connection: Connection) => Client> = {
  'openai, chat': (connection) => openai(connection, 'chat'),
  'openai, responses': (connection) => openai(connection, 'responses'),
  '@anthropic-ai/sdk': anthropic,
  '@ai-sdk/openai, chat': (connection) => aiSdk(createOpenAI(connection).chat(model)),
  '@ai-sdk/openai, responses': (connection) => aiSdk(createOpenAI(connection).responses(model)),
  '@ai-sdk/anthropic': (connection) => aiSdk(createAnthropic(connection)(model)),
  '@openrouter/ai-sdk-provider': (connection) => aiSdk(createOpenRouter(connection).chat(model)),
  '@langchain/openai, chat': ({ apiKey, ...configuration }) =>
    langChain(new ChatOpenAI({ model, apiKey, configuration, maxRetries: 0 })),
  '@langchain/openai, responses': ({ apiKey, ...configuration }) =>
    langChain(new ChatOpenAI({ model, apiKey, configuration, maxRetries: 0, useResponsesApi: true })),
  '@langchain/anthropic': ({ apiKey, baseURL, fetch }) =>
    langChain(
      new ChatAnthropic({
        model,
        apiKey,
        anthropicApiUrl: baseURL.replace(/\/v1$/, ''),
        clientOptions: { fetch },
        maxRetries: 0,
        maxTokens: 1000,
      }),
    ),
}

const options: GatewayOptions = {
  timeScale: 0,
}
const question = 'How do tides work?'
/** Defines the same tests for every client. */
export function describeClients(entrance: 'over a socket' | 'through gateway.fetch'): void {
  const isServed = entrance === 'over a socket'
  let server: RunningServer
  beforeAll(async () => {
    if (isServed) server = await startServer(options)
  })
  afterAll(() => server?.close())

  describe.each(Object.entries(clients))(`%s, ${entrance}`, (_, make) => {
    let sandbox: Sandbox
    let client: Client
    beforeEach(() => {
      const local = createGateway(options)
      sandbox = (isServed ? server.gateway : local).createSandbox()
      const baseURL = isServed ? server.baseUrl : 'https://gateway.example/api/v1'
      client = make({
        baseURL,
        apiKey: sandbox.apiKey,
        fetch: isServed ? fetch : (local.fetch as typeof fetch),
      })
    })

    it('receives the same text plain and streamed', async () => {
      const text = await client.plain(question)
      let streamed = ''
      await client.streamed(question, (piece) => {
        streamed += piece
      })
      expect(text).toContain('tides')
      expect(streamed).toBe(text)
    })

    it('receives a function call and structured output', async () => {
      const expected = { city: expect.any(String), degrees: expect.any(Number) }
      expect(await client.tool(question)).toEqual(expected)
      expect(await client.structured(question)).toEqual(expected)
    })

    it('aborts a stream, and the journal records it', async () => {
      sandbox.use({ on: '*', fault: { name: 'stream-stall', afterDeltas: 2 } })
      const controller = new AbortController()
      const reading = client.streamed(question, (piece) => piece && controller.abort(), controller.signal)
      await reading.catch(() => 'aborted')
      await expect
        .poll(() => sandbox.journal.entries()[0]?.delivery, { interval: 5 })
        .toBe('aborted-by-client')
    })

    it('reports an error reply and a broken stream', async () => {
      const outage = sandbox.fail(503, { message: 'Down for now' })
      await expect(client.plain(question)).rejects.toThrow(/503|Down for now|unavailable/)
      outage[Symbol.dispose]()
      sandbox.use({ on: '*', fault: { name: 'stream-reset', afterDeltas: 2 } })
      let text = ''
      const failed = await client
        .streamed(question, (piece) => {
          text += piece
        })
        .then(() => 'no error', String)
      expect(text.length).toBeGreaterThan(0)
      expect(failed).not.toBe('no error')
    })
  })
}
