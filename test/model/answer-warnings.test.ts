/** Tests which warnings, violations and assumptions a request's tools, search, model and reasoning lead to. */
import { describe, expect, it } from 'vitest'
import { createGateway, type GatewayOptions } from '../../src/index.ts'
import { countTokens } from '../../src/model/tokens.ts'
import { call } from '../call.ts'
import { hasExtra } from '../has-extra.ts'

/** Sends a request to a gateway of its own. Returns the reply's essential parts. */
async function ask(fields: object, options: GatewayOptions = {}, reply?: object) {
  const gateway = createGateway({ timeScale: 0, ...options })
  if (reply) gateway.use({ on: 'createResponse', reply })
  const body = { model: 'aurora/dawn-2', input: 'How do tides work?', ...fields }
  const { headers, body: answer } = await call(gateway, 'POST /responses', { body })
  return {
    warnings: gateway.journal.last('createResponse')?.warnings ?? [],
    violations: answer.error?.metadata?.violations,
    assumptions: headers.get('x-understudy-assumptions'),
    items: answer.output?.map((item: { type: string }) => item.type),
    usage: answer.usage,
    text: answer.output?.at(-1).content?.[0].text,
    annotations: answer.output?.at(-1).content?.[0].annotations.length,
    reasoning: answer.usage?.output_tokens_details.reasoning_tokens,
  }
}

const search = { type: 'gateway:web_search' }
const fn = (name: string) => ({ type: 'function', name })
const long = (length: number) => 'x'.repeat(length)
const repeat = <Item>(count: number, make: (index: number) => Item) =>
  Array.from({ length: count }, (_, index) => make(index))
const notRun = (...types: string[]) =>
  `Tools of type '${types.join("', '")}' were not run: the gateway only runs 'gateway:web_search'`
const online = "The ':online' model suffix is deprecated: use the 'gateway:web_search' tool"
const plugin = "The 'web' plugin is deprecated: use the 'gateway:web_search' tool"
const needsXAi = "x_search_filter was ignored: it requires a web search with an 'x-ai' model"
const noTools = 'body.tool_choice was ignored, because it requires a tool and the request has none'
const omitted = (count: string) =>
  `${count} citations were omitted: no string in the structured output can contain their links`
const schema = (schema: object) => ({ format: { type: 'json_schema', name: 'n', schema } })

const types = {
  text: ['message'],
  searched: ['web_search_call', 'message'],
  call: ['function_call'],
}
const searchTool = [types.searched, 'searchResults, toolShape, webSearchItem'] as const

describe('POST /responses: warnings, assumptions and items', () => {
  it.each<[fields: object, items: string[], assumptions: string | null, ...warnings: string[]]>([
    [{}, types.text, null],
    // Tools that the gateway does not run
    [
      { tools: repeat(21, (n) => ({ type: `t${n}` })) },
      types.text,
      'toolShape',
      notRun(...repeat(20, (n) => `t${n}`)),
    ],
    [{ tools: [{ type: long(101) }] }, types.text, 'toolShape', notRun(long(100))],
    // Required and forced tools
    [
      { tools: [{ type: 'own' }, fn('f')], tool_choice: 'required' },
      types.call,
      'forcedTool, toolShape',
      notRun('own'),
    ],
    [{ tool_choice: 'required' }, types.text, null, noTools],
    [
      { tools: [{ type: 'web_search' }], tool_choice: { type: 'web_search' } },
      types.text,
      'toolShape',
      "body.tool_choice was ignored, because it forces a tool of type 'web_search', which only a rule can simulate",
      notRun('web_search'),
    ],
    [
      { tools: [search, fn('f')], tool_choice: 'required' },
      types.call,
      'offeredSearch, forcedTool, toolShape',
    ],
    [
      { tools: [search, fn('f')], tool_choice: { type: 'function', name: 'f' } },
      types.call,
      'offeredSearch, toolShape',
    ],
    [{ tools: [search, fn('f')], tool_choice: search }, ...searchTool],
    [
      { tools: [search, { type: 'custom', name: 'run' }], tool_choice: 'required' },
      ['custom_tool_call'],
      'offeredSearch, forcedTool, toolShape',
    ],
    [{ tools: [search], tool_choice: 'required' }, ...searchTool],
    [{ tools: [search], tool_choice: 'none' }, types.text, 'toolShape'],
    [{ tools: [search, fn('f')] }, types.text, 'offeredSearch, toolShape'],
    [{ tools: [search, fn('f')], input: 'Search the web for tides' }, ...searchTool],
    ...(['f', 'g'] as const).map((name): [object, string[], string] => [
      {
        tools: [search, { type: 'own' }, fn('f'), fn('g')],
        input: 'Search the web for tides',
        tool_choice: { type: 'allowed_tools', mode: name === 'f' ? 'auto' : 'required', tools: [fn(name)] },
      },
      name === 'f' ? types.text : types.call,
      name === 'f' ? 'toolShape' : 'forcedTool, toolShape',
    ]),
    [
      {
        tools: [search, fn('f')],
        input: 'Search the web for tides',
        tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [search] },
      },
      ...searchTool,
    ],
    // Searches
    [
      { tools: [{ ...search, parameters: { allowed_domains: ['none.example'] } }] },
      types.searched,
      'searchResults, domainEntries, toolShape, webSearchItem',
      'The search found nothing: its filters exclude every page',
    ],
    [
      { tools: [search], input: 'qqqq zzzz' },
      ...searchTool,
      'No page matches the question: the search returned pages in fixture order',
    ],
    [{ plugins: [{ id: 'web' }] }, types.searched, 'searchResults, webSearchItem', plugin],
    [{ model: 'aurora/dawn-2:online' }, types.searched, 'nativeSearch, searchResults, webSearchItem', online],
    [{ model: 'x-ai/meridian-1', x_search_filter: {} }, types.text, 'xSearchModels', needsXAi],
    [
      { model: 'a/b:online', x_search_filter: {} },
      types.searched,
      'nativeSearch, xSearchModels, searchResults, webSearchItem',
      online,
      needsXAi,
    ],
    [
      { model: 'X-AI/meridian-1:online', x_search_filter: {} },
      types.searched,
      'nativeSearch, searchResults, xSearchPosts, webSearchItem',
      online,
    ],
    // Structured output without room for links
    [
      { tools: [search], text: schema({ type: 'string', maxLength: 50 }) },
      types.searched,
      'searchResults, citedStructure, toolShape, webSearchItem',
      omitted('5 of 5'),
    ],
    [{ text: schema({ type: 'integer' }) }, types.text, null],
    [
      { tools: [search], text: schema({ type: 'string', maxLength: 80 }) },
      types.searched,
      'searchResults, citedStructure, toolShape, webSearchItem',
      omitted('4 of 5'),
    ],
    // Presets
    [{ model: '@preset/email-copywriter' }, types.text, 'presetModel'],
    [
      { model: '@preset/support-triage' },
      types.text,
      'presetModel, presetStatus',
      "The preset 'support-triage' is disabled",
    ],
    [
      { model: '@preset/research-brief' },
      types.searched,
      'presetModel, presetStatus, presetConfig, searchResults, webSearchItem',
      "The preset 'research-brief' is archived",
      plugin,
    ],
    [
      { model: '@preset/code-review:online' },
      types.searched,
      'presetModel, presetConfig, nativeSearch, searchResults, webSearchItem',
      online,
    ],
    // Reasoning
    [{ reasoning: { max_tokens: 1 } }, ['reasoning', 'message'], 'reasoning'],
    [
      { reasoning: { effort: long(101) } },
      ['reasoning', 'message'],
      'reasoning',
      `The reasoning effort '${long(100)}…' is unknown, so medium was used`,
    ],
  ])('%j', async (fields, items, assumptions, ...warnings) => {
    expect(await ask(fields)).toMatchObject({ items, assumptions, warnings })
  })

  it.each([{}, { tools: [search] }, { model: '@preset/code-review' }, { model: '@preset/research-brief' }])(
    'are the same if settings are null instead of absent: %j',
    async (fields) => {
      const settings =
        'instructions max_output_tokens tools tool_choice text reasoning plugins x_search_filter'
      const nulls = Object.fromEntries(settings.split(' ').map((name) => [name, null]))
      expect(await ask({ ...nulls, ...fields })).toEqual(await ask(fields))
    },
  )
})

describe('a forced custom tool', () => {
  const tool = { name: 'run', description: 'Runs code' }
  const plain = expect.stringMatching(/[a-z]{3}/)

  it.each<[choice: unknown, format?: object]>([
    [{ type: 'custom', name: 'run' }],
    [
      { type: 'custom', name: 'run' },
      { type: 'grammar', syntax: 'regex', definition: 'x' },
    ],
  ])('is called with a text by POST /responses: %j, %j', async (tool_choice, format) => {
    const gateway = createGateway()
    const tools = [{ type: 'custom', ...tool, format }]
    const body = { model: 'a/b', input: 'Run', tools, tool_choice }
    const { output } = (await call(gateway, 'POST /responses', { body })).body
    expect(output).toMatchObject([{ type: 'custom_tool_call', name: 'run', input: plain }])
    const warning = "The input of 'run' might not follow the tool's grammar, which is not simulated"
    expect(gateway.journal.entries()[0]?.warnings).toEqual(format ? [warning] : [])
  })

  it.runIf(hasExtra('chat'))('is called with a text by POST /chat/completions', async () => {
    const body = {
      model: 'a/b',
      messages: [{ role: 'user', content: 'Run' }],
      tools: [{ type: 'custom', custom: tool }],
      tool_choice: { type: 'custom', custom: { name: 'run' } },
    }
    const [choice] = (await call(createGateway(), 'POST /chat/completions', { body })).body.choices
    expect(choice).toMatchObject({
      finish_reason: 'tool_calls',
      message: { tool_calls: [{ type: 'custom', custom: { name: 'run', input: plain } }] },
    })
  })
})

describe('POST /responses: rejected tool choices', () => {
  const forces = (type: string) => `Forces a tool of type '${type}', which only a rule can simulate`
  it.each<[fields: object, strict: boolean, message: string]>([
    [{ tools: [{ type: 'own' }], tool_choice: 'required' }, false, forces('own')],
    [
      { tools: [{ type: 'custom', name: 'run' }], tool_choice: { type: 'custom', name: 'ran' } },
      false,
      forces('custom'),
    ],
    [{ tool_choice: { type: long(101) } }, false, forces(long(100))],
    [{ tool_choice: 'required' }, true, 'Requires a tool, but the request has none'],
  ])('%j, strict: %j', async (fields, strict, message) => {
    expect(await ask(fields, { strict })).toMatchObject({
      violations: [{ path: 'body.tool_choice', message, rule: 'toolChoice' }],
      assumptions: 'notSimulated',
      warnings: expect.not.arrayContaining([expect.stringContaining('was ignored')]),
    })
  })
})

describe('POST /responses: presets', () => {
  it.each([[[search]], [[fn('g')]], [[{ type: 'f' }]], [[]]])(
    'reject a tool_choice that names no function in the tools: %j',
    async (tools) => {
      const tool_choice = { type: 'function', name: 'f' }
      expect((await ask({ model: '@preset/email-copywriter', tools, tool_choice })).violations).toEqual([
        {
          path: 'body.tool_choice.name',
          message: 'Must name one of the function tools',
          rule: 'unknown_tool',
        },
      ])
    },
  )
})

describe.runIf(hasExtra('chat'))('POST /chat/completions with n', () => {
  it('adds the output of all choices, and counts the input once', async () => {
    const gateway = createGateway({ timeScale: 0 })
    const usageOf = async (n?: number) => {
      const body = {
        model: 'aurora/dawn-2',
        messages: [{ role: 'user', content: 'How do tides work?' }],
        reasoning_effort: 'low',
        n,
      }
      const { choices, usage } = (await call(gateway, 'POST /chat/completions', { body })).body
      const written = choices.reduce(
        (sum: number, { message }: { message: { content: string } }) => sum + countTokens(message.content),
        0,
      )
      const reasoning = usage.completion_tokens_details.reasoning_tokens
      expect(usage.completion_tokens).toBe(written + reasoning)
      return [choices.length, usage.prompt_tokens, reasoning]
    }
    expect(await Promise.all([undefined, 1, 2, 3].map(usageOf))).toEqual([
      [1, 5, 114],
      [1, 5, 114],
      [2, 5, 257],
      [3, 5, 359],
    ])
  })
})

describe.runIf(hasExtra('messages'))('POST /messages with unknown blocks', () => {
  it.each<[types: string[], named: string[]]>([
    [
      ['a', 'a', 'b'],
      ['a', 'b'],
    ],
    [repeat(21, (n) => `t${n}`), repeat(20, (n) => `t${n}`)],
    [[long(101)], [long(100)]],
  ])('names up to 20 types, each with up to 100 characters: %j', async (types, named) => {
    const gateway = createGateway({ timeScale: 0 })
    const content = [{ type: 'text', text: 'Hi' }, ...types.map((type) => ({ type }))]
    const body = { model: 'aurora/dawn-2', max_tokens: 9, messages: [{ role: 'user', content }] }
    await call(gateway, 'POST /messages', { body })
    expect(gateway.journal.entries()[0]?.warnings).toEqual([
      `Input of type ${named.map((type) => `'${type}'`).join(', ')} was counted, but does not affect the reply`,
    ])
  })
})

describe('POST /responses: unlisted models', () => {
  const names = repeat(12, (n) => `m${n}/x`)
  it.each<[models: string[], model: string, warning: string]>([
    [['aurora/*'], 'borealis/polar-4', ' (aurora/*): add it to the models option, or correct the name'],
    [['aurora/*'], 'auroar/dawn-2', "; did you mean 'aurora/dawn-2'?"],
    [['kestrel/hover-2'], 'kestrel/hover2', "; did you mean 'kestrel/hover-2'?"],
    [
      names,
      'zzzzzzzzzz/yyyyy',
      ` (${names.slice(0, 10).join(', ')}): add it to the models option, or correct the name`,
    ],
    [[`a/${long(198)}`], `b/${long(198)}`, `; did you mean 'a/${long(198)}'?`],
  ])('models %j, model %s', async (models, model, hint) => {
    const problem = `'${model}' is not one of this gateway's models${hint}`
    expect((await ask({ model }, { models })).warnings).toEqual([`body.model ${problem}`])
    expect((await ask({ model }, { models, strict: true })).violations).toEqual([
      { path: 'body.model', message: problem, rule: 'unknown_model' },
    ])
  })

  it.each(['gpt-5', 'aurora/anything', 'Aurora/dawn-2', 'aurora/dawn-2:online', 'kestrel/hover-2'])(
    'a name is accepted if the models option lists it: %s',
    async (model) => {
      for (const strict of [true, false]) {
        const models = ['gpt-*', 'aurora/*', 'kestrel/hover-2']
        const { warnings, violations } = await ask({ model }, { models, strict })
        expect([warnings, violations]).toEqual([model.endsWith(':online') ? [online] : [], undefined])
      }
    },
  )

  it('are truncated to 200 characters, and longer ones are not compared', async () => {
    const { warnings } = await ask({ model: `b/${long(199)}` }, { models: ['a/*'] })
    expect(warnings).toEqual([
      `body.model 'b/${long(198)}' is not one of this gateway's models (a/*): add it to the models option, or correct the name`,
    ])
  })
})

describe('POST /responses: number of reasoning tokens', () => {
  it.each<[reasoning: object, tokens: number]>([
    [{ effort: null, max_tokens: 10, summary: null }, 10],
    [{ max_tokens: 1 }, 1],
    [{ effort: 'none', max_tokens: 5 }, 0],
    [{ effort: 'low', max_tokens: 0 }, 0],
    [{ effort: 'low', enabled: false }, 0],
    [{ effort: 'low', exclude: true }, 114],
    [{ enabled: true }, 303],
    [{ summary: 'auto' }, 303],
  ])('%j', async (reasoning, tokens) => {
    expect((await ask({ reasoning })).reasoning).toBe(tokens)
  })
})

describe('POST /responses: scripted calls and citations', () => {
  const reply = { output: [{ type: 'function_call', name: 'wether' }] }
  const missing = "the script calls 'wether', but the request's tools do not include it"

  it.each<[fields: object, warnings: string[]]>([
    [{}, [missing]],
    [{ tools: [search] }, [missing]],
    [{ tools: [fn('weather')] }, [`${missing}; did you mean 'weather'?`]],
    [{ tools: [fn('wether')] }, []],
  ])('warn about tools that the request does not offer: %j', async (fields, warnings) => {
    expect((await ask(fields, {}, reply)).warnings).toEqual(warnings)
  })

  it.each<[args: unknown, strict: boolean | undefined, problem?: string]>([
    [{ q: 1 }, true, 'q: type: Instance type "number" is invalid. Expected "string".'],
    [{}, true, 'required: Instance does not have required property "q".'],
    ['{"q": ', true, 'not valid JSON'],
    [{ q: 'x' }, true],
    [{ q: 1 }, undefined],
    [{ q: 1 }, false],
  ])('warn about the arguments %j, strict: %j', async (args, strict, problem) => {
    const gateway = createGateway()
    const properties = { q: { type: 'string' } }
    const parameters = { type: 'object', properties, required: ['q'], additionalProperties: false }
    gateway.reply({ output: [{ type: 'function_call', name: 'find', arguments: args as object }] })
    const fn = { name: 'find', parameters, strict }
    const question = { model: 'a/b', messages: [{ role: 'user', content: 'Find' }] }
    const requests = {
      '/responses': { model: 'a/b', input: 'Find', tools: [{ type: 'function', ...fn }] },
      '/chat/completions': { ...question, tools: [{ type: 'function', function: fn }] },
      '/messages': {
        ...question,
        max_tokens: 99,
        tools: [{ name: 'find', input_schema: parameters, strict }],
      },
    }
    const warning = `the script calls 'find' with arguments that its strict schema rejects: ${problem}`
    for (const [path, body] of Object.entries(requests)) {
      if (!(path === '/responses' || hasExtra(path === '/messages' ? 'messages' : 'chat'))) continue
      expect((await call(gateway, `POST ${path}`, { body })).status).toBe(200)
      expect(gateway.journal.entries().at(-1)?.warnings).toEqual(problem ? [warning] : [])
    }
  })

  it.each<[reply: object, strict: boolean | undefined, problem?: string, fields?: object]>([
    [{ text: 'At six.' }, true, 'not valid JSON'],
    [{ text: '{"q":1}' }, true, 'q: type: Instance type "number" is invalid. Expected "string".'],
    [
      { output: [{ type: 'message', content: '{}' }] },
      true,
      'required: Instance does not have required property "q".',
    ],
    [{ text: '{"q":"x"}' }, true],
    [{ text: 'At six.' }, false],
    [{ text: 'At six.' }, undefined],
    [{ text: 'At six, or maybe at seven.' }, true, undefined, { max_tokens: 1, max_output_tokens: 1 }],
    [{ text: '{"q":', incompleteReason: 'max_output_tokens' }, true],
    [{ output: [{ type: 'message', content: [{ type: 'refusal', refusal: 'No.' }] }] }, true],
    [
      {
        output: [
          { type: 'message', content: 'I look.' },
          { type: 'function_call', name: 'find' },
        ],
      },
      true,
    ],
  ])('warn about the text of %j, strict: %j', async (reply, strict, problem, fields) => {
    const gateway = createGateway()
    const schema = { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] }
    const format = { type: 'json_schema', name: 'find', schema, strict }
    const question = { model: 'a/b', messages: [{ role: 'user', content: 'Find' }] }
    const fn = { name: 'find', parameters: {} }
    const requests: [path: string, body: object, place: string][] = [
      [
        '/responses',
        { model: 'a/b', input: 'Find', tools: [{ type: 'function', ...fn }], text: { format } },
        'text.format',
      ],
    ]
    if (hasExtra('chat')) {
      const response_format = { type: 'json_schema', json_schema: format }
      const tools = [{ type: 'function', function: fn }]
      requests.push([
        '/chat/completions',
        { ...question, tools, response_format },
        'response_format.json_schema',
      ])
    }
    // Messages have no such field: their format is always strict.
    if (hasExtra('messages') && strict) {
      const output_config = { format: { type: 'json_schema', schema } }
      const tools = [{ name: 'find', input_schema: {} }]
      requests.push([
        '/messages',
        { max_tokens: 99, ...question, tools, output_config },
        'output_config.format',
      ])
    }
    gateway.reply(reply)
    for (const [path, body, place] of requests) {
      expect((await call(gateway, `POST ${path}`, { body: { ...body, ...fields } })).status).toBe(200)
      const warning = `the scripted text violates the strict schema in body.${place}.schema: ${problem}`
      const warnings = gateway.journal
        .entries()
        .at(-1)
        ?.warnings.filter((each) => each.includes('scripted'))
      expect(warnings).toEqual(problem ? [warning] : [])
    }
  })

  it('simulate a search without results only if a search runs', async () => {
    const none = { citations: [] }
    const one = { citations: [{ url: 'https://a.example/x' }] }
    const plain = await ask({})
    expect((await ask({}, {}, none)).text).toBe(plain.text)
    expect(await ask({}, {}, one)).toMatchObject({ items: types.text, annotations: 1 })
    const nothing = await ask({ tools: [search] }, {}, none)
    expect(nothing).toMatchObject({ items: types.searched, annotations: 0 })
    expect(nothing.text).not.toBe(plain.text)
    expect(await ask({ tools: [search] }, {}, one)).toMatchObject({ items: types.searched, annotations: 1 })
  })
})
