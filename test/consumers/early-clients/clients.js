/** Clients as in an application: created once, when the module is imported, with one key. */
import { Agent as HttpsAgent } from 'node:https'
import { ChatOpenAI } from '@langchain/openai'
import { Agent, run, setDefaultOpenAIClient, setTracingDisabled } from '@openai/agents'
import axios from 'axios'
import OpenAI from 'openai'

const apiKey = 'sk-fixed'
const baseURL = 'https://gateway.example/api/v1'
const url = `${baseURL}/responses`
const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
const model = 'aurora/dawn-2'
const ask = { model, input: 'Hello' }

const capturedFetch = globalThis.fetch
const openai = new OpenAI({ apiKey, baseURL, maxRetries: 0 })
const chat = new ChatOpenAI({
  apiKey,
  model,
  configuration: { baseURL },
  useResponsesApi: true,
  maxRetries: 0,
})
setDefaultOpenAIClient(openai)
setTracingDisabled(true)
const agent = new Agent({ name: 'Oracle', instructions: 'Answer.', model })
const http = axios.create({ baseURL, headers, httpsAgent: new HttpsAgent({ keepAlive: true }) })

const read = async (parts, onPart) => {
  for await (const part of parts) onPart(part)
}

const fetching = (send) => {
  const open = (stream, signal) =>
    send(url, { method: 'POST', headers, body: JSON.stringify({ ...ask, stream }), signal })
  return {
    plain: async (signal) => (await open(false, signal)).text(),
    stream: async (onPart, signal) => read((await open(true, signal)).body, onPart),
  }
}

/**
 * `plain(signal)` resolves to a string that contains the text; `stream(onPart, signal)` calls `onPart` with each part
 * of the text.
 */
export const clients = {
  openai: {
    plain: async (signal) => (await openai.responses.create(ask, { signal })).output_text,
    stream: async (onPart, signal) =>
      read(await openai.responses.create({ ...ask, stream: true }, { signal }), onPart),
  },
  LangChain: {
    plain: async (signal) => (await chat.invoke('Hello', { signal })).text,
    stream: async (onPart, signal) => read(await chat.stream('Hello', { signal }), onPart),
  },
  '@openai/agents': {
    plain: async (signal) => String((await run(agent, 'Hello', { signal })).finalOutput),
    async stream(onPart, signal) {
      const running = await run(agent, 'Hello', { stream: true, signal })
      await read(running.toTextStream(), onPart)
      await running.completed
    },
  },
  axios: {
    plain: async (signal) => JSON.stringify((await http.post('/responses', ask, { signal })).data),
    stream: async (onPart, signal) =>
      read(
        (await http.post('/responses', { ...ask, stream: true }, { responseType: 'stream', signal })).data,
        onPart,
      ),
  },
  'captured fetch': fetching(capturedFetch),
}
