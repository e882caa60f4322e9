/** The same agent in four clients. It calls `look` and `note` until the model requests no more tools. */
import { createOpenAI } from '@ai-sdk/openai'
import { ChatOpenAI } from '@langchain/openai'
import { Agent, tool as agentTool, OpenAIProvider, Runner } from '@openai/agents'
import { tool as aiTool, generateText, stepCountIs } from 'ai'
import { createAgent, tool as langchainTool } from 'langchain'
import OpenAI from 'openai'
import { z } from 'zod'
import { look, note, question } from './script.js'

const model = 'aurora/dawn-2'
const lookAt = z.object({ at: z.string() })
const noteText = z.object({ text: z.string() })

export async function openai({ apiKey, baseUrl }) {
  const client = new OpenAI({ apiKey, baseURL: baseUrl })
  const tools = ['look', 'note'].map((name) => ({
    type: 'function',
    name,
    strict: false,
    parameters: { type: 'object' },
  }))
  const input = [{ role: 'user', content: question }]
  for (;;) {
    const { output, output_text } = await client.responses.create({ model, input, tools, store: false })
    const calls = output.filter(({ type }) => type === 'function_call')
    if (calls.length === 0) return output_text
    const results = calls.map(({ call_id, name, arguments: json }) => {
      const run = { look, note }[name]
      return { type: 'function_call_output', call_id, output: run(JSON.parse(json)) }
    })
    input.push(...output, ...results)
  }
}

export async function aiSdk({ apiKey, baseUrl }) {
  const { text } = await generateText({
    model: createOpenAI({ apiKey, baseURL: baseUrl }).responses(model),
    prompt: question,
    tools: {
      look: aiTool({ inputSchema: lookAt, execute: look }),
      note: aiTool({ inputSchema: noteText, execute: note }),
    },
    stopWhen: stepCountIs(20),
  })
  return text
}

export async function agentsSdk({ apiKey, baseUrl }) {
  const tools = [
    agentTool({ name: 'look', description: 'Looks', parameters: lookAt, execute: look }),
    agentTool({ name: 'note', description: 'Notes', parameters: noteText, execute: note }),
  ]
  const modelProvider = new OpenAIProvider({ apiKey, baseURL: baseUrl, useResponses: true })
  const agent = new Agent({
    name: 'Looker',
    instructions: 'Look and note.',
    model,
    modelSettings: { store: false },
    tools,
  })
  const { finalOutput } = await new Runner({ modelProvider, tracingDisabled: true }).run(agent, question, {
    maxTurns: 20,
  })
  return finalOutput
}

export async function langchain({ apiKey, baseUrl }) {
  const llm = new ChatOpenAI({
    model,
    apiKey,
    configuration: { baseURL: baseUrl },
    useResponsesApi: true,
    zdrEnabled: true,
  })
  const tools = [
    langchainTool(look, { name: 'look', description: 'Looks', schema: lookAt }),
    langchainTool(note, { name: 'note', description: 'Notes', schema: noteText }),
  ]
  const agent = createAgent({ model: llm, tools })
  const { messages } = await agent.invoke(
    { messages: [{ role: 'user', content: question }] },
    { recursionLimit: 60 },
  )
  return messages.at(-1).text
}
