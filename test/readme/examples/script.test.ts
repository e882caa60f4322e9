import { createOpenAI } from '@ai-sdk/openai'
import { generateText, jsonSchema, stepCountIs, tool } from 'ai'
import { expect, test } from 'gateway-understudy/vitest'

test('an agent looks up the tide and books two boats at once', async ({ sandbox }) => {
  sandbox.script([
    { expect: { input: 'boats', tools: ['search', 'book'] }, call: { search: { q: 'tides' } } },
    {
      expect: { result: { search: 'high at six' } },
      call: [{ book: { boat: 'Aurora' } }, { book: { boat: 'Borealis' } }],
    },
    {
      expect: { result: { book: [{ booked: 'Aurora' }, { booked: 'Borealis' }] } },
      text: 'Both are booked.',
    },
  ])
  const openai = createOpenAI({ apiKey: sandbox.apiKey, baseURL: sandbox.baseUrl })
  const inputSchema = jsonSchema<{ boat: string }>({ type: 'object' })

  const { text } = await generateText({
    model: openai.responses('aurora/dawn-2'),
    prompt: 'Book two boats for high tide',
    tools: {
      search: tool({ inputSchema, execute: () => 'The tide is high at six' }),
      book: tool({ inputSchema, execute: ({ boat }) => ({ booked: boat }) }),
    },
    stopWhen: stepCountIs(5),
  })

  expect(text).toBe('Both are booked.')
  expect(sandbox).toHaveFinishedScript()
})
