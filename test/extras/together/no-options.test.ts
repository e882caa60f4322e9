/**
 * Runs published clients with their defaults, against gateways without options: at the addresses of public APIs, with
 * those APIs' model names and any key. Covers intercept(), the fixtures for Vitest, and `gateway.fetch`.
 */
import Anthropic from '@anthropic-ai/sdk'
import { createOpenRouter } from '@openrouter/ai-sdk-provider'
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai'
import { createGateway, type Sandbox } from 'gateway-understudy'
import { test as base } from 'gateway-understudy/vitest'
import OpenAI from 'openai'
import { describe, expect, vi } from 'vitest'

// The SDK logs warnings about models that it does not know.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })

/** Calls of a published client. Each returns the text of the reply. */
interface Client {
  ask(): Promise<string>
  stream(): Promise<string>
  /** Runs the `weather` tool as often as the model calls it, and returns the final text. */
  useTool(weather: (city: string) => string): Promise<string>
}

type Fetch = typeof fetch | undefined
const question = 'What is the weather in Lisbon?'
const parameters = { type: 'object' as const, properties: { city: { type: 'string' as const } } }
const cityIn = (json: unknown) => String(Object(typeof json === 'string' ? JSON.parse(json) : json).city)

const clients: Record<string, (fetch: Fetch) => Client> = {
  'openai, chat completions': (fetch) => {
    const { completions } = new OpenAI({ apiKey: 'sk-any', maxRetries: 0, fetch }).chat
    const model = 'gpt-5'
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: question }]
    return {
      async ask() {
        const { choices } = await completions.create({ model, messages })
        return choices[0]?.message.content ?? ''
      },
      async stream() {
        let text = ''
        for await (const chunk of await completions.create({ model, messages, stream: true }))
          text += chunk.choices[0]?.delta.content ?? ''
        return text
      },
      async useTool(weather) {
        const tools = [{ type: 'function' as const, function: { name: 'weather', parameters } }]
        for (;;) {
          const { choices } = await completions.create({ model, messages, tools })
          const { message } = choices[0] as OpenAI.ChatCompletion.Choice
          if (!message.tool_calls) return message.content ?? ''
          messages.push(message)
          for (const call of message.tool_calls)
            if (call.type === 'function')
              messages.push({
                role: 'tool',
                tool_call_id: call.id,
                content: weather(cityIn(call.function.arguments)),
              })
        }
      },
    }
  },

  'openai, responses': (fetch) => {
    const { responses } = new OpenAI({ apiKey: 'sk-any', maxRetries: 0, fetch })
    const model = 'gpt-5'
    return {
      ask: async () => (await responses.create({ model, input: question })).output_text,
      async stream() {
        let text = ''
        for await (const event of await responses.create({ model, input: question, stream: true }))
          if (event.type === 'response.output_text.delta') text += event.delta
        return text
      },
      async useTool(weather) {
        const tools = [{ type: 'function' as const, name: 'weather', parameters, strict: false }]
        const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: question }]
        for (;;) {
          const { output, output_text } = await responses.create({ model, input, tools })
          const calls = output.filter((item) => item.type === 'function_call')
          if (calls.length === 0) return output_text
          for (const call of calls) {
            const { call_id } = call
            input.push(call, {
              type: 'function_call_output',
              call_id,
              output: weather(cityIn(call.arguments)),
            })
          }
        }
      },
    }
  },

  anthropic: (fetch) => {
    const { messages } = new Anthropic({ apiKey: 'sk-ant-any', maxRetries: 0, fetch })
    const settings = { model: 'claude-sonnet-5', max_tokens: 500 }
    const history: Anthropic.MessageParam[] = [{ role: 'user', content: question }]
    const textOf = ({ content }: Anthropic.Message) =>
      content.map((block) => (block.type === 'text' ? block.text : '')).join('')
    return {
      ask: async () => textOf(await messages.create({ ...settings, messages: history })),
      stream: () => messages.stream({ ...settings, messages: history }).finalText(),
      async useTool(weather) {
        const tools = [{ name: 'weather', input_schema: parameters }]
        for (;;) {
          const reply = await messages.create({ ...settings, messages: history, tools })
          if (reply.stop_reason !== 'tool_use') return textOf(reply)
          history.push({ role: 'assistant', content: reply.content })
          const results = reply.content.flatMap((block) =>
            block.type === 'tool_use'
              ? [
                  {
                    type: 'tool_result' as const,
                    tool_use_id: block.id,
                    content: weather(cityIn(block.input)),
                  },
                ]
              : [],
          )
          history.push({ role: 'user', content: results })
        }
      },
    }
  },

  'OpenRouter for the AI SDK': (fetch) => {
    const model = createOpenRouter({ apiKey: 'sk-or-any', ...(fetch && { fetch }) })('openai/gpt-5')
    const prompt = { model, prompt: question, maxRetries: 0 }
    return {
      ask: async () => (await generateText(prompt)).text,
      async stream() {
        let text = ''
        for await (const part of streamText({ ...prompt, onError() {} }).fullStream) {
          if (part.type === 'text-delta') text += part.text
          if (part.type === 'error') throw part.error
        }
        return text
      },
      async useTool(weather) {
        const inputSchema = jsonSchema<{ city: string }>(parameters)
        const tools = { weather: tool({ inputSchema, execute: ({ city }) => weather(city) }) }
        return (await generateText({ ...prompt, tools, stopWhen: stepCountIs(5) })).text
      },
    }
  },
}

const gateway = createGateway()
const ways = ['the fixtures for Vitest', 'gateway.fetch'] as const

for (const [name, connect] of Object.entries(clients))
  describe.each(ways)(`${name}, without options, through %s`, (way) => {
    /** Passes each test a client and the sandbox that receives its calls. */
    const test = base.extend<{ client: Client; calls: Sandbox }>({
      calls: async ({ sandbox }, use) => use(way === 'gateway.fetch' ? gateway.createSandbox() : sandbox),
      client: async ({ calls }, use) =>
        use(
          connect(way === 'gateway.fetch' ? (...call) => calls.run(() => gateway.fetch(...call)) : undefined),
        ),
    })

    test('replies and streams', async ({ client, calls }) => {
      expect(await client.ask()).toContain(question)
      expect(await client.stream()).toBe(await client.ask())
      const [first, ...others] = calls.journal.entries()
      expect([first?.status, first?.usage?.model]).toEqual([200, expect.stringMatching(/gpt-5|claude/)])
      expect(others).toHaveLength(2)
    })

    test('runs a scripted tool loop', async ({ client, calls }) => {
      calls.script([{ call: { weather: { city: 'Lisbon' } } }, { text: 'Sunny.' }])
      const weather = vi.fn(() => '22 degrees')
      expect(await client.useTool(weather)).toBe('Sunny.')
      expect(weather.mock.calls).toEqual([['Lisbon']])
    })

    test('reports an error', async ({ client, calls }) => {
      calls.fail(429)
      await expect(client.ask()).rejects.toThrow(/rate limit/i)
      calls.fail(503)
      await expect(client.stream()).rejects.toThrow(/unavailable/)
    })
  })
