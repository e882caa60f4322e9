/**
 * Tests POST /chat/completions through published clients: plain, streamed, with tools, and with structured
 * output.
 */
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createGateway, type Gateway } from '../../../src/index.ts'
import type { Rule } from '../../../src/scenarios/scenario.ts'
import { type RunningServer, startServer } from '../../../src/serve.ts'
import { call } from '../../call.ts'

let server: RunningServer
let client: OpenAI
beforeAll(async () => {
  server = await startServer({ timeScale: 0 })
  client = new OpenAI({ apiKey: 'any', baseURL: server.baseUrl, maxRetries: 0 })
})
afterAll(() => server.close())

const model = 'aurora/dawn-2'
const ask = (content: string) => [{ role: 'user' as const, content }]
const weather = {
  type: 'function' as const,
  function: {
    name: 'weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}

describe('scripted chat completions', () => {
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    event: {
      id: 'gen-1',
      object: 'chat.completion.chunk',
      created: 1,
      model,
      choices: [{ index: 0, delta, finish_reason }],
    },
  })

  it('can be a list of chunks', async () => {
    const started = {
      index: 0,
      id: 'call_1',
      type: 'function',
      function: { name: 'ls', arguments: '{"all":' },
    }
    const frames = [
      chunk({ role: 'assistant', tool_calls: [started] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: 'true}' } }] }),
      chunk({}, 'tool_calls'),
      { done: true as const },
    ]
    using _rule = server.gateway.reply({ frames })
    const { choices } = await client.chat.completions
      .stream({ model, messages: ask('x') })
      .finalChatCompletion()
    expect(choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { tool_calls: [{ function: { name: 'ls', arguments: '{"all":true}' } }] },
    })
  })

  it("can have a 200 with the finish reason 'error', which the client does not throw", async () => {
    using _rule = server.gateway.reply({ text: 'Tides', responseStatus: 'failed', status: 200 })
    const { choices } = await client.chat.completions.create({ model, messages: ask('x') })
    expect(choices).toMatchObject([
      {
        message: { content: 'Tides' },
        finish_reason: 'error',
        error: { code: 502, message: 'The model failed to generate a response' },
      },
    ])
    const text = await client.completions.create({ model, prompt: 'x' })
    expect(text.choices).toMatchObject([{ text: 'Tides', finish_reason: 'error' }])
    server.gateway.reply({ responseStatus: 'failed' }, { times: 1 })
    await expect(client.chat.completions.create({ model, messages: ask('x') })).rejects.toThrow('502')
  })
})

describe('POST /chat/completions', () => {
  it('returns the same text, tokens and citations as POST /responses, marked as an extension', async () => {
    const question = 'How do tides work?'
    const response = await client.responses.create({ model: `${model}:online`, input: question })
    const { data: completion, response: raw } = await client.chat.completions
      .create({ model: `${model}:online`, messages: ask(question) })
      .withResponse()
    const [choice] = completion.choices
    expect(choice?.message.content).toBe(response.output_text)
    expect(completion.usage).toMatchObject({
      prompt_tokens: response.usage?.input_tokens,
      completion_tokens: response.usage?.output_tokens,
    })
    for (const { url_citation } of choice?.message.annotations ?? []) {
      const cited = choice?.message.content?.slice(url_citation.start_index, url_citation.end_index)
      expect(cited).toContain(url_citation.url)
    }
    expect(choice?.message.annotations?.length).toBeGreaterThan(0)
    expect(raw.headers.get('x-understudy-assumptions')).toContain('extension')
  })

  it('returns several different choices with logprobs', async () => {
    const completion = await client.chat.completions.create({
      model,
      messages: ask('Tell me about foxes'),
      n: 3,
      logprobs: true,
      top_logprobs: 2,
    })
    const texts = completion.choices.map(({ message }) => message.content)
    expect(new Set(texts).size).toBe(3)
    for (const { message, logprobs } of completion.choices) {
      expect(logprobs?.content?.map(({ token }) => token).join('')).toBe(message.content)
      expect(
        logprobs?.content?.every(({ logprob, top_logprobs }) => logprob <= 0 && top_logprobs.length === 2),
      ).toBe(true)
    }
  })

  it('stops at a stop sequence and at max_completion_tokens', async () => {
    const whole = await client.chat.completions.create({ model, messages: ask('How do tides work?') })
    const text = whole.choices[0]?.message.content ?? ''
    const word = text.split(' ')[3] as string
    const stopped = await client.chat.completions.create({
      model,
      messages: ask('How do tides work?'),
      stop: word,
    })
    expect(stopped.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { content: text.slice(0, text.indexOf(word)) },
    })
    const cut = await client.chat.completions.create({
      model,
      messages: ask('How do tides work?'),
      max_completion_tokens: 3,
    })
    expect(cut.choices[0]?.finish_reason).toBe('length')
    expect(cut.usage?.completion_tokens).toBe(3)
  })

  it('generates nothing after a stop sequence, neither text nor calls, and charges nothing for it', async () => {
    const gateway = createGateway()
    gateway.use({
      on: 'createChatCompletion',
      reply: {
        output: [
          { type: 'reasoning', summary: 'Hm.' },
          { type: 'message', content: 'one two END three four' },
          { type: 'function_call', name: 'weather', arguments: {} },
        ],
      },
    })
    const body = { model, messages: ask('Hello'), stop: 'END' }
    const { choices, usage } = (await call(gateway, 'POST /chat/completions', { body })).body
    expect(choices[0].message).toMatchObject({ content: 'one two ', reasoning: 'Hm.' })
    expect(choices[0].message.tool_calls).toBeUndefined()
    const [thought, text] = [2, 3]
    expect(usage.completion_tokens).toBe(thought + text)
    expect(gateway.usage().outputTokens).toBe(thought + text)
  })

  it('calls an allowed tool while it is forced, also after its own result', async () => {
    const functions = ['look', 'hear'].map((name) => ({ type: 'function' as const, function: { name } }))
    const called = async (mode: 'auto' | 'required') => {
      const completion = await client.chat.completions.create({
        model,
        messages: [
          ...ask('Hello'),
          {
            role: 'assistant',
            tool_calls: [{ id: 'c', type: 'function', function: { name: 'hear', arguments: '{}' } }],
          },
          { role: 'tool', tool_call_id: 'c', content: 'Waves' },
        ],
        tools: functions,
        tool_choice: { type: 'allowed_tools', allowed_tools: { mode, tools: functions.slice(1) } } as never,
      })
      return completion.choices[0]?.message.tool_calls?.map(
        (each) => 'function' in each && each.function.name,
      )
    }
    expect([await called('required'), await called('auto')]).toEqual([['hear'], undefined])
  })

  it('responds with 400 and the paths of invalid fields', async () => {
    const rejected = client.chat.completions.create({ model: '', messages: [{ role: 'x' }] } as never)
    await expect(rejected).rejects.toMatchObject({ status: 400 })
    const journal = server.gateway.journal.last('createChatCompletion' as never)
    expect(journal?.responseBody.text).toContain('body.messages[0]')
    expect(journal?.responseBody.text).toContain('body.model')
    const schema = { type: 'object', required: ['a'], properties: { a: false } }
    const impossible = client.chat.completions.create({
      model,
      messages: ask('Hello'),
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema } },
    })
    await expect(impossible).rejects.toMatchObject({
      error: { metadata: { violations: [{ path: 'body.response_format.json_schema.schema' }] } },
    })
  })
})

describe('POST /chat/completions with functions, the format before tools', () => {
  const functions = [{ name: 'time' }, weather.function]
  const forced = { model, functions, function_call: { name: 'weather' }, messages: ask('Oslo?') }

  it('calls a forced function, plain and streamed, also after its own result', async () => {
    const { choices } = await client.chat.completions.create(forced)
    const { message, finish_reason } = choices[0] as OpenAI.Chat.ChatCompletion.Choice
    expect(finish_reason).toBe('function_call')
    expect(message.tool_calls).toBeUndefined()
    const called = message.function_call
    expect([called?.name, JSON.parse(called?.arguments ?? '')]).toEqual([
      'weather',
      { city: expect.any(String) },
    ])
    const streamed = await client.chat.completions.stream(forced).finalChatCompletion()
    expect(streamed.choices[0]).toMatchObject({ finish_reason, message: { function_call: called } })
    const messages = [
      ...ask('Oslo?'),
      message,
      { role: 'function' as const, name: 'weather', content: 'Rain' },
    ]
    const again = await client.chat.completions.create({ ...forced, messages })
    expect(again.choices[0]?.message.function_call?.name).toBe('weather')
    const { choices: next } = await client.chat.completions.create({ model, functions, messages })
    expect(next[0]).toMatchObject({
      finish_reason: 'stop',
      message: { content: expect.stringContaining('Rain') },
    })
  })

  it('follows a script, and rejects a function that is not offered', async () => {
    const gateway = createGateway()
    gateway.script([
      { expect: { tools: ['weather'] }, call: { weather: { city: 'Oslo' } } },
      { expect: { result: { weather: 'Rain' } }, text: 'Take an umbrella.' },
    ])
    const body = { model, functions, messages: ask('Oslo?') as object[] }
    const first = (await call(gateway, 'POST /chat/completions', { body })).body.choices[0].message
    expect(first.function_call).toEqual({ name: 'weather', arguments: '{"city":"Oslo"}' })
    body.messages.push(first, { role: 'function', name: 'weather', content: 'Rain, 8 °C' })
    const second = (await call(gateway, 'POST /chat/completions', { body })).body
    expect(second.choices[0].message.content).toBe('Take an umbrella.')
    expect(gateway.journal.entries().flatMap(({ warnings }) => warnings)).toEqual([])
    const wrong = await call(createGateway(), 'POST /chat/completions', {
      body: { ...forced, function_call: { name: 'x' } },
    })
    expect(wrong.body.error.message).toBe('function_call.name: must name one of the functions')
  })
})

describe('POST /chat/completions with a scripted reply', () => {
  async function both(reply: Rule['reply']) {
    using _rule = server.gateway.use({ on: 'createChatCompletion', reply })
    const request = { model, messages: ask('Hello') }
    const plain = await client.chat.completions.create(request)
    const stream = client.chat.completions.stream(request)
    return [plain, await stream.finalChatCompletion()] as const
  }

  it('returns a refusal as message.refusal', async () => {
    const [plain, streamed] = await both({
      output: [{ type: 'message', content: [{ refusal: 'I would rather not.' }] }],
    })
    for (const { choices } of [plain, streamed]) {
      expect(choices[0]?.message.refusal).toBe('I would rather not.')
      expect(choices[0]?.message.content ?? '').toBe('')
      expect(choices[0]?.finish_reason).toBe('stop')
    }
  })

  it('returns reasoning in addition to the text', async () => {
    using _rule = server.gateway.use({
      on: 'createChatCompletion',
      reply: { output: [{ type: 'reasoning', summary: 'Thinking.' }], text: 'Done.', id: 'gen-mine' },
    })
    const request = { model, messages: ask('Hello') }
    const { id, choices } = await client.chat.completions.create(request)
    expect(id).toBe('gen-mine')
    expect(choices[0]?.message).toMatchObject({ content: 'Done.', reasoning: 'Thinking.' })
    let reasoning = ''
    for await (const { choices } of await client.chat.completions.create({ ...request, stream: true }))
      reasoning += (choices[0]?.delta as { reasoning?: string } | undefined)?.reasoning ?? ''
    expect(reasoning).toBe('Thinking.')
  })

  it.each<[string, object, object[]]>([
    [
      'openai/gpt-5-mini',
      { id: 'rs_1', summary: ['One.', 'Two.'], encrypted_content: 'QUJD' },
      [
        { type: 'reasoning.summary', summary: 'One.\n\nTwo.', format: 'openai-responses-v1', index: 0 },
        { type: 'reasoning.encrypted', data: 'QUJD', id: 'rs_1', format: 'openai-responses-v1', index: 0 },
      ],
    ],
    [
      'anthropic/claude-sonnet-4.5',
      { content: ['Hm.'], signature: 'c2ln' },
      [{ type: 'reasoning.text', text: 'Hm.', signature: 'c2ln', format: 'anthropic-claude-v1', index: 0 }],
    ],
    [
      'google/gemini-3-flash',
      { signature: 'c2ln' },
      [{ type: 'reasoning.text', signature: 'c2ln', format: 'google-gemini-v1', index: 0 }],
    ],
    [
      model,
      { id: 'rs_1', encrypted_content: 'QUJD', format: 'xai-responses-v1' },
      [{ type: 'reasoning.encrypted', data: 'QUJD', id: 'rs_1', format: 'xai-responses-v1', index: 0 }],
    ],
    [
      model,
      { summary: 'Hm.' },
      [{ type: 'reasoning.text', text: 'Hm.', signature: null, format: 'unknown', index: 0 }],
    ],
  ])('returns the details of reasoning by %s: %j', async (name, item, details) => {
    const gateway = createGateway()
    gateway.reply({ output: [{ type: 'reasoning', ...item }], text: 'Done.' })
    const { message, pieces } = await messageOf(gateway, name)
    expect(message.reasoning_details).toEqual(details)
    const text = details
      .map((each) => ('summary' in each ? each.summary : 'text' in each ? each.text : ''))
      .join('')
    expect(message.reasoning).toBe(text || null)
    const streamed = pieces.flatMap((delta) => delta['reasoning_details'] ?? []) as Record<string, unknown>[]
    const joined = (field: string) => streamed.map((each) => each[field] ?? '').join('')
    for (const detail of details)
      for (const field of ['text', 'summary', 'signature', 'data'].filter((each) => each in detail))
        expect(joined(field)).toBe(String((detail as Record<string, unknown>)[field] ?? ''))
    expect(pieces.map(({ reasoning }) => reasoning ?? '').join('')).toBe(text)
    expect(
      gateway.journal.entries().flatMap(({ warnings }) => warnings.filter((each) => /show/.test(each))),
    ).toEqual([])
  })

  it('returns images, and warns of items and fields that it cannot show', async () => {
    const gateway = createGateway()
    gateway.reply({
      output: [
        { type: 'image_generation_call', result: 'aW1n', output_format: 'webp', size: '1x1' },
        { type: 'web_search_call', action: { query: 'tides' } },
        { type: 'function_call', name: 'look', arguments: {}, caller: { type: 'program' } },
        { type: 'message', phase: 'final_answer', content: [{ text: 'Here.', annotations: [] }] },
      ],
    })
    const { message, pieces } = await messageOf(gateway, model)
    const image = { type: 'image_url', image_url: { url: 'data:image/webp;base64,aW1n' }, index: 0 }
    expect(message.images).toEqual([image])
    expect(pieces).toContainEqual({ images: [image] })
    expect(gateway.journal.last('createChatCompletion')?.warnings).toContain(
      'the reply cannot show these parts of the scripted output: image_generation_call.size, web_search_call, function_call.caller, message.phase',
    )
  })

  it.each([
    ['an item', { output: [{ type: 'custom_tool_call', call_id: 'c1', name: 'patch', input: 'a b' }] }],
    [
      'a call',
      { output: [{ type: 'function_call', call_id: 'c1', name: 'patch', arguments: { input: 'a b' } }] },
    ],
  ])('returns calls of custom tools that %s scripts, and reads them in the history', async (_, reply) => {
    const gateway = createGateway({ strict: true })
    gateway.reply(reply)
    const tools = [{ type: 'custom', custom: { name: 'patch', format: { type: 'text' } } }]
    const { message, pieces } = await messageOf(gateway, model, { tools })
    const called = { id: 'c1', type: 'custom', custom: { name: 'patch', input: 'a b' } }
    expect(message.tool_calls).toEqual([called])
    expect(pieces.flatMap(({ tool_calls }) => tool_calls ?? [])).toEqual([
      { ...called, index: 0, custom: { name: 'patch', input: '' } },
      { index: 0, custom: { input: 'a' } },
      { index: 0, custom: { input: ' b' } },
    ])
    expect(gateway.journal.entries().flatMap(({ warnings }) => warnings)).toEqual([])

    gateway.reset()
    gateway.script([{ call: { patch: 'a b' } }, { expect: { result: { patch: 'Done' } }, text: 'Patched.' }])
    const first = await messageOf(gateway, model, { tools })
    expect(first.message.tool_calls).toMatchObject([{ custom: called.custom }])
    const { id } = first.message.tool_calls[0]
    const result = { role: 'tool', tool_call_id: id, content: 'Done' }
    const messages = [...ask('Hello'), { content: null, ...first.message }, result]
    const next = await call(gateway, 'POST /chat/completions', { body: { model, messages, tools } })
    expect(next.body.choices[0].message.content).toBe('Patched.')
    const [sent] = first.message.tool_calls
    const invalid = [
      { ...sent, type: 'other' },
      { ...sent, custom: { name: 'patch' } },
    ]
    for (const each of invalid) {
      const history = [...ask('Hello'), { role: 'assistant', tool_calls: [each] }]
      const body = { model, messages: history }
      expect((await call(gateway, 'POST /chat/completions', { body })).status).toBe(400)
    }
  })

  it.each([
    [{ usage: { include: true } }, 1],
    [{ usage: { include: false } }, 0],
    [{ stream_options: { include_usage: true } }, 1],
  ])('with %j, streams the usage in %i chunks', async (fields, count) => {
    const gateway = createGateway({ strict: true })
    const body = { model, messages: ask('Hello'), stream: true, ...fields }
    const { text } = await call(gateway, 'POST /chat/completions', { body })
    expect(text.match(/"choices":\[\],"usage":/g) ?? []).toHaveLength(count)
    expect(gateway.journal.last('createChatCompletion')?.warnings).toEqual([])
  })

  it('knows the fields of each tool choice', async () => {
    const gateway = createGateway({ strict: true })
    const patch = { type: 'custom', custom: { name: 'patch' } }
    const allowed = { mode: 'required', tools: [weather] }
    const statusOf = async (tool_choice: object) => {
      const body = { model, messages: ask('Hello'), tools: [weather, patch], tool_choice }
      return (await call(gateway, 'POST /chat/completions', { body })).status
    }
    expect(await statusOf({ type: 'allowed_tools', allowed_tools: allowed })).toBe(200)
    expect(gateway.journal.last('createChatCompletion')?.warnings).toEqual([])
    expect(await statusOf({ type: 'allowed_tools', allowed_tool: allowed })).toBe(400)
    expect(await statusOf({ type: 'function', function: {} })).toBe(400)
    gateway.reply('Done.')
    expect(await statusOf(patch)).toBe(200)
  })

  /** Returns a reply's message, and the deltas of the same reply as a stream. */
  async function messageOf(gateway: Gateway, name: string, fields: object = {}) {
    const body = { model: name, messages: ask('Hello'), ...fields }
    const { choices } = (await call(gateway, 'POST /chat/completions', { body })).body
    const { text } = await call(gateway, 'POST /chat/completions', { body: { ...body, stream: true } })
    const events = [...text.matchAll(/^data: (\{.*)/gm)].map(([, json]) => JSON.parse(String(json)))
    const pieces = events.flatMap((event) => event.choices.map(({ delta }: { delta: object }) => delta))
    return { message: choices[0].message, pieces: pieces as Record<string, unknown>[] }
  }

  it('returns the reason for an incomplete reply as finish_reason', async () => {
    for (const [incompleteReason, finish] of [
      ['content_filter', 'content_filter'],
      ['max_output_tokens', 'length'],
    ] as const) {
      const pair = await both({ text: 'So far', incompleteReason })
      expect(pair.map(({ choices }) => choices[0]?.finish_reason)).toEqual([finish, finish])
    }
  })
})

describe('POST /chat/completions with fallback models', () => {
  const models = ['aurora/dawn-2', '@preset/nobody', 'borealis/polar-1']

  it('tries the models in order until one succeeds', async () => {
    const gateway = createGateway()
    const baseURL = 'https://gateway.example/api/v1'
    const sandboxClient = new OpenAI({ apiKey: 'any', baseURL, fetch: gateway.fetch, maxRetries: 0 })
    gateway.use({
      on: 'createChatCompletion',
      when: { model: 'aurora/*' },
      fault: { name: 'status', status: 529 },
    })
    const request = { model: 'aurora/sol-1', models, messages: ask('Hello') }
    const completion = await sandboxClient.chat.completions.create(request as never)
    expect(completion).toMatchObject({ model: 'borealis/polar-1', choices: [{ finish_reason: 'stop' }] })
    const alone = await sandboxClient.chat.completions.create({
      model: 'borealis/polar-1',
      messages: ask('Hello'),
    })
    expect(completion.choices[0]?.message).toEqual(alone.choices[0]?.message)

    const [entry] = gateway.journal.entries()
    expect(entry?.body).toEqual(request)
    expect(entry?.nearMisses[0]?.reason).toContain('does not match the model that replied')
    expect(entry?.warnings).toEqual([
      "'aurora/sol-1' returned 529, so 'aurora/dawn-2' was tried instead",
      "'aurora/dawn-2' returned 529, so '@preset/nobody' was tried instead",
      "'@preset/nobody' returned 404, so 'borealis/polar-1' was tried instead",
    ])
    expect(Object.keys(gateway.usage().models)).toEqual(['borealis/polar-1'])
    const stream = await sandboxClient.chat.completions.create({ ...request, stream: true } as never)
    for await (const chunk of stream as never as AsyncIterable<{ model: string }>)
      expect(chunk.model).toBe('borealis/polar-1')
  })

  it('tries no model if the request is invalid', async () => {
    const gateway = createGateway()
    const body = { models, temperature: 'hot', messages: ask('Hello') }
    expect((await call(gateway, 'POST /chat/completions', { body })).status).toBe(400)
    const tools = [{ type: 'function', function: { name: 'look' } }]
    const choice = { models, messages: ask('Hello'), tools, tool_choice: { type: 'mcp' } }
    expect((await call(gateway, 'POST /chat/completions', { body: choice })).status).toBe(400)
    expect(gateway.journal.entries().flatMap((entry) => entry.warnings)).toEqual([])
  })

  it('tries the next model if `strict` rejects one that is not listed', async () => {
    const gateway = createGateway({ strict: true, models: ['aurora/*'] })
    const body = { models: ['borealis/polar-1', 'aurora/dawn-2'], messages: ask('Hello') }
    expect((await call(gateway, 'POST /chat/completions', { body })).body.model).toBe('aurora/dawn-2')
  })

  it('returns the error of the last model if all fail', async () => {
    const sandbox = server.gateway.createSandbox()
    const sandboxClient = new OpenAI({ apiKey: sandbox.apiKey, baseURL: server.baseUrl, maxRetries: 0 })
    sandbox.fail(503, { times: 2 })
    sandbox.fail(529)
    await expect(
      sandboxClient.chat.completions.create({ models, messages: ask('Hello') } as never),
    ).rejects.toMatchObject({ status: 529 })
  })
})

it.each([
  [{ tools: [weather] }, 'toolShape'],
  [{ max_tokens: 5 }, 'tokens'],
  [{ max_tokens: 5 }, 'responseStatus'],
  [{ reasoning_effort: 'low' }, 'reasoning'],
  [{ model: '@preset/code-review' }, 'presetModel'],
])('POST /chat/completions with %j reports the assumption %s', async (body, name) => {
  const request = { model, messages: ask('Hello'), ...body }
  const { response } = await client.chat.completions.create(request as never).withResponse()
  expect(response.headers.get('x-understudy-assumptions')?.split(', ')).toContain(name)
})
