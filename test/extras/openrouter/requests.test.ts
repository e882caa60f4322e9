/**
 * Tests requests that OpenRouter clients send: all input types, plugins, fallback models and the vendor's
 * fields.
 */
import type OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { createGateway, type Gateway } from '../../../src/index.ts'
import { call } from '../../call.ts'
import { hasExtra } from '../../has-extra.ts'

type InputItem = OpenAI.Responses.ResponseInputItem

const model = 'aurora/dawn-2'
const question = { role: 'user', content: 'How do tides work?' } as const

const items: InputItem[] = [
  {
    type: 'shell_call',
    call_id: 'c2',
    action: { commands: ['ls'], max_output_length: null, timeout_ms: null },
  },
  {
    type: 'shell_call_output',
    call_id: 'c2',
    output: [{ stdout: 'secret.txt', stderr: '', outcome: { type: 'exit', exit_code: 0 } }],
  },
  {
    type: 'apply_patch_call',
    call_id: 'c3',
    status: 'completed',
    operation: { type: 'delete_file', path: 'secret.txt' },
  },
  { type: 'apply_patch_call_output', call_id: 'c3', status: 'completed' },
  {
    type: 'computer_call',
    id: 'i4',
    call_id: 'c4',
    status: 'completed',
    action: { type: 'screenshot' },
    pending_safety_checks: [],
  },
  {
    type: 'computer_call_output',
    call_id: 'c4',
    output: { type: 'computer_screenshot', image_url: `data:image/png;base64,${'A'.repeat(5000)}` },
  },
  { type: 'mcp_list_tools', id: 'i5', server_label: 'files', tools: [] },
  { type: 'mcp_call', id: 'i6', server_label: 'files', name: 'list', arguments: '{}', output: 'secret.txt' },
  {
    type: 'code_interpreter_call',
    id: 'i7',
    container_id: 'x',
    code: 'print(1)',
    outputs: null,
    status: 'completed',
  },
  { type: 'compaction', encrypted_content: 'A'.repeat(5000) },
  { type: 'image_generation_call', id: 'i8', result: null, status: 'completed' },
]
/** The types of `openai` do not have these parts yet. */
const parts = [
  { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
  { type: 'input_video', video_url: 'https://media.example/secret.mp4' },
]

function setup(options: Parameters<typeof createGateway>[0] = {}) {
  const gateway = createGateway({ dialect: 'openrouter', timeScale: 0, ...options })
  const create = async (body: object) => {
    const { status, body: reply } = await call(gateway, 'POST /responses', { body: { model, ...body } })
    return { status, reply, warnings: gateway.journal.last('createResponse')?.warnings ?? [] }
  }
  return { gateway, create }
}

describe('input of a type that has no effect', () => {
  const inputs: [type: string, alone: object[], after: object[]][] = [
    ...items.map((item) => [item.type, [item], [question, item]] as [string, object[], object[]]),
    ...parts.map((part) => {
      const { role, content: text } = question
      const both = [{ role, content: [{ type: 'input_text', text }, part] }]
      return [part.type, [{ role, content: [part] }], both] as [string, object[], object[]]
    }),
  ]

  it.each(inputs)(
    '%s is accepted and counted, adds one warning, and does not change the reply',
    async (type, alone, after) => {
      const { create } = setup()
      const expected = (await create({ input: [question] })).reply
      expect(await create({ input: alone })).toMatchObject({ status: 200, warnings: [expect.any(String)] })
      const { status, reply, warnings } = await create({ input: after })
      expect(status).toBe(200)
      expect(warnings).toEqual([`Input of type '${type}' was counted, but does not affect the reply`])
      expect(reply.output[0].content).toEqual(expected.output[0].content)
      expect(reply.usage.input_tokens).toBeGreaterThan(expected.usage.input_tokens)
      expect(reply.usage.input_tokens).toBeLessThan(100)
    },
  )

  it('adds one warning, even if several types occur', async () => {
    const { create } = setup()
    const { warnings } = await create({ input: [question, ...items.slice(0, 2)] })
    expect(warnings).toEqual([
      "Input of type 'shell_call', 'shell_call_output' was counted, but does not affect the reply",
    ])
  })

  it('is accepted without a dialect too, but with `strict` only if clients send it', async () => {
    for (const options of [{ dialect: undefined }, { dialect: undefined, strict: true }, { strict: true }]) {
      const { warnings } = await setup(options).create({ input: [question, items[0]] })
      expect(warnings).toEqual(["Input of type 'shell_call' was counted, but does not affect the reply"])
    }
    expect((await setup({ strict: true }).create({ input: [question, ...items] })).status).toBe(200)
    const messageOf = async (type: string, options: object) =>
      (await setup(options).create({ input: [question, { type }] })).reply.error.message
    const rejected = (type: string) => `input[1].type: must be a documented type, got '${type}'`
    expect(await messageOf('tea_call', { strict: true })).toBe(rejected('tea_call'))
    const options = { dialect: undefined, onlySpecified: true }
    expect(await messageOf('shell_call', options)).toBe(rejected('shell_call'))
  })

  it("reports a missing type, role or field, and an item's misspelt type", async () => {
    const messageOf = async (item: object) => (await setup().create({ input: [item] })).reply.error.message
    expect(await messageOf({ content: 'x' })).toBe('input[0].role: is required')
    const core = await setup({ dialect: undefined }).create({ input: [{ type: 5 }, { type: 'mesage' }] })
    expect(core.reply.error.message).not.toContain('undefined')
    expect(core.reply.error.metadata.violations[1].message).toBe(
      "Unknown type 'mesage'; did you mean 'message'?",
    )
    const { create } = setup()
    const { reply } = await create({ input: [{ role: 'user', content: [{ type: 'input_text' }] }] })
    expect(reply.error.message).toBe('input[0].content[0].text: is required')
  })
})

describe('plugins', () => {
  it("are accepted with any of the vendor's ids, with a warning if an enabled one has no effect", async () => {
    const { create } = setup({ strict: true })
    const plugins = [
      { id: 'auto-router', allowed_models: ['aurora/*'] },
      { id: 'auto-beta-router' },
      { id: 'moderation' },
      { id: 'web-fetch', max_uses: 2 },
      { id: 'file-parser', pdf: { engine: 'native' }, enabled: true },
      { id: 'response-healing', enabled: false },
      { id: 'context-compression', engine: 'middle-out' },
      { id: 'pareto-router', max_price: 1 },
      { id: 'fusion', preset: 'general-fast' },
    ]
    const { status, warnings } = await create({ input: 'Hi', plugins })
    expect(status).toBe(200)
    const idle = plugins.filter(({ enabled = true }) => enabled)
    expect(warnings).toEqual(idle.map(({ id }) => `The '${id}' plugin is not simulated`))
  })

  it('are disabled by `enabled: false`', async () => {
    const { create } = setup()
    const ask = async (plugin: object) =>
      (await create({ input: 'Tides', plugins: [{ id: 'web', ...plugin }] })).reply.output.length
    expect(await ask({ enabled: false })).toBe(1)
    expect(await ask({ enabled: true, engine: 'perplexity' })).toBe(2)
  })

  it("accept the vendor's engine names, as tools do, and errors list these names", async () => {
    const { create } = setup()
    const wrong = await create({ input: 'Hi', plugins: [{ id: 'web', engine: 'bing' }] })
    expect(wrong.reply.error.message).toBe(
      "plugins[0].engine: must be 'native', 'exa', 'firecrawl', 'parallel' or 'perplexity', got 'bing'",
    )
    const tools = [{ type: 'web_search', engine: 'parallel', max_results: 25 }]
    const { reply } = await create({ input: 'Hi', tools })
    expect(reply.error.message).toContain('at most 20 for the engine parallel')
    expect((await create({ input: 'Hi', plugins: [{ id: 'web' }] })).warnings[0]).toContain(
      "use the 'openrouter:web_search' tool",
    )
  })
})

describe.runIf(hasExtra('chat'))('provider preferences', () => {
  const route = async (provider: object, body: object = {}) => {
    const { gateway } = setup({ strict: true })
    const { status, body: reply } = await call(gateway, 'POST /chat/completions', {
      headers: { 'x-openrouter-metadata': 'enabled' },
      body: { model, messages: [question], provider, ...body },
    })
    const { warnings = [] } = gateway.journal.entries().at(-1) ?? {}
    const [endpoint] = reply.openrouter_metadata?.endpoints.available ?? []
    if (endpoint) expect(endpoint.provider).toBe(reply.provider)
    return { status, reply, warnings }
  }

  it.each<[provider: string, preferences: object, body?: object]>([
    ['Aurora', { allow_fallbacks: true, only: [], ignore: null }],
    ['Aurora', { order: ['kestrel'] }],
    ['Borealis', { order: ['kestrel', 'borealis', 'aurora'], allow_fallbacks: false }],
    ['Borealis', { only: ['Borealis', 'kestrel'] }],
    ['Borealis', { order: ['aurora'], ignore: ['aurora/turbo'] }],
    ['Google Vertex', { order: ['google-vertex'] }],
    ['Kestrel', { only: ['kestrel'] }, { model: 'no/record' }],
    ['Kestrel', { order: ['kestrel'] }, { model: 'no/record' }],
  ])('choose %s by %j', async (provider, preferences, body) => {
    expect(await route(preferences, body)).toMatchObject({ status: 200, reply: { provider }, warnings: [] })
  })

  it('are refused as by OpenRouter if they leave no provider, and count nothing', async () => {
    const { reply } = await route({ only: ['kestrel'] })
    expect(reply.error).toEqual({
      code: 404,
      message:
        "No allowed providers are available for the selected model. Providers serving aurora/dawn-2: aurora, borealis, but your request's provider.only preference permits only: kestrel.",
      metadata: { available_providers: ['aurora', 'borealis'], requested_providers: ['kestrel'] },
    })
    const { reply: strict } = await route({ order: ['kestrel'], allow_fallbacks: false })
    expect(strict.error.message).toBe('No allowed providers are available for the selected model.')
    const { gateway, create } = setup()
    const ignored = await create({ input: 'Hi', provider: { ignore: ['aurora', 'borealis'] } })
    expect(ignored.reply.error.message).toMatch(/^All providers have been ignored\./)
    expect(gateway.usage().requests).toBe(0)
  })

  it('leave a fallback model to reply', async () => {
    const { reply, warnings } = await route({ only: ['kestrel'] }, { models: [model, 'kestrel/swift-1'] })
    expect(reply).toMatchObject({ model: 'kestrel/swift-1', provider: 'Kestrel' })
    expect(warnings).toEqual([`'${model}' returned 404, so 'kestrel/swift-1' was tried instead`])
  })

  it('that are not simulated add a warning', async () => {
    const idle = { data_collection: 'deny', zdr: true, sort: { by: 'price' }, max_price: { prompt: 1 } }
    const { status, warnings } = await route({ order: ['aurora'], ...idle })
    expect(status).toBe(200)
    expect(warnings).toEqual(
      Object.keys(idle).map((name) => `body.provider.${name} is accepted, but not simulated`),
    )
  })

  it.runIf(hasExtra('models'))('of embeddings add a warning', async () => {
    const { gateway } = setup({ strict: true })
    const body = { model, input: 'Hi', provider: { order: ['aurora'] } }
    expect((await call(gateway, 'POST /embeddings', { body })).status).toBe(200)
    const [{ warnings } = {}] = gateway.journal.entries()
    expect(warnings).toEqual(['body.provider is accepted, but not simulated'])
  })
})

it("a tool in the reply has the request's settings, under the vendor's names", async () => {
  const { create } = setup()
  const settings = { engine: 'exa', search_context_size: 'low', filters: { allowed_domains: ['a.example'] } }
  const tools = [{ type: 'web_search', ...settings }, { type: 'openrouter:datetime' }]
  const { reply } = await create({ input: 'Hi', tools })
  expect(reply.tools).toEqual([{ type: 'web_search', ...settings }])
})

describe.runIf(hasExtra('chat'))('a chat completion, as in recorded replies', () => {
  const send = (body: object, gateway = setup().gateway) =>
    call(gateway, 'POST /chat/completions', { body: { model, messages: [question], ...body } })
  const complete = async (body: object, gateway?: Gateway) => (await send(body, gateway)).body

  it('has the newest set of fields', async () => {
    const reply = await complete({})
    expect(reply).toMatchObject({
      provider: expect.stringMatching(/./),
      service_tier: 'default',
      choices: [{ native_finish_reason: 'stop', message: { reasoning: null, refusal: null } }],
      usage: {
        cost_details: { upstream_inference_cost: reply.usage.cost },
        prompt_tokens_details: { cache_write_tokens: 0, audio_tokens: 0, video_tokens: 0 },
        completion_tokens_details: { image_tokens: 0, audio_tokens: 0 },
      },
    })
    const { text } = await send({ stream: true, service_tier: 'flex' })
    const chunks = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json = '']) => JSON.parse(json))
    for (const { provider, choices } of chunks) {
      expect(provider).toBe(reply.provider)
      expect(choices).toMatchObject([{ delta: { role: 'assistant', content: expect.any(String) } }])
    }
    const [{ choices }, { choices: ended }] = chunks.slice(-2) as [(typeof chunks)[0], (typeof chunks)[0]]
    expect(Object.keys(choices[0])).toEqual(['index', 'delta', 'finish_reason', 'native_finish_reason'])
    expect(chunks.at(-1)).toMatchObject({ service_tier: 'flex', usage: { cost: reply.usage.cost } })
    expect(ended).toEqual(choices)
  })

  it('names the provider in the chunk of an error, too', async () => {
    const { gateway } = setup()
    gateway.use('stream-error-event')
    const { text } = await send({ stream: true }, gateway)
    expect(text).toMatch(/"provider":"[^"]+","error":/)
  })

  it.each([
    ['openai/gpt-5-mini', 'completed', 'max_output_tokens'],
    ['google/gemini-2.5-flash', 'STOP', 'MAX_TOKENS'],
    ['anthropic/claude-sonnet-4.6', 'end_turn', 'length'],
    ['toString/x', 'stop', 'length'],
  ])('by %s has its native finish reason: %s or %s', async (model, stop, length) => {
    const reasons = async (body: object) =>
      (await complete({ model, ...body })).choices[0].native_finish_reason
    expect([await reasons({}), await reasons({ max_tokens: 2 })]).toEqual([stop, length])
  })

  it('numbers calls, and annotates files except those with an address', async () => {
    const { gateway } = setup()
    const output = ['a', 'b'].map((name) => ({ type: 'function_call' as const, name, arguments: {} }))
    gateway.reply({ output }, { times: 1 })
    const file = { filename: 'tides.pdf', file_data: 'data:application/pdf;base64,AA==' }
    const other = { file_data: 'https://files.example/tides.pdf' }
    const messages = [{ role: 'user', content: [file, other].map((file) => ({ type: 'file', file })) }]
    const [calls, text] = [await complete({}, gateway), await complete({ messages }, gateway)]
    expect(calls.choices[0].message.tool_calls).toMatchObject([{ index: 0 }, { index: 1 }])
    expect(text.choices[0].message.annotations).toEqual([
      {
        type: 'file',
        file: {
          hash: expect.stringMatching(/^[\da-f]{64}$/),
          name: 'tides.pdf',
          content: expect.arrayContaining([{ type: 'text', text: '<file name="tides.pdf">' }]),
        },
      },
    ])
  })

  it('counts a search by the tool of the vendor', async () => {
    const tools = [{ type: 'openrouter:web_search' }]
    const details = { tool_calls_requested: 1, tool_calls_executed: 1, web_search_requests: 1 }
    expect((await complete({ tools })).usage.server_tool_use_details).toEqual(details)
    const { text } = await send({ tools, stream: true })
    expect(text).toContain(`"server_tool_use_details":${JSON.stringify(details)}`)
    expect((await complete({})).usage.server_tool_use_details).toBeUndefined()
  })

  it('that is a 429 names the provider', async () => {
    const { gateway } = setup()
    gateway.fail(429)
    expect(await complete({}, gateway)).toEqual({
      error: {
        code: 429,
        message: 'Provider returned error',
        metadata: { provider_name: 'Aurora', raw: expect.stringContaining(model) },
      },
      user_id: expect.stringMatching(/^user_/),
    })
    gateway.use({ on: '*', fault: { name: 'status', status: 429, metadata: { raw: 'Wait.' } } })
    expect((await complete({}, gateway)).error.metadata.raw).toBe('Wait.')
  })
})

it('a Response has the settings that the request omits or repeats, as in recorded replies', async () => {
  const { gateway, create } = setup()
  const settings = { max_tool_calls: 3, text: { verbosity: 'low' }, reasoning: { effort: 'low' } }
  const tools = [{ type: 'function', name: 'look_up', parameters: {} }]
  const body = { input: 'Hi', ...settings, tools }
  expect((await create(body)).reply).toMatchObject({
    ...{ background: false, temperature: 1, top_p: 1, top_logprobs: 0, truncation: 'disabled', store: false },
    ...{ max_output_tokens: null, previous_response_id: null, service_tier: 'default', max_tool_calls: 3 },
    text: { verbosity: 'low', format: { type: 'text' } },
    reasoning: { effort: 'low', context: null, summary: null },
    tools: [{ name: 'look_up', strict: null }],
    output: expect.arrayContaining([
      expect.objectContaining({ content: [expect.objectContaining({ logprobs: [] })] }),
    ]),
  })
  const { text } = await call(gateway, 'POST /responses', { body: { model, ...body, stream: true } })
  const events = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json = '']) => JSON.parse(json))
  expect(events[0].response).toMatchObject({ usage: null, service_tier: 'auto', temperature: 1 })
  expect(events.at(-1).response).toMatchObject({ usage: { cost: expect.any(Number) }, max_tool_calls: 3 })
})

it('a streamed reasoning item has its encrypted content only at the end, as in recorded replies', async () => {
  const { gateway } = setup()
  gateway.reply({ output: [{ type: 'reasoning', summary: 'Hm.', encrypted_content: 'gAAA' }] })
  const { text } = await call(gateway, 'POST /responses', { body: { model, input: 'Hi', stream: true } })
  expect(text).toMatch(/"response.output_item.added",(?!.*gAAA)/)
  expect(text).toMatch(/"response.output_item.done",.*gAAA/)
})

it('listed models have their benchmarks and the prices that replies charge', async () => {
  const { gateway } = setup()
  const { data } = (await call(gateway, 'GET /models')).body
  const benchmarks = (await call(gateway, 'GET /benchmarks?source=artificial-analysis')).body.data
  const listed = data.find(({ id }: { id: string }) => id === model)
  const { intelligence_index } = benchmarks.find(
    (row: Record<string, string>) => row['model_permaslug'] === model,
  )
  expect(listed).toMatchObject({
    hugging_face_id: null,
    default_parameters: {},
    reasoning: { mandatory: false },
    benchmarks: { design_arena: expect.any(Array), artificial_analysis: { intelligence_index } },
  })
  expect(Number(listed.pricing.input_cache_read)).toBeCloseTo(0.1 * Number(listed.pricing.prompt), 12)
})

describe("the vendor's fields", () => {
  it('include `models`, a list of models to try after a failure', async () => {
    const { gateway, create } = setup()
    gateway.fail(503, { times: 1 })
    const { reply } = await create({ model: undefined, models: [model, 'borealis/polar-1'], input: 'Hi' })
    expect(reply.model).toBe('borealis/polar-1')
    expect((await create({ model: undefined, input: 'Hi' })).reply.error.message).toBe(
      'model: required, unless models is set',
    )
  })

  it('are held at a gate once, with all models', async () => {
    const { gateway, create } = setup()
    using gate = gateway.hold('text', { together: 2 })
    const models = { model: undefined, models: ['fault/503', model], input: 'Hi' }
    const replies = await Promise.all([create(models), create(models)])
    expect(replies.map(({ reply }) => reply.model)).toEqual([model, model])
    await gate.arrived(2)
    await expect(gate.arrived(3, { timeout: 1 })).rejects.toThrow('2 of 3 arrivals')
  })

  it.runIf(hasExtra('chat'))('name a preset in `preset`, or after the model', async () => {
    const { gateway, create } = setup({ strict: true })
    const slug = 'email-copywriter'
    const { instructions } = (await create({ model: `@preset/${slug}`, input: 'Hi' })).reply
    for (const form of [
      { preset: slug },
      { preset: `@preset/${slug}` },
      { model: `${model}@preset/${slug}` },
      { models: [`${model}@preset/${slug}`], model: undefined },
    ]) {
      const { reply, warnings } = await create({ input: 'Hi', ...form })
      expect(reply).toMatchObject({ instructions, model })
      expect(warnings).not.toContainEqual(expect.stringContaining('preset is'))
    }
    expect((await create({ model: undefined, preset: slug, input: 'Hi' })).reply.instructions).toBe(
      instructions,
    )
    expect((await create({ preset: 'none', input: 'Hi' })).status).toBe(404)
    const body = { model, preset: 'none', messages: [question] }
    expect((await call(gateway, 'POST /chat/completions', { body })).status).toBe(404)
  })

  it.runIf(hasExtra('chat') && hasExtra('messages'))(
    'are accepted with `strict` only if the vendor defines them',
    async () => {
      const { gateway, create } = setup({ strict: true })
      const shared = {
        models: [model],
        provider: {},
        session_id: 's',
        user: 'u',
        top_k: 1,
        route: 'fallback',
        trace: {},
      }
      const search = { type: 'web_search', filters: { allowed_domains: ['a.example'] }, max_uses: 2 }
      const more = { background: false, truncation: 'auto', service_tier: 'flex', tools: [search] }
      expect((await create({ input: 'Hi', ...shared, ...more })).status).toBe(200)
      expect((await create({ input: 'Hi', rout: 'x' })).status).toBe(400)
      const messages = [{ role: 'user', content: 'Hi' }]
      const chat = { model, messages, seed: 1, ...shared }
      expect(await call(gateway, 'POST /chat/completions', { body: chat })).toMatchObject({ status: 200 })
      const own = { transforms: [], usage: { include: true }, provider: { order: ['azure'], zdr: true } }
      expect((await create({ input: 'Hi', ...own })).status).toBe(200)
      for (const [provider, status] of [
        [own.provider, 200],
        [{ ordr: ['azure'] }, 400],
        [{ only: 'azure' }, 400],
      ] as const) {
        const body = { ...chat, ...own, provider }
        expect(await call(gateway, 'POST /chat/completions', { body })).toMatchObject({ status })
      }
      const body = { model, messages, ...shared }
      expect(await call(gateway, 'POST /messages', { body })).toMatchObject({ status: 200 })
    },
  )

  it.runIf(hasExtra('messages'))(
    'are checked as without a dialect if the specification defines them',
    async () => {
      const { gateway, create } = setup()
      const output = [{ type: 'input_text', text: 'Twice a day' }]
      const input = [question, { type: 'function_call_output', call_id: 'c1', output }]
      expect([(await create({ input })).status, (await create({ input: [] })).status]).toEqual([200, 400])
      expect((await create({ input: [question] })).status).toBe(200)
      const messages = async (max_tokens: number) => {
        const body = { model, messages: [question], max_tokens }
        return (await call(gateway, 'POST /messages', { body })).status
      }
      expect([await messages(0), await messages(1)]).toEqual([400, 200])
    },
  )

  it.runIf(hasExtra('chat'))('are in replies with reasoning, and in workspaces', async () => {
    const { gateway } = setup()
    const body = { model, messages: [question], reasoning: { effort: 'low' } }
    const { message } = (await call(gateway, 'POST /chat/completions', { body })).body.choices[0]
    expect(message.reasoning_details).toEqual([
      { type: 'reasoning.text', text: message.reasoning, signature: null, format: 'unknown', index: 0 },
    ])
    const workspace = await call(gateway, 'PATCH /workspaces/production', { body: { name: 'Main' } })
    expect(workspace.body.data).toMatchObject({
      name: 'Main',
      default_guardrail_id: expect.stringMatching(/^[\da-f-]{36}$/),
      disabled_server_tools: [],
      include_byok_in_budgets: false,
    })
  })

  it('are rejected if they change the meaning of a reply, unless a rule replies', async () => {
    const { gateway, create } = setup()
    expect((await create({ input: 'Hi', background: true })).status).toBe(400)
    gateway.reply({ responseStatus: 'queued' })
    expect((await create({ input: 'Hi', background: true })).reply.status).toBe('queued')
  })
})

it('the probability of a rule is drawn again for each fallback model', async () => {
  const gateway = createGateway({ timeScale: 0, dialect: 'openrouter' })
  gateway.fail(503, { probability: 0.5 })
  const answered = new Set<string | undefined>()
  for (let index = 0; index < 40; index++) {
    const body = { models: ['aurora/dawn-1', 'aurora/dawn-2'], input: `Question ${index}` }
    answered.add((await call(gateway, 'POST /responses', { body })).body.model)
  }
  expect(answered).toEqual(new Set(['aurora/dawn-1', 'aurora/dawn-2', undefined]))
})
