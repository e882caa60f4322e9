import { createOpenAI } from '@ai-sdk/openai'
import { ChatOpenAI } from '@langchain/openai'
import { generateText } from 'ai'
import axios from 'axios'
import { expect, test } from 'gateway-understudy/vitest'
import OpenAI from 'openai'

test('OpenAI', async ({ sandbox }) => {
  sandbox.reply('Tides follow the moon.')
  // #region openai
  const client = new OpenAI({ apiKey: 'any', baseURL: 'https://gateway.example/api/v1', maxRetries: 0 })
  const { output_text } = await client.responses.create({ model: 'aurora/dawn-2', input: 'Why tides?' })
  expect(output_text).toBe('Tides follow the moon.')
  // #endregion
})

test('AI SDK', async ({ sandbox }) => {
  sandbox.reply('Tides follow the moon.')
  // #region ai-sdk
  const provider = createOpenAI({ apiKey: 'any', baseURL: 'https://gateway.example/api/v1' })
  const { text } = await generateText({ model: provider('aurora/dawn-2'), prompt: 'Why tides?' })
  expect(text).toBe('Tides follow the moon.')
  // #endregion
})

test('LangChain', async ({ sandbox }) => {
  sandbox.reply('Tides follow the moon.')
  // #region langchain
  const configuration = { baseURL: 'https://gateway.example/api/v1' }
  const model = new ChatOpenAI({
    apiKey: 'any',
    model: 'aurora/dawn-2',
    useResponsesApi: true,
    configuration,
  })
  expect((await model.invoke('Why tides?')).text).toBe('Tides follow the moon.')
  // #endregion
})

test('axios', async ({ sandbox }) => {
  sandbox.reply('Tides follow the moon.')
  // #region axios
  const http = axios.create({
    baseURL: 'https://gateway.example/api/v1',
    headers: { authorization: 'Bearer any' },
  })
  const { data } = await http.post('/responses', { model: 'aurora/dawn-2', input: 'Why tides?' })
  expect(data.output[0].content[0].text).toBe('Tides follow the moon.')
  // #endregion
})
