import { createOpenAI } from '@ai-sdk/openai'
import Anthropic from '@anthropic-ai/sdk'
import { ChatOpenAI } from '@langchain/openai'
import { generateText } from 'ai'
import axios from 'axios'
import { expect, test } from 'gateway-understudy/vitest'
import OpenAI from 'openai'

test('OpenAI', async ({ sandbox }) => {
  sandbox.reply('Tides follow the moon.')
  // #region openai
  const client = new OpenAI({ apiKey: 'any' })
  const { output_text } = await client.responses.create({ model: 'gpt-5', input: 'Why tides?' })
  expect(output_text).toBe('Tides follow the moon.')
  // #endregion
})

test('Anthropic', async ({ sandbox }) => {
  sandbox.reply('Tides follow the moon.')
  // #region anthropic
  const question = { role: 'user' as const, content: 'Why tides?' }
  const message = await new Anthropic({ apiKey: 'any' }).messages.create({
    model: 'claude-opus-5',
    max_tokens: 100,
    messages: [question],
  })
  expect(message.content).toMatchObject([{ text: 'Tides follow the moon.' }])
  // #endregion
})

test('AI SDK', async ({ sandbox }) => {
  sandbox.reply('Tides follow the moon.')
  // #region ai-sdk
  const openai = createOpenAI({ apiKey: 'any' })
  const { text } = await generateText({ model: openai('gpt-5'), prompt: 'Why tides?' })
  expect(text).toBe('Tides follow the moon.')
  // #endregion
})

test('LangChain', async ({ sandbox }) => {
  sandbox.reply('Tides follow the moon.')
  // #region langchain
  const model = new ChatOpenAI({ apiKey: 'any', model: 'gpt-5' })
  const answer = await model.invoke('Why tides?')
  expect(answer.text).toBe('Tides follow the moon.')
  // #endregion
})

test('axios', async ({ sandbox }) => {
  sandbox.reply('Tides follow the moon.')
  // #region axios
  const headers = { authorization: 'Bearer any' }
  const body = { model: 'gpt-5', input: 'Why tides?' }
  const { data } = await axios.post('https://api.openai.com/v1/responses', body, { headers })
  expect(data.output[0].content[0].text).toBe('Tides follow the moon.')
  // #endregion
})
