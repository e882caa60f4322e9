import Anthropic from '@anthropic-ai/sdk'
import * as z from 'zod'
import { type App, slow, status, type Target } from './app.ts'
import { Failure, persist } from './persist.ts'
import { assertWhole, model, scriptTool } from './reply.ts'

const Input = z.object({ city: z.string(), unit: z.string() })
const string = z.string().nullish()
const Delta = z.object({ text: string, partial_json: string, stop_reason: string }).nullish()
const Event = z.object({ type: z.string(), content_block: z.object({ id: string }).nullish(), delta: Delta })
const properties = { city: { type: 'string' }, unit: { type: 'string' } }
const tools = [{ name: 'weather', input_schema: { type: 'object' as const, properties } }]

async function read(stream: AsyncIterable<unknown>, alive: () => void) {
  let [text, json, id, reason, last] = ['', '', '', '', '']
  for await (const event of stream) {
    alive()
    const { type, content_block, delta } = Event.parse(event)
    id ||= content_block?.id ?? ''
    text += delta?.text ?? ''
    json += delta?.partial_json ?? ''
    reason ||= delta?.stop_reason ?? ''
    last = type
  }
  return { text, json, id, reason: last === 'message_stop' ? reason : '' }
}

function parseInput(json: string, defect?: string): Partial<z.infer<typeof Input>> {
  try {
    return Input.parse(JSON.parse(json))
  } catch (error) {
    // Defect: the tool runs without arguments if they cannot be parsed.
    if (defect === 'runs-without-arguments') return {}
    throw error
  }
}

async function run({ baseUrl, apiKey, fetch, signal: user }: Target, defect?: string): Promise<string> {
  const options = { authToken: apiKey, apiKey: null, fetch, maxRetries: 0, timeout: 1500 }
  const client = new Anthropic({ ...options, baseURL: baseUrl.replace(/\/v1$/, '') })
  const messages: Anthropic.MessageParam[] = []
  let next: Anthropic.MessageParam[] = [{ role: 'user', content: 'What is the weather in Brest?' }]
  for (let turn = 0; turn < 5; turn++) {
    const headers = { 'idempotency-key': crypto.randomUUID() }
    if (defect !== 'adds-message-per-send') messages.push(...next)
    const { text, id, input } = await persist(user, async (attempt, alive) => {
      // Defect: sending a message adds it to the history, and a retry sends it again.
      if (defect === 'adds-message-per-send') messages.push(...next)
      // Defect: the user's signal ends the wait for the answer, but not the request.
      const signal = defect === 'keeps-signal' ? undefined : attempt
      const body = { model, max_tokens: 500, messages, tools, stream: true as const }
      const stream = await client.messages.create(body, { signal, headers })
      const { text, json, id, reason } = await read(stream, alive)
      // Defect: an answer with text is accepted, for whatever reason it stopped.
      const accepted =
        defect === 'ignores-stop-reason' ? text && reason : defect === 'runs-without-arguments' && id
      if (!accepted) assertWhole((id || text) && reason, id ? 'tool_use' : 'end_turn')
      return { text, id, input: id ? parseInput(json, defect) : {} }
    })
    if (!id) return text
    const { city, unit } = input
    const content = `12 degrees ${unit} in ${city}`
    next = [
      { role: 'assistant', content: [{ type: 'tool_use', id, name: 'weather', input: { city, unit } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] },
    ]
  }
  throw new Failure('The model found no answer in five turns')
}

export const anthropicTool: App = {
  name: 'anthropic-tool',
  setUp: (sandbox) =>
    scriptTool(
      sandbox,
      'weather',
      { city: 'Brest', unit: 'Celsius' },
      'It is mild in Brest: twelve degrees, and rain.',
    ),
  run,
  defects: {
    'runs-without-arguments': { fault: 'stream-cut', finding: 'tool-executed-on-broken-arguments' },
    'adds-message-per-send': { fault: status(529), call: 2, finding: 'tool-result-twice' },
    'ignores-stop-reason': { fault: 'content-filter', call: 2, finding: 'truncated-accepted' },
    'keeps-signal': { fault: slow, finding: 'abort-not-passed-on', userAborts: true },
  },
}
