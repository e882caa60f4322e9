// #region script
import { createOpenAI } from '@ai-sdk/openai'
import { generateText, jsonSchema, stepCountIs, tool } from 'ai'
import { expect, test } from 'gateway-understudy/vitest'

const openai = createOpenAI({ apiKey: 'any', baseURL: 'https://gateway.example/api/v1' })
const inputSchema = jsonSchema<{ port: string }>({ type: 'object' })
const tools = { getTide: tool({ inputSchema, execute: ({ port }) => `High at six in ${port}` }) }

test('looks up the tide', async ({ sandbox }) => {
  sandbox.script([
    { expect: { input: 'tide', tools: ['getTide'] }, call: { getTide: { port: 'Brest' } } },
    { expect: { result: { getTide: 'six in Brest' } }, text: 'At six.' },
  ])

  const model = openai.responses('aurora/dawn-2')
  const { text } = await generateText({ model, prompt: 'When is the tide?', tools, stopWhen: stepCountIs(5) })

  expect(text).toBe('At six.')
  expect(sandbox).toHaveFinishedScript()
})
// #endregion
