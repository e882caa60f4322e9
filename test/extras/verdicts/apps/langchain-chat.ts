import type { AIMessageChunk, BaseMessage } from '@langchain/core/messages'
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import * as z from 'zod'
import { type App, status, type Target } from './app.ts'
import { type Ask, Failure, limited, persist } from './persist.ts'
import { assertWhole, model, scriptTool } from './reply.ts'

const Arguments = z.object({ title: z.string(), shelf: z.string() })
const tool = { name: 'findBook', description: 'Finds a book on a shelf', schema: Arguments }

async function run({ baseUrl, apiKey, fetch, signal }: Target, defect?: string): Promise<string> {
  const memory: BaseMessage[] = [new HumanMessage('Is there a book about tides on the upper shelf?')]
  let results: BaseMessage[] = []

  for (let turn = 0; turn < 5; turn++) {
    const defaultHeaders = { 'idempotency-key': crypto.randomUUID() }
    const configuration = { baseURL: baseUrl, fetch, defaultHeaders }
    const chat = new ChatOpenAI({ model, apiKey, configuration, maxRetries: 0, timeout: 1500 })
    let whole: AIMessageChunk | undefined
    const ask: Ask<AIMessageChunk> = async (signal, alive) => {
      // Defect: the results are added to the memory with every try.
      if (defect === 'remembers-per-try') memory.push(...results)
      // Defect: the chunks of a stream that broke stay in front of those of the next one.
      if (defect !== 'keeps-broken-chunks') whole = undefined
      for await (const chunk of await chat.bindTools([tool]).stream(memory, { signal })) {
        alive()
        if (!whole?.response_metadata['finish_reason']) whole = whole?.concat(chunk) ?? chunk
      }
      // Defect: LangChain completes arguments that are cut off, and the tool runs with them.
      if (defect === 'runs-cut-calls' && whole?.tool_calls?.length) return whole
      assertWhole(whole?.response_metadata['finish_reason'], 'stop', 'tool_calls')
      for (const { args } of whole?.tool_calls ?? []) Arguments.parse(args)
      if (whole?.text || whole?.tool_calls?.length) return whole
      throw new Failure('The answer is empty', { retryable: true })
    }
    const askLikeAxios = () =>
      limited(signal, ask).catch((error) => {
        // Defect: the SDK's errors have a `status`, but no `response` like those of axios.
        if (error.cause?.response?.status >= 500) return persist(signal, ask)
        throw error
      })
    const answer = await (defect === 'expects-axios-errors' ? askLikeAxios() : persist(signal, ask))
    const calls = answer.tool_calls ?? []
    if (calls.length === 0) return answer.text
    const outputs = calls.map(({ id = '', args }) => {
      const { title, shelf } = args
      return new ToolMessage({ tool_call_id: id, content: `${title} is on the ${shelf} shelf` })
    })
    results = [new AIMessage({ content: '', tool_calls: calls }), ...outputs]
    if (defect !== 'remembers-per-try') memory.push(...results)
  }
  throw new Failure('The model found no answer in five turns')
}

export const langchainChat: App = {
  name: 'langchain-chat',
  setUp: (sandbox) =>
    scriptTool(sandbox, 'findBook', { title: 'The moon', shelf: 'upper' }, 'It is on the upper shelf.'),
  run,
  defects: {
    'runs-cut-calls': { fault: 'stream-cut', finding: 'tool-executed-on-broken-arguments' },
    'remembers-per-try': { fault: 'status', call: 2, finding: 'tool-result-twice' },
    'keeps-broken-chunks': { fault: 'stream-reset', call: 2, finding: 'text-twice', verdict: 'silent' },
    'expects-axios-errors': { fault: status(502), finding: 'gave-up', verdict: 'rejected' },
  },
}
