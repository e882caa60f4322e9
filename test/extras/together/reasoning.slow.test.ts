/**
 * Tests reasoning as exposed by the OpenAI SDK, the AI SDK with OpenRouter's provider, and LangChain, both
 * plain and streamed.
 */
import { ChatOpenAI } from '@langchain/openai'
import { createOpenRouter } from '@openrouter/ai-sdk-provider'
import { generateText, streamText } from 'ai'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { createGateway } from '../../../src/index.ts'

const { fetch } = createGateway({ dialect: 'openrouter', timeScale: 0 })
const baseURL = 'https://gateway.example/api/v1'
const model = 'aurora/dawn-2'
const question = 'How do tides work?'
const shown = expect.stringContaining(`The question is: ${question}`)

describe('the OpenAI SDK', () => {
  const client = new OpenAI({ apiKey: 'any', baseURL, fetch })
  const request = {
    model,
    input: question,
    reasoning: { effort: 'high', summary: 'auto' },
    include: ['reasoning.encrypted_content'],
  } as const

  it("shows a response's reasoning summary", async () => {
    const { output, usage } = await client.responses.create({ ...request, include: [...request.include] })
    expect(output.map(({ type }) => type)).toEqual(['reasoning', 'message'])
    expect(output[0]).toMatchObject({
      summary: [{ text: shown }, {}, {}],
      encrypted_content: expect.stringMatching(/./),
    })
    expect(usage?.output_tokens_details.reasoning_tokens).toBeGreaterThan(300)
  })

  it("shows a stream's reasoning summary", async () => {
    const stream = client.responses.stream({ ...request, include: [...request.include] })
    let text = ''
    stream.on('response.reasoning_summary_text.delta', ({ delta }) => {
      text += delta
    })
    const [item] = (await stream.finalResponse()).output
    expect(text).toEqual(shown)
    expect(item?.type === 'reasoning' && item.summary.map((part) => part.text).join('')).toBe(text)
  })

  it('receives `reasoning` and `reasoning_details` in a chat completion', async () => {
    const messages = [{ role: 'user' as const, content: question }]
    const { choices } = await client.chat.completions.create({ model, messages, reasoning_effort: 'low' })
    expect(choices[0]?.message).toMatchObject({
      reasoning: shown,
      reasoning_details: [{ type: 'reasoning.text', text: shown }],
    })
  })
})

describe("the AI SDK with OpenRouter's provider", () => {
  const openrouter = createOpenRouter({ apiKey: 'any', baseURL, fetch })
  const reasoning = { effort: 'medium' } as const

  it('shows reasoning, plain and streamed', async () => {
    const request = { model: openrouter.chat(model, { reasoning }), prompt: question }
    const { reasoningText, text } = await generateText(request)
    expect(reasoningText).toEqual(shown)
    const streamed = streamText(request)
    expect(await streamed.reasoningText).toBe(reasoningText)
    expect(await streamed.text).toBe(text)
  })

  it('sends the reasoning back in the next turn without a warning', async () => {
    const gateway = createGateway({ dialect: 'openrouter', timeScale: 0 })
    const local = createOpenRouter({ apiKey: 'any', baseURL, fetch: gateway.fetch })
    const chat = local.chat(model, { reasoning })
    const { response } = await generateText({ model: chat, prompt: question })
    await generateText({
      model: chat,
      messages: [
        { role: 'user', content: question },
        ...response.messages,
        { role: 'user', content: 'And ebb?' },
      ],
    })
    const { body, warnings } = gateway.journal.last('createChatCompletion') ?? {}
    expect(JSON.stringify(body)).toContain('reasoning_details')
    expect(warnings).toEqual([])
  })
})

describe('LangChain', () => {
  const chat = new ChatOpenAI({
    apiKey: 'any',
    model,
    configuration: { baseURL, fetch },
    useResponsesApi: true,
    // LangChain sends its own reasoning option only to OpenAI's models.
    modelKwargs: { reasoning: { effort: 'medium', summary: 'auto' } },
  })

  it('shows reasoning, plain and streamed', async () => {
    const message = await chat.invoke(question)
    expect(JSON.stringify(message.additional_kwargs['reasoning'])).toEqual(shown)
    let streamed = ''
    for await (const chunk of await chat.stream(question)) {
      const { summary = [] } = (chunk.additional_kwargs['reasoning'] ?? {}) as {
        summary?: { text: string }[]
      }
      streamed += summary.map(({ text }) => text).join('')
    }
    expect(streamed).toEqual(shown)
  })
})
