/** Snapshots of every output item and status as reported by popular clients, plain and streamed. */
import { createOpenAI } from '@ai-sdk/openai'
import { ChatOpenAI } from '@langchain/openai'
import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents'
import { generateText, jsonSchema, tool as sdkTool, streamText } from 'ai'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { createGateway } from '../../src/index.ts'
import type { Rule } from '../../src/scenarios/scenario.ts'

// The SDK logs warnings about deprecated functions.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })

const model = 'aurora/dawn-2'
const baseURL = 'https://gateway.example/api/v1'
const apiKey = 'any'
const prompt = 'Why is the sky blue?'
const parameters = {
  type: 'object' as const,
  properties: { q: { type: 'string' as const } },
  required: ['q' as const],
}

type Reply = NonNullable<Rule['reply']>
type Fetch = (input: RequestInfo | URL, init?: RequestInit) => Promise<Response>

/** Everything that clients report about a reply. Each client reports only some of these fields. */
interface Seen {
  text?: string | undefined
  refusal?: string | undefined
  reasoning?: string | undefined
  calls?: string[] | undefined
  images?: number | undefined
  searches?: number | undefined
  ended?: string | undefined
  error?: string | undefined
}

interface Client {
  plain(fetch: Fetch): Promise<Seen>
  streamed(fetch: Fetch): Promise<Seen>
}

const without = <Value extends object>(outcome: Value) =>
  Object.fromEntries(
    Object.entries(outcome).filter(
      ([, value]) =>
        value !== undefined && value !== '' && value !== 0 && !(Array.isArray(value) && value.length === 0),
    ),
  )

function ofResponse(response: OpenAI.Responses.Response): Seen {
  const outcome: Required<Pick<Seen, 'refusal' | 'reasoning' | 'images' | 'searches'>> & { calls: string[] } =
    {
      refusal: '',
      reasoning: '',
      images: 0,
      searches: 0,
      calls: [],
    }
  for (const item of response.output) {
    if (item.type === 'message')
      for (const part of item.content) if (part.type === 'refusal') outcome.refusal += part.refusal
    if (item.type === 'reasoning') outcome.reasoning += item.summary.map(({ text }) => text).join('')
    if (item.type === 'image_generation_call' && item.result) outcome.images++
    if (item.type === 'web_search_call') outcome.searches++
    if (item.type === 'function_call' || item.type === 'mcp_call')
      outcome.calls.push(`${item.name} ${item.arguments}`)
    if (item.type === 'custom_tool_call') outcome.calls.push(`${item.name} ${item.input}`)
  }
  const ended = response.incomplete_details?.reason ?? response.status
  return { ...outcome, text: response.output_text, ended, error: response.error?.message }
}

const openai: Client = {
  async plain(fetch) {
    return ofResponse(await new OpenAI({ apiKey, baseURL, fetch }).responses.create({ model, input: prompt }))
  },
  async streamed(fetch) {
    const stream = new OpenAI({ apiKey, baseURL, fetch }).responses.stream({ model, input: prompt })
    return ofResponse(await stream.finalResponse())
  },
}

const sdkTools = { search: sdkTool({ inputSchema: jsonSchema<{ q: string }>(parameters) }) }

const request = (fetch: typeof globalThis.fetch) => ({
  model: createOpenAI({ apiKey, baseURL, fetch }).responses(model),
  prompt,
  tools: sdkTools,
  maxRetries: 0,
})

const aiSdk: Client = {
  async plain(fetch) {
    const result = await generateText(request(fetch))
    return {
      text: result.text,
      reasoning: result.reasoningText,
      calls: result.toolCalls
        .filter(({ providerExecuted }) => !providerExecuted)
        .map(({ toolName, input }) => `${toolName} ${JSON.stringify(input)}`),
      ended: result.finishReason,
    }
  },
  async streamed(fetch) {
    let error: string | undefined
    const result = streamText({
      ...request(fetch),
      onError: (thrown) => {
        error = String((thrown.error as Error).message ?? thrown.error)
      },
    })
    await result.consumeStream()
    return {
      text: await result.text,
      reasoning: await result.reasoningText,
      calls: (await result.toolCalls)
        .filter(({ providerExecuted }) => !providerExecuted)
        .map(({ toolName, input }) => `${toolName} ${JSON.stringify(input)}`),
      ended: await result.finishReason,
      error,
    }
  },
}

function agent() {
  return new Agent({
    name: 'Reader',
    model,
    tools: [
      tool({
        name: 'search',
        description: 'Searches',
        parameters: { ...parameters, required: ['q'], additionalProperties: false },
        strict: true,
        execute: async () => 'found',
      }),
    ],
    toolUseBehavior: 'stop_on_first_tool',
  })
}

const runner = (fetch: Fetch) =>
  new Runner({
    tracingDisabled: true,
    modelProvider: new OpenAIProvider({
      openAIClient: new OpenAI({ apiKey, baseURL, fetch, maxRetries: 0 }) as never,
      useResponses: true,
    }),
  })

// biome-ignore lint/suspicious/noExplicitAny: items of a run are of many shapes
function ofItems(items: any[], finalOutput: unknown): Seen {
  const raw = items.map(({ rawItem }) => rawItem)
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const parts = raw.flatMap(({ content }: any) => (Array.isArray(content) ? content : []))
  return {
    text: parts.map(({ type, text }) => (type === 'output_text' ? text : '')).join(''),
    refusal: parts.map(({ refusal }) => refusal ?? '').join(''),
    reasoning: raw
      .filter(({ type }) => type === 'reasoning')
      .flatMap(({ content }) => content)
      .map(({ text }) => text)
      .join(''),
    calls: raw
      .filter(({ type }) => type === 'function_call')
      .map(({ name, arguments: given }) => `${name} ${given}`),
    images: raw.filter(({ name }) => name === 'image_generation_call').length,
    searches: raw.filter(({ name }) => name === 'web_search_call').length,
    ended: finalOutput === undefined ? undefined : 'output',
  }
}

const agents: Client = {
  async plain(fetch) {
    const result = await runner(fetch).run(agent(), prompt, { maxTurns: 1 })
    return ofItems(result.newItems, result.finalOutput)
  },
  async streamed(fetch) {
    const result = await runner(fetch).run(agent(), prompt, { maxTurns: 1, stream: true })
    for await (const _ of result);
    await result.completed
    return ofItems(result.newItems, result.finalOutput)
  },
}

const chat = (fetch: Fetch) =>
  new ChatOpenAI({ apiKey, model, configuration: { baseURL, fetch }, useResponsesApi: true, maxRetries: 0 })

// biome-ignore lint/suspicious/noExplicitAny: what is known of a message differs between the two
function ofMessage(message: any): Seen {
  const { reasoning, refusal, tool_outputs = [] } = message.additional_kwargs
  return {
    text: message.text,
    refusal,
    reasoning: (reasoning?.summary ?? []).map(({ text }: { text: string }) => text).join(''),
    calls: (message.tool_calls ?? []).map(
      ({ name, args }: { name: string; args: object }) => `${name} ${JSON.stringify(args)}`,
    ),
    images: tool_outputs.filter(({ type }: { type: string }) => type === 'image_generation_call').length,
    searches: tool_outputs.filter(({ type }: { type: string }) => type === 'web_search_call').length,
    ended: message.response_metadata.incomplete_details?.reason ?? message.response_metadata.status,
  }
}

const langChain: Client = {
  plain: async (fetch) => ofMessage(await chat(fetch).invoke(prompt)),
  async streamed(fetch) {
    let whole: Awaited<ReturnType<ChatOpenAI['invoke']>> | undefined
    for await (const chunk of await chat(fetch).stream(prompt))
      whole = whole ? (whole as never as { concat(other: unknown): never }).concat(chunk) : (chunk as never)
    return ofMessage(whole)
  },
}

const clients = { openai, 'AI SDK': aiSdk, '@openai/agents': agents, LangChain: langChain }

const call = (q: string) => ({ type: 'function_call' as const, name: 'search', arguments: { q } })
const rows: Record<string, Reply> = {
  'parts of a message': { output: [{ type: 'message', content: [{ text: 'One. ' }, { text: 'Two.' }] }] },
  refusal: { output: [{ type: 'message', content: [{ refusal: 'I would rather not.' }] }] },
  reasoning: {
    output: [
      { type: 'reasoning', summary: 'Light scatters.', encrypted_content: 'x9' },
      { type: 'message', content: 'Scattering.' },
    ],
  },
  image: { output: [{ type: 'image_generation_call', partial_images: ['aGk='] }], text: 'Here.' },
  'function calls': { output: [call('tides'), call('winds')] },
  'interleaved calls': { output: [call('tides'), call('winds')], interleave: true },
  'search, reasoning, text, call': {
    output: [
      { type: 'web_search_call', action: { query: 'sky' } },
      { type: 'reasoning', summary: 'Hm.' },
      { type: 'message', content: 'Let me look.' },
      call('sky'),
    ],
  },
  'all of them interleaved': {
    interleave: true,
    output: [
      { type: 'reasoning', summary: 'Hm.' },
      { type: 'web_search_call', action: { query: 'sky' } },
      { type: 'message', content: 'Let me look.' },
      call('sky'),
    ],
  },
  'custom tool call': { output: [{ type: 'custom_tool_call', name: 'search', input: 'tides' }] },
  'tools that the provider runs': {
    output: [
      { type: 'mcp_list_tools', server_label: 'sea', tools: [] },
      { type: 'mcp_call', name: 'search', server_label: 'sea', arguments: '{}', output: '7', error: null },
      { type: 'code_interpreter_call', code: '3+4', container_id: 'cntr_1', outputs: null },
      { type: 'file_search_call', queries: ['tides'], results: null },
    ],
    text: 'Seven.',
  },
  'incomplete: max_output_tokens': { text: 'So far', incompleteReason: 'max_output_tokens' },
  'incomplete: content_filter': { text: 'So far', incompleteReason: 'content_filter' },
  failed: { text: 'So far', error: { message: 'Broken' } },
  queued: { responseStatus: 'queued' },
  cancelled: { responseStatus: 'cancelled', text: 'So far' },
  'own id and usage': { text: 'Mine', id: 'resp_mine', usage: { input_tokens: 420, output_tokens: 7 } },
}

describe('reply as reported by each client', () => {
  it.each(Object.entries(rows))('%s', async (name, reply) => {
    const table: Record<string, unknown> = {}
    for (const [client, { plain, streamed }] of Object.entries(clients)) {
      for (const [form, ask] of Object.entries({ plain, streamed })) {
        const gateway = createGateway()
        gateway.use({ on: 'createResponse', reply })
        const fetch: Fetch = (...request) => gateway.fetch(...request)
        table[`${client}, ${form}`] = await ask(fetch).then(without, (error: Error) => ({
          throws: error.message.split('\n')[0]?.slice(0, 160),
        }))
        expect(gateway.journal.entries().filter(({ schemaViolation }) => schemaViolation)).toEqual([])
      }
    }
    const lines = Object.entries(table).map(([client, outcome]) => `${client}: ${JSON.stringify(outcome)}\n`)
    await expect(lines.join('')).toMatchFileSnapshot(`output-items/${name.replace(/\W+/g, '-')}.txt`)
  })
})
