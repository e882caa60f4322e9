import OpenAI from 'openai'
import * as z from 'zod'
import type { App, Target } from './app.ts'
import { Failure, persist } from './persist.ts'
import { Message, model, outputOf, scriptTool } from './reply.ts'

const Call = z.object({ type: z.literal('function_call'), call_id: z.string(), arguments: z.string() })
const Items = z.array(z.union([Call, Message])).min(1)
const Item = z.looseObject({ type: z.string() }).optional()
const Event = z.looseObject({ type: z.string(), item: Item, delta: z.string().optional() })
const Arguments = z.object({ port: z.string(), day: z.string() })
const parameters = { type: 'object', properties: { port: { type: 'string' }, day: { type: 'string' } } }
const tools = [{ type: 'function' as const, name: 'getTide', parameters, strict: false }]

async function read(stream: AsyncIterable<unknown>, alive: () => void) {
  const received: { arguments: string; content: object[] }[] = []
  let response: unknown
  for await (const event of stream) {
    alive()
    const { type, item, delta = '', response: last } = Event.parse(event)
    if (type === 'response.output_item.added') received.push({ ...item, arguments: '', content: [] })
    const current = received.at(-1)
    if (type === 'response.function_call_arguments.delta' && current) current.arguments += delta
    if (type === 'response.output_text.delta') current?.content.push({ type: 'output_text', text: delta })
    if (/^response\.(completed|failed|incomplete)$/.test(type)) response = last
  }
  return { received, response }
}

function parseArguments(text: string, defect?: string): Partial<z.infer<typeof Arguments>> {
  if (defect !== 'cut-arguments-as-none') return Arguments.parse(JSON.parse(text))
  try {
    return JSON.parse(text)
  } catch {
    // Defect: arguments that are cut off count as none.
    return {}
  }
}

async function run({ baseUrl, apiKey, fetch, signal }: Target, defect?: string): Promise<string> {
  const client = new OpenAI({ apiKey, baseURL: baseUrl, fetch, maxRetries: 0, timeout: 1500 })
  const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'When is high tide in Brest?' }]
  let results: OpenAI.Responses.ResponseInput = []
  for (let turn = 0; turn < 5; turn++) {
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const output = await persist(signal, async (signal, alive) => {
      // Defect: the results are added in the function that is retried.
      if (defect === 'adds-results-per-try') input.push(...results)
      const stream = await client.responses.create({ model, input, tools, stream: true }, { signal, headers })
      const { received, response } = await read(stream, alive)
      // Defect: the deltas received so far count as the answer.
      if (defect === 'cut-arguments-as-none' || defect === 'trusts-deltas') return () => received
      // Defect: after a stream without its last event, there is no response to read the output from.
      if (defect === 'expects-last-event') return () => (response as OpenAI.Responses.Response).output
      const items = Items.parse(outputOf(response))
      for (const item of items) if (item.type === 'function_call') parseArguments(item.arguments)
      return () => items
    })
    const items = Items.parse(output())
    const texts = items.flatMap((item) => (item.type === 'message' ? item.content : []))
    if (texts.length > 0) return texts.map(({ text }) => text).join('')
    results = items.flatMap((item) => {
      if (item.type !== 'function_call') return []
      const { port, day } = parseArguments(item.arguments, defect)
      const output = { type: 'function_call_output' as const, output: `High tide in ${port} ${day}: at six` }
      const call = { ...item, name: 'getTide', arguments: JSON.stringify({ port, day }) }
      return [call, { ...output, call_id: item.call_id }]
    })
    if (defect !== 'adds-results-per-try') input.push(...results)
  }
  throw new Failure('The agent found no answer in five turns')
}

export const responsesAgent: App = {
  name: 'responses-agent',
  setUp: (sandbox) =>
    scriptTool(sandbox, 'getTide', { port: 'Brest', day: 'today' }, 'The tide is high in Brest at six.'),
  run,
  defects: {
    'cut-arguments-as-none': { fault: 'stream-cut', finding: 'tool-executed-on-broken-arguments' },
    'adds-results-per-try': { fault: 'status', call: 2, finding: 'tool-result-twice' },
    'trusts-deltas': { fault: 'stream-error-event', call: 2, finding: 'error-in-stream-ignored' },
    'expects-last-event': { fault: 'stream-cut', verdict: 'crashed' },
  },
}
