import { createOpenAI } from '@ai-sdk/openai'
import { generateObject, generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { describeAdapters } from '../describe-adapters.ts'

// The SDK logs warnings about deprecated functions.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })

const prompt = 'How do tides work?'

describeAdapters('AI SDK', (entrance) => {
  const gateway = (model = 'aurora/dawn-2') =>
    createOpenAI({
      apiKey: entrance.sandbox.apiKey,
      baseURL: entrance.baseUrl,
      fetch: (...call) => entrance.fetch(...call),
    }).responses(model)

  it('generates text', async () => {
    const { text, finishReason, usage } = await generateText({
      model: gateway(),
      prompt,
      system: 'Be brief.',
    })
    expect(text).toContain(prompt)
    expect(finishReason).toBe('stop')
    expect(usage.totalTokens).toBe((usage.inputTokens ?? 0) + (usage.outputTokens ?? 0))
  })

  it('streams text with its sources', async () => {
    const { textStream, sources, text, finishReason } = streamText({
      model: gateway('aurora/dawn-2:online'),
      prompt,
    })
    let joined = ''
    for await (const delta of textStream) joined += delta
    expect(joined).toBe(await text)
    expect(await finishReason).toBe('stop')
    const found = await sources
    expect(found).toHaveLength(5)
    for (const source of found)
      expect(source).toMatchObject({ sourceType: 'url', url: expect.any(String), title: expect.any(String) })
  })

  it('returns the sources of generated text', async () => {
    const { sources } = await generateText({ model: gateway('aurora/dawn-2:online'), prompt })
    expect(sources).toHaveLength(5)
  })

  it('reports a reply cut off at max_output_tokens', async () => {
    const { finishReason } = await generateText({ model: gateway(), prompt, maxOutputTokens: 16 })
    expect(finishReason).toBe('length')
    const cut = streamText({ model: gateway(), prompt, maxOutputTokens: 16 })
    expect(await cut.finishReason).toBe('length')
  })

  it('generates an object', async () => {
    const schema = z.object({
      city: z.string(),
      days: z.int().min(1).max(9),
      stops: z.array(z.enum(['museum', 'harbour'])),
    })
    const { object } = await generateObject({ model: gateway(), prompt: 'Plan a trip to Oslo', schema })
    expect(schema.parse(object)).toEqual(object)
  })

  it('calls a forced tool and continues with its result', async () => {
    const asked: unknown[] = []
    const weather = tool({
      inputSchema: jsonSchema<{ city: string }>({
        type: 'object',
        properties: { city: { type: 'string', enum: ['Oslo'] } },
        required: ['city'],
        additionalProperties: false,
      }),
      execute: async (given) => {
        asked.push(given)
        return 'drizzle'
      },
    })
    const { text, steps } = await generateText({
      model: gateway(),
      prompt: 'How is the weather in Oslo?',
      tools: { weather },
      stopWhen: stepCountIs(2),
      prepareStep: ({ stepNumber }) => ({ toolChoice: stepNumber === 0 ? 'required' : 'auto' }),
    })
    expect(asked).toEqual([{ city: 'Oslo' }])
    expect(steps).toHaveLength(2)
    expect(text).toContain('drizzle')
  })
})
