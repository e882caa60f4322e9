import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { describeAdapters } from '../describe-adapters.ts'

const model = 'aurora/dawn-2'

describeAdapters('POST /responses', (entrance) => {
  const { call } = entrance
  const create = (body: object) => call('POST /responses', { body: { model, input: 'Hello', ...body } })
  const text = async (body: object) => (await create(body)).body.output.at(-1).content[0].text

  describe('reply', () => {
    it('quotes the last user message', async () => {
      const input = [
        { role: 'user', content: 'Tell me about glaciers' },
        { role: 'assistant', content: 'They move.' },
        { role: 'user', content: 'And what of volcanoes in Iceland?' },
      ]
      const reply = await text({ input })
      expect(reply).toContain('And what of volcanoes in Iceland?')
      expect(reply).toContain('volcanoes')
      expect(reply).not.toContain('glaciers')
    })

    it('is the same for a string and for an equivalent message', async () => {
      const reply = await text({ input: 'Hello' })
      for (const message of [
        { role: 'user', content: 'Hello' },
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] },
      ]) {
        expect(await text({ input: [message] })).toBe(reply)
      }
    })

    it("echoes the request's settings", async () => {
      const settings = {
        instructions: 'Be brief.',
        metadata: { run: '7' },
        temperature: 0.2,
        top_p: 0.9,
        presence_penalty: 0.1,
        frequency_penalty: 0,
        parallel_tool_calls: false,
        tool_choice: 'none',
        tools: [
          {
            type: 'function',
            name: 'look',
            description: 'Looks.',
            parameters: { type: 'object' },
            strict: true,
          },
        ],
      }
      expect((await create(settings)).body).toMatchObject(settings)
    })
  })

  describe('input', () => {
    it('may be a conversation history with every item type', async () => {
      const input = [
        { type: 'message', role: 'system', content: 'Be kind.' },
        { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Be brief.' }] },
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'Hi' },
            { type: 'input_image', image_url: 'data:,' },
          ],
        },
        { type: 'reasoning', id: 'rs_1', summary: [] },
        { type: 'web_search_call', id: 'ws_1', status: 'completed' },
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'Hello.', annotations: [{ type: 'url_citation' }] }],
        },
        { type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
        { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'look', arguments: '{}' },
        { type: 'function_call_output', call_id: 'call_1', output: 'rain' },
        { type: 'item_reference', id: 'msg_0' },
        {
          role: 'user',
          content: [
            { type: 'input_file', file_id: 'f' },
            { type: 'input_text', text: 'So?' },
          ],
        },
      ]
      expect((await create({ input })).status).toBe(200)
    })

    it('may be accompanied by unspecified fields that clients send', async () => {
      const { status } = await create({
        store: false,
        service_tier: 'auto',
        include: [],
        tools: [],
        tool_choice: 'auto',
        text: {},
        reasoning: { effort: 'low' },
        previous_response_id: null,
        max_output_tokens: null,
        stream: false,
        user: 'someone',
        something_new: { a: 1 },
      })
      expect(status).toBe(200)
      expect(
        (await call('POST /responses?limit=20&offset=0', { body: { model, input: 'Hello' } })).status,
      ).toBe(200)
    })

    it('may end with a function output, which the reply reports', async () => {
      const reply = await text({
        input: [
          { role: 'user', content: 'What is the weather?' },
          { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"city":"Bergen"}' },
          { type: 'function_call_output', call_id: 'call_1', output: '{"sky":"drizzle"}' },
        ],
      })
      expect(reply).toContain('drizzle')
    })
  })

  describe('usage', () => {
    it('counts all text and images in the input', async () => {
      const { body } = await create({
        instructions: 'Be brief.',
        input: [
          { role: 'user', content: 'One two' },
          { role: 'assistant', content: [{ type: 'output_text', text: 'Three' }] },
          { role: 'user', content: [{ type: 'input_text', text: 'four five six' }, { type: 'input_image' }] },
        ],
      })
      expect(body.usage.input_tokens).toBe(3 + 2 + 1 + 4 + 765)
    })
  })

  describe('max_output_tokens', () => {
    it('truncates the text to exactly max_output_tokens and marks the response as incomplete', async () => {
      const whole = (await create({})).body
      const cut = (await create({ max_output_tokens: 7 })).body
      expect(cut).toMatchObject({
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
        completed_at: null,
      })
      expect(cut.output[0].status).toBe('incomplete')
      expect(cut.usage.output_tokens).toBe(7)
      expect(whole.output[0].content[0].text.startsWith(cut.output[0].content[0].text)).toBe(true)
    })

    it('does not truncate text of exactly max_output_tokens', async () => {
      const whole = (await create({})).body
      const length = whole.usage.output_tokens
      expect((await create({ max_output_tokens: length })).body).toMatchObject({
        status: 'completed',
        output: [{ status: 'completed', content: whole.output[0].content }],
      })
      expect((await create({ max_output_tokens: length - 1 })).body.status).toBe('incomplete')
    })

    it("truncates a function call's arguments", async () => {
      const tools = [
        {
          type: 'function',
          name: 'look',
          parameters: { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] },
        },
      ]
      const { body } = await create({ tools, tool_choice: 'required', max_output_tokens: 2 })
      expect(body).toMatchObject({
        status: 'incomplete',
        usage: { output_tokens: 2 },
        output: [{ status: 'incomplete' }],
      })
      expect(() => JSON.parse(body.output[0].arguments)).toThrow()
      const scripted = {
        type: 'function_call',
        name: 'look',
        arguments: '{"at":"the sea"}',
        status: 'completed',
      }
      entrance.sandbox.reply({ output: [scripted] } as never)
      expect((await create({ max_output_tokens: 2 })).body).toMatchObject({
        status: 'incomplete',
        output: [{ status: 'incomplete' }],
      })
    })
  })

  describe('a forced tool', () => {
    it('is called exactly while it is forced, also after its output', async () => {
      const tools = ['look', 'hear'].map((name) => ({ type: 'function', name }))
      const input = [
        { role: 'user', content: 'Look' },
        { type: 'function_call', call_id: 'c', name: 'look', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: 'The sea' },
      ]
      const hear = { type: 'function', name: 'hear' }
      const called = async (tool_choice: unknown) =>
        (await create({ input, tools, tool_choice })).body.output[0].name
      expect(await called('required')).toBe('look')
      expect(await called(hear)).toBe('hear')
      expect(await called({ type: 'allowed_tools', mode: 'required', tools: [hear] })).toBe('hear')
      const answer = await create({ input, tools, tool_choice: hear })
      expect(answer.headers.get('x-understudy-assumptions')).toContain('forcedTool')
      const { output } = (await create({ input, tools, tool_choice: 'auto' })).body
      expect(output[0].content[0].text).toContain('The sea')
    })

    it('is rejected if it is neither a function nor custom, unless a rule replies', async () => {
      const tools = [{ type: 'local_shell' }]
      for (const tool_choice of ['required', { type: 'local_shell' }]) {
        const { status, body } = await create({ tools, tool_choice })
        expect(status).toBe(400)
        expect(body.error.message).toBe(
          "tool_choice: forces a tool of type 'local_shell', which only a rule can simulate",
        )
      }
      entrance.sandbox.reply('Edited.')
      expect((await create({ tools, tool_choice: 'required' })).status).toBe(200)
    })
  })

  describe('reasoning', () => {
    it('includes a summary whose tokens count as reasoning tokens', async () => {
      const { output, usage } = (await create({ reasoning: { effort: 'low' } })).body
      expect(output).toMatchObject([
        { type: 'reasoning', summary: [{ type: 'summary_text', text: expect.stringContaining('Hello') }] },
        { type: 'message' },
      ])
      const { output_tokens_details, output_tokens } = usage
      expect(output_tokens_details.reasoning_tokens).toBeGreaterThan(48)
      const hidden = (await create({ reasoning: { effort: 'low', exclude: true } })).body
      expect(hidden.output).toHaveLength(1)
      expect(hidden.usage.output_tokens).toBe(output_tokens)
    })

    it('has as many paragraphs as effort and summary request', async () => {
      const paragraphs = async (reasoning: object) =>
        (await create({ reasoning })).body.output[0].summary.length
      expect(await paragraphs({ effort: 'medium' })).toBe(2)
      expect(await paragraphs({ effort: 'max' })).toBe(3)
      expect(await paragraphs({ summary: 'detailed' })).toBe(3)
      expect(await paragraphs({ effort: 'high', summary: 'concise' })).toBe(1)
      const { output } = (await create({ reasoning: { max_tokens: 3 } })).body
      expect(output[0].summary).toEqual([{ type: 'summary_text', text: '**Reading the' }])
    })
  })

  describe('structured output', () => {
    const schema = {
      type: 'object',
      properties: {
        title: { type: 'string' },
        year: { type: 'integer', minimum: 1900, maximum: 2100 },
        kind: { enum: ['a', 'b'] },
      },
      required: ['title', 'year', 'kind'],
      additionalProperties: false,
    }
    const format = { type: 'json_schema', name: 'film', strict: true, schema }

    it('is valid JSON for the schema, and the same each time', async () => {
      const json = await text({ text: { format } })
      const result = z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema).safeParse(JSON.parse(json))
      expect(result.error).toBeUndefined()
      expect(await text({ text: { format } })).toBe(json)
    })

    it('has its format in the reply, because clients need it to parse the text', async () => {
      expect((await create({ text: { format } })).body.text).toEqual({ format })
      expect((await create({})).body).not.toHaveProperty('text')
    })

    it.each(['json_object', 'json_schema'])('of type %s without a schema is a JSON object', async (type) => {
      expect(JSON.parse(await text({ text: { format: { type } } }))).toEqual({ answer: expect.any(String) })
    })

    it('is rejected with a path if the schema has an unresolvable reference', async () => {
      const { status, body } = await create({
        text: { format: { ...format, schema: { $ref: '#/$defs/none' } } },
      })
      expect(status).toBe(400)
      expect(body.error.metadata.violations[0].path).toBe('body.text.format.schema')
    })
  })

  describe('function tools', () => {
    const parameters = {
      type: 'object',
      properties: { city: { type: 'string', enum: ['Oslo'] } },
      required: ['city'],
    }
    const tools = [
      { type: 'function', name: 'noop' },
      { type: 'function', name: 'weather', parameters },
    ]

    it('are not called unless forced', async () => {
      const { output } = (await create({ tools })).body
      expect(output.map(({ type }: { type: string }) => type)).toEqual(['message'])
    })

    it('are called with valid arguments if tool_choice forces a call', async () => {
      const { body } = await create({ tools, tool_choice: { type: 'function', name: 'weather' } })
      expect(body.status).toBe('completed')
      expect(body.output).toEqual([
        {
          type: 'function_call',
          id: expect.stringMatching(/^fc_/),
          call_id: expect.stringMatching(/^call_/),
          name: 'weather',
          arguments: '{"city":"Oslo"}',
          status: 'completed',
        },
      ])
    })

    it('without parameters are called with an empty object', async () => {
      const { body } = await create({ tools, tool_choice: 'required' })
      expect(body.output).toMatchObject([{ name: 'noop', arguments: '{}' }])
    })
  })

  describe('@preset/<slug>', () => {
    it("applies the preset's system prompt and configuration", async () => {
      const { data: preset } = (await call('GET /presets/code-review')).body
      const { body } = await create({ model: '@preset/code-review' })
      expect(body).toMatchObject({
        model: '@preset/code-review',
        instructions: preset.designated_version.system_prompt,
        temperature: preset.designated_version.config.temperature,
      })
    })

    it('is overridden by request fields', async () => {
      const { body } = await create({ model: '@preset/code-review', instructions: 'Mine.', temperature: 1.5 })
      expect(body).toMatchObject({ instructions: 'Mine.', temperature: 1.5 })
    })

    it('responds with 404 for an unknown preset', async () => {
      const { status, headers } = await create({ model: '@preset/unknown-preset', input: 'Hello' })
      expect(status).toBe(404)
      expect(headers.get('x-understudy-assumptions')).toContain('notFound')
    })
  })
})

describeAdapters('POST /responses with a scripted reply', (entrance) => {
  const create = (body: object = {}) =>
    entrance.call('POST /responses', { body: { model, input: 'Hello', ...body } })
  const script = (reply: object) =>
    entrance.sandbox.use({ name: 'script', rules: [{ on: 'createResponse', reply }] })

  it('counts and truncates scripted text like generated text', async () => {
    script({ text: 'One two three' })
    expect((await create()).body).toMatchObject({
      output: [{ content: [{ text: 'One two three', annotations: [] }] }],
      usage: { output_tokens: 3 },
    })
    expect((await create({ max_output_tokens: 2 })).body).toMatchObject({
      status: 'incomplete',
      output: [{ content: [{ text: 'One two' }] }],
    })
  })

  it('sends the scripted status and headers, with and without streaming', async () => {
    entrance.sandbox.reply('One', { status: 201, headers: { 'X-Script': 'yes' } })
    for (const stream of [false, true]) {
      const { status, headers, text } = await create({ stream })
      expect([status, headers.get('x-script')]).toEqual([201, 'yes'])
      expect(text).toContain('One')
    }
  })

  it('places citations at links in the text, and appends missing links', async () => {
    const [here, there] = ['https://a.example/1', 'https://b.example/2']
    script({
      text: `See [the docs](${here}) 👩‍👩‍👧.`,
      citations: [
        { url: there, title: 'B' },
        { url: here, content: 'A.' },
      ],
    })
    const [{ text, annotations }] = (await create()).body.output[0].content
    expect(text).toBe(`See [the docs](${here}) 👩‍👩‍👧. [b.example](${there})`)
    expect(annotations).toMatchObject([
      { url: here, title: 'a.example', content: 'A.' },
      { url: there, title: 'B' },
    ])
    const spans = annotations.map((each: { start_index: number; end_index: number }) =>
      text.slice(each.start_index, each.end_index),
    )
    expect(spans).toEqual([`[the docs](${here})`, `[b.example](${there})`])
  })

  it('omits a link truncated by max_output_tokens, with its citation', async () => {
    const url = 'https://a.example/1'
    script({ text: `One [the docs](${url}) two`, citations: [{ url }] })
    const cut = async (tokens: number) =>
      (await create({ max_output_tokens: tokens })).body.output[0].content[0]
    expect(await cut(1)).toMatchObject({ text: 'One', annotations: [] })
    expect(await cut(2)).toMatchObject({ text: `One [the docs](${url})`, annotations: [{ url }] })
  })

  it('fills in ids and statuses of output items', async () => {
    script({
      output: [
        { type: 'message', content: 'Wait.' },
        { type: 'function_call', name: 'look', arguments: { at: 'sky' } },
        { type: 'function_call', name: 'look', arguments: '{"at":"sea"}', call_id: 'mine' },
      ],
    })
    const { output } = (await create()).body
    expect(output).toMatchObject([
      { type: 'message', status: 'completed', content: [{ text: 'Wait.' }] },
      { type: 'function_call', status: 'completed', arguments: '{"at":"sky"}' },
      { type: 'function_call', status: 'completed', arguments: '{"at":"sea"}', call_id: 'mine' },
    ])
    expect(new Set(output.map(({ id }: { id: string }) => id)).size).toBe(3)
    expect(output[1].call_id).toMatch(/^call_/)
  })
})
