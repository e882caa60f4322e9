/**
 * Tests POST /messages through the Anthropic client: plain, streamed, with tools, with thinking, and with
 * errors.
 */
import Anthropic from '@anthropic-ai/sdk'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createGateway, type Gateway } from '../../../src/index.ts'
import { type RunningServer, startServer } from '../../../src/serve.ts'
import { call } from '../../call.ts'

let server: RunningServer
let client: Anthropic
beforeAll(async () => {
  server = await startServer({ timeScale: 0 })
  client = new Anthropic({ apiKey: 'any', baseURL: `${server.url}/api`, maxRetries: 0 })
})
afterAll(() => server.close())

const clientOf = ({ fetch }: Gateway) =>
  new Anthropic({ apiKey: 'any', baseURL: 'https://gateway.example/api', fetch })

const model = 'aurora/dawn-2'
const ask = (content: string) => ({ model, max_tokens: 1000, messages: [{ role: 'user' as const, content }] })
const weather = {
  name: 'weather',
  input_schema: { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] },
}

/** Sends the question to POST /responses, for comparison. */
async function responseTo(input: string): Promise<{ output_text: string; usage: { input_tokens: number } }> {
  const response = await call(server, 'POST /responses', { body: { model, input } })
  const { output, usage } = response.body
  return { output_text: output[0].content[0].text, usage }
}

describe('POST /messages', () => {
  it('returns the same text and token counts as POST /responses', async () => {
    const question = 'How do tides work?'
    const { output_text, usage } = await responseTo(question)
    const message = await client.messages.create(ask(question))
    expect(message.content).toEqual([{ type: 'text', text: output_text, citations: null }])
    expect(message).toMatchObject({ role: 'assistant', stop_reason: 'end_turn' })
    expect(message.usage.input_tokens).toBe(usage.input_tokens)
  })

  it("replies to the last text after a reminder, and accepts a text block's fields", async () => {
    const gateway = createGateway()
    const reminder = { type: 'text', text: '<system-reminder>Be brief.</system-reminder>' }
    const asked = { type: 'text', text: 'How do tides work?', cache_control: { type: 'ephemeral' } }
    const send = (content: object[]) =>
      call(gateway, 'POST /messages', { body: { ...ask(''), messages: [{ role: 'user', content }] } })
    const [part] = (await send([reminder, { type: 'text', text: 'My file: a.ts' }, asked])).body.content
    expect(part.text).toContain('"How do tides work?"')
    expect(gateway.journal.last('createMessage')?.warnings).toEqual([])
    await send([asked, { type: 'container_upload', file_id: 'f' }])
    expect(gateway.journal.last('createMessage')?.warnings).toEqual([
      "Input of type 'container_upload' was counted, but does not affect the reply",
    ])
    const [result] = (await send([{ type: 'tool_result', tool_use_id: 't', content: 'Sunny' }, reminder]))
      .body.content
    expect(result.text).toContain('Sunny')
  })

  it('sends event names and a ping, but no [DONE]', async () => {
    const response = await fetch(`${server.baseUrl}/messages`, {
      method: 'POST',
      headers: { 'x-api-key': 'any', 'content-type': 'application/json' },
      body: JSON.stringify({ ...ask('Hello'), stream: true }),
    })
    const text = await response.text()
    expect(text).toMatch(/^event: message_start\ndata: \{"type":"message_start"/)
    expect(text).toContain('event: ping\ndata: {"type":"ping"}\n\n')
    expect(text).toMatch(/event: message_stop\ndata: \{"type":"message_stop"\}\n\n$/)
    expect(text).not.toContain('[DONE]')
  })

  it('calls a forced tool, with and without streaming, and uses its result', async () => {
    const request = {
      ...ask('What is the weather in Oslo?'),
      tools: [weather],
      tool_choice: { type: 'any' as const },
    }
    const plain = await client.messages.create(request)
    expect(plain.stop_reason).toBe('tool_use')
    const [use] = plain.content
    expect(use).toMatchObject({ type: 'tool_use', name: 'weather', input: { city: expect.any(String) } })
    const streamed = await client.messages.stream(request).finalMessage()
    expect(streamed.content[0]).toMatchObject({ input: use?.type === 'tool_use' && use.input })
    const next = await client.messages.create({
      ...request,
      tool_choice: { type: 'auto' },
      messages: [
        ...request.messages,
        { role: 'assistant', content: plain.content },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: use?.type === 'tool_use' ? use.id : '',
              content: 'Rain, 8 °C',
            },
          ],
        },
      ],
    })
    expect(next.content[0]).toMatchObject({ type: 'text', text: expect.stringContaining('Rain') })
  })

  it.each<[type: string, name?: string, input?: object]>([
    ['bash_20250124', 'bash', { command: 'ls' }],
    ['text_editor_20250728', 'str_replace_based_edit_tool', { command: 'view', path: '/' }],
    ['memory_20250818', 'memory', { command: 'view', path: '/memories' }],
    ['computer_20251124', 'computer', { action: 'screenshot' }],
    ['computer_toolset_20260801'],
  ])('calls the client tool %s if it is forced or scripted, without a warning', async (type, name, input) => {
    const gateway = createGateway()
    const send = async (fields: object) => {
      const body = { ...ask('Go'), tools: [weather, { type, name }], ...fields }
      const { content } = (await call(gateway, 'POST /messages', { body })).body
      return [content[0].type, content[0].input, gateway.journal.entries().at(-1)?.warnings]
    }
    expect(await send({})).toEqual(['text', undefined, []])
    if (!name) return
    const tool_choice = { type: 'tool', name }
    expect(await send({ tool_choice })).toEqual(['tool_use', input, []])
    gateway.script([{ expect: { tools: [name] }, call: { [name]: { command: 'x' } } }])
    expect(await send({ tool_choice })).toEqual(['tool_use', { command: 'x' }, []])
  })

  it('returns thinking on request, and stops at a stop sequence', async () => {
    const thought = await client.messages.create({
      ...ask('Why is the sky blue?'),
      max_tokens: 4000,
      thinking: { type: 'enabled', budget_tokens: 1024 },
    })
    expect(thought.content.map(({ type }) => type)).toEqual(['thinking', 'text'])
    const whole = await client.messages.create(ask('How do tides work?'))
    const text = whole.content[0]?.type === 'text' ? whole.content[0].text : ''
    const word = text.split(' ')[4] as string
    const stopped = await client.messages.create({ ...ask('How do tides work?'), stop_sequences: [word] })
    expect(stopped).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: word })
    expect(stopped.content[0]).toMatchObject({ text: text.slice(0, text.indexOf(word)) })
    const later = text.split(' ')[8] as string
    const stop_sequences = [later, '', word, later]
    const earliest = await client.messages.create({ ...ask('How do tides work?'), stop_sequences })
    expect(earliest).toMatchObject({ stop_sequence: word })
  })

  it('ends with the block that contains the stop sequence, and charges for what precedes it', async () => {
    const gateway = createGateway()
    gateway.use({
      on: 'createMessage',
      reply: {
        output: [
          { type: 'message', content: 'one two END three' },
          { type: 'message', content: 'four' },
          { type: 'function_call', name: 'weather', arguments: {} },
        ],
      },
    })
    const body = { ...ask('Hello'), stop_sequences: ['END'] }
    const reply = (await call(gateway, 'POST /messages', { body })).body
    expect(reply).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: 'END' })
    expect(reply.content).toEqual([{ type: 'text', text: 'one two ', citations: null }])
    expect([reply.usage.output_tokens, gateway.usage().outputTokens]).toEqual([3, 3])
  })

  it('returns JSON for a schema in output_config.format or output_format', async () => {
    const gateway = createGateway()
    const format = (name: string) => ({ type: 'json_schema', schema: { const: { from: name } } })
    const textFor = async (fields: object) => {
      const { body } = await call(gateway, 'POST /messages', { body: { ...ask('Hello'), ...fields } })
      return body.content?.[0].text ?? body.error.message.split(':')[0]
    }
    const [older, newer] = [
      { output_format: format('older') },
      { output_config: { format: format('newer') } },
    ]
    expect(await textFor(older)).toBe('{"from":"older"}')
    expect(await textFor(newer)).toBe('{"from":"newer"}')
    expect(await textFor({ ...older, ...newer })).toBe('{"from":"newer"}')
    const invalid = { type: 'json_schema', schema: { type: 'no-such-type' } }
    expect(await textFor({ output_format: invalid })).toBe('output_format.schema')
    expect(await textFor({ output_config: { format: invalid } })).toBe('output_config.format.schema')
  })

  it('cites search results', async () => {
    const message = await client.messages.create({
      ...ask('How do tides work?'),
      tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 3 }],
    })
    const [use, , block] = message.content
    expect(use).toMatchObject({ type: 'server_tool_use', input: { query: 'tides work' } })
    expect(message.usage.server_tool_use).toEqual({ web_search_requests: 1, web_fetch_requests: 0 })
    const citations = block?.type === 'text' ? block.citations : null
    expect(citations?.length).toBeGreaterThan(0)
    expect(citations?.[0]).toMatchObject({
      type: 'web_search_result_location',
      url: expect.stringMatching(/^https:/),
    })
  })

  it("sends all errors, including those caused by faults, in the Anthropic API's envelope", async () => {
    const rejected = client.messages.create({ ...ask('Hello'), model: '' })
    await expect(rejected).rejects.toMatchObject({
      status: 400,
      error: { type: 'error', error: { type: 'invalid_request_error', message: expect.any(String) } },
    })
    const notFound = { error: { type: 'error', error: { type: 'not_found_error' } }, status: 404 }
    await expect(client.get('/v1/nowhere')).rejects.toMatchObject(notFound)
    await expect(client.models.retrieve('none/none')).rejects.toMatchObject(notFound)
    const sandbox = server.gateway.createSandbox()
    sandbox.use({ on: 'createMessage', fault: { name: 'status', status: 529 } })
    const sandboxClient = new Anthropic({
      authToken: sandbox.apiKey,
      apiKey: null,
      baseURL: `${server.url}/api`,
      maxRetries: 0,
    })
    await expect(sandboxClient.messages.create(ask('Hello'))).rejects.toMatchObject({
      status: 529,
      error: { error: { type: 'overloaded_error' } },
    })
  })
})

it('replies to the Anthropic client have the id that it reads', async () => {
  const id = expect.stringMatching(/^req_/)
  const { journal } = server.gateway
  const { _request_id } = await client.messages.create(ask('Hello'))
  expect(_request_id).toBe(journal.last('createMessage')?.id)
  const counted = await client.messages.countTokens({ model, messages: ask('Hello').messages })
  expect(counted).toMatchObject({ _request_id: journal.last('countMessageTokens')?.id })
  await expect(client.messages.create({ ...ask('Hello'), model: '' })).rejects.toMatchObject({
    requestID: id,
  })
  await expect(client.get('/v1/nowhere')).rejects.toMatchObject({ requestID: id })
})

describe('POST /messages/count_tokens', () => {
  it.each([
    ['a question', {}],
    [
      'instructions and history',
      {
        system: 'Be brief.',
        messages: [...ask('One').messages, { role: 'assistant', content: 'Two' }, ...ask('Three').messages],
      },
    ],
  ] as const)('counts %s as the usage of a message does', async (_title, fields) => {
    const request = { ...ask('Why is the sky blue?'), ...fields } as Anthropic.MessageCreateParamsNonStreaming
    const { max_tokens: _, ...counted } = request
    const { usage } = await client.messages.create(request)
    expect(await client.messages.countTokens(counted)).toEqual({ input_tokens: usage.input_tokens })
  })

  it("rejects in the Anthropic API's envelope", async () => {
    const rejected = client.messages.countTokens({ model, messages: [] })
    await expect(rejected).rejects.toMatchObject({ status: 400, error: { type: 'error' } })
    const tools = [{ type: 'function', function: { name: 'f' } }] as never
    const message = "tools[0].type: 'function' is for POST /chat/completions; write { name, input_schema }"
    const { messages } = ask('Hello')
    await expect(client.messages.countTokens({ model, messages, tools })).rejects.toThrow(message)
  })
})

describe('POST /messages with a scripted reply', () => {
  const request = { model, max_tokens: 100, messages: [{ role: 'user' as const, content: 'Hello' }] }

  it('maps a refusal to stop_reason, and reasoning to thinking', async () => {
    using _rule = server.gateway.use({
      on: 'createMessage',
      reply: {
        output: [
          { type: 'reasoning', summary: 'Hm.' },
          { type: 'message', content: [{ refusal: 'I would rather not.' }] },
        ],
      },
    })
    for (const message of [
      await client.messages.create(request),
      await client.messages.stream(request).finalMessage(),
    ]) {
      expect(message.stop_reason).toBe('refusal')
      expect(message.content).toMatchObject([
        { type: 'thinking', thinking: 'Hm.' },
        { type: 'text', text: 'I would rather not.' },
      ])
    }
  })

  it('shows encrypted and signed reasoning and searches, and warns of what it cannot show', async () => {
    const gateway = createGateway()
    const cited = {
      type: 'url_citation' as const,
      url: 'https://a.example/',
      title: 'A',
      start_index: 0,
      end_index: 4,
    }
    gateway.reply({
      output: [
        { type: 'reasoning', encrypted_content: 'QUJD' },
        { type: 'reasoning', content: 'Hm.', summary: 'In short.', signature: 'c2ln' },
        { type: 'web_search_call', status: 'failed', action: { query: 'tide' } },
        {
          type: 'web_search_call',
          action: { type: 'search', query: 'tides', sources: [{ type: 'url', url: 'https://b.example/' }] },
        },
        { type: 'message', phase: 'final_answer', content: [{ text: 'High tide', annotations: [cited] }] },
        { type: 'web_search_call', action: { type: 'open_page', url: 'https://b.example/' } },
        { type: 'image_generation_call', result: 'aW1n' },
      ],
    })
    const client = clientOf(gateway)
    const [failed, found] = [expect.stringMatching(/^srvtoolu_/), expect.stringMatching(/^srvtoolu_/)]
    const caller = { type: 'direct' }
    const page = { type: 'web_search_result', page_age: null, encrypted_content: expect.any(String) }
    const pages = [
      { ...page, url: 'https://a.example/', title: 'A' },
      { ...page, url: 'https://b.example/', title: 'https://b.example/' },
    ]
    const error = { type: 'web_search_tool_result_error', error_code: 'unavailable' }
    for (const message of [
      await client.messages.create(request),
      await client.messages.stream(request).finalMessage(),
    ]) {
      expect(message.content).toEqual([
        { type: 'redacted_thinking', data: 'QUJD' },
        { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
        { type: 'thinking', thinking: 'In short.', signature: 'c2ln' },
        { type: 'server_tool_use', id: failed, name: 'web_search', input: { query: 'tide' }, caller },
        { type: 'web_search_tool_result', tool_use_id: failed, content: error, caller },
        { type: 'server_tool_use', id: found, name: 'web_search', input: { query: 'tides' }, caller },
        { type: 'web_search_tool_result', tool_use_id: found, content: pages, caller },
        { type: 'text', text: 'High tide', citations: [expect.objectContaining({ cited_text: 'High' })] },
      ])
      expect(message.usage.server_tool_use).toEqual({ web_search_requests: 2, web_fetch_requests: 0 })
      const messages = [...request.messages, message, ...request.messages]
      await client.messages.create({
        ...request,
        messages: messages.map(({ role, content }) => ({ role, content })),
      })
      expect(gateway.journal.last('createMessage')?.warnings).toEqual([
        expect.stringMatching(/: message.phase, web_search_call.action.url, image_generation_call$/),
      ])
    }
  })
})

it("refuses the threads of the client's tool runner, which then sends the whole conversation", async () => {
  const gateway = createGateway({ strict: true })
  const client = clientOf(gateway)
  const messages = [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'Rain' }] }]
  const thread = { type: 'continue', previous_message_id: 'msg_1' }
  const { error } = (await call(gateway, 'POST /messages', { body: { ...ask(''), messages, thread } })).body
  expect(error.details.error_code).toBe('thread_unsupported_request')
  const counted = await call(gateway, 'POST /messages/count_tokens', { body: { ...ask('Oslo?'), thread } })
  expect(counted.body.error.details.error_code).toBe('thread_unsupported_request')
  gateway.script([
    { call: { weather: { city: 'Oslo' } } },
    { expect: { result: { weather: 'Rain' } }, text: 'It rains.' },
  ])
  const tools = [{ ...weather, description: 'w', run: () => 'Rain', parse: () => ({}) }]
  expect((await client.beta.messages.toolRunner({ ...ask('Oslo?'), tools })).content).toMatchObject([
    { text: 'It rains.' },
  ])
  expect(gateway.journal.entries().map(({ status }) => status)).toEqual([400, 400, 400, 200, 200])
})

it('replies with scripted events, which the Anthropic client reads', async () => {
  const frames = [
    {
      type: 'message_start',
      message: { id: 'msg_1', type: 'message', role: 'assistant', content: [], usage: {} },
    },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Tides' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
    { type: 'message_stop' },
  ].map((event) => ({ event }))
  using _rule = server.gateway.reply({ frames })
  expect(await client.messages.stream(ask('x')).finalText()).toBe('Tides')
})
