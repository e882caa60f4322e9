import { createOpenAI } from '@ai-sdk/openai'
import { generateText, jsonSchema, stepCountIs, tool } from 'ai'
import { expect, test } from 'gateway-understudy/vitest'

const openai = createOpenAI({ apiKey: 'any', baseURL: 'https://gateway.example/api/v1' })
const inputSchema = jsonSchema<{ boat: string }>({ type: 'object' })
const tools = {
  search: tool({ inputSchema, execute: () => 'The tide is high at six' }),
  book: tool({ inputSchema, execute: ({ boat }) => ({ booked: boat }) }),
}

// #region script
test('looks up the tide and books two boats in parallel', async ({ sandbox }) => {
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

  const model = openai.responses('aurora/dawn-2')
  const { text } = await generateText({ model, prompt: 'Book two boats', tools, stopWhen: stepCountIs(5) })

  expect(text).toBe('Both are booked.')
  expect(sandbox).toHaveFinishedScript()
})
// #endregion
