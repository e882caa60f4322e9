import { expect, it } from 'vitest'
import { assumptions } from '../../src/assumptions.ts'
import { describeAdapters } from '../describe-adapters.ts'
import { isOnlySpecified } from '../only-specified.ts'

const request = { model: 'aurora/dawn-2', input: 'How do tides work?' }
const search = { type: 'gateway:web_search' }
const message = (content: unknown, role = 'user') => ({ type: 'message', role, content })
const conversation = [message([{ type: 'input_text', text: 'Hi' }])]

/** [title, request fields, assumptions that the reply depends on] */
const cases: [string, object, string][] = [
  ['a specified input', { input: conversation }, ''],
  ['string content', { input: [message('Hi')] }, 'inputItems'],
  [
    'a message without a type',
    { input: [{ role: 'user', content: conversation[0]?.content }] },
    'inputItems',
  ],
  [
    'a function output',
    { input: [...conversation, { type: 'function_call_output', call_id: 'c', output: 'x' }] },
    'inputItems',
  ],
  ['an image', { input: [message([{ type: 'input_image', image_url: 'data:,' }])] }, 'inputItems'],
  [
    'an unknown item',
    { input: [{ type: 'computer_call' }] },
    isOnlySpecified ? 'violations, inputItems' : 'inputItems',
  ],
  ['store: true', { store: true }, 'violations, inputItems'],
  ['a model without a vendor', { model: 'dawn' }, isOnlySpecified ? 'violations, modelName' : 'modelName'],
  ['a function', { tools: [{ type: 'function', name: 'f' }] }, 'toolShape'],
  ['a function without a name', { tools: [{ type: 'function' }] }, 'violations, toolShape'],
  ['a search tool', { tools: [search] }, 'searchResults, toolShape, webSearchItem'],
  ['a token limit that is not reached', { max_output_tokens: 5000 }, 'tokens'],
  ['a token limit that is reached', { max_output_tokens: 5 }, 'tokens, responseStatus'],
  ['a token limit above 2^53', { max_output_tokens: 2 ** 60 }, 'violations, largeIntegers'],
  ['reasoning', { reasoning: { effort: 'low' } }, 'reasoning'],
  ['a date', { x_search_filter: { from_date: '2025-01-01' } }, 'xSearchModels, dates'],
  ['a date with a time', { x_search_filter: { from_date: '2025-01-01T00:00:00Z' } }, 'violations, dates'],
  ['a preset', { model: '@preset/code-review' }, 'presetModel, presetConfig'],
  ['an unknown preset', { model: '@preset/none' }, 'presetModel, notFound'],
  [
    'a forced function',
    { tool_choice: 'required', tools: [{ type: 'function', name: 'f' }] },
    'forcedTool, toolShape',
  ],
  [
    'a search with allowed domains',
    { tools: [{ ...search, parameters: { allowed_domains: ['example.com'] } }] },
    'searchResults, domainEntries, toolShape, webSearchItem',
  ],
  [
    'a search with excluded domains',
    { tools: [{ ...search, parameters: { excluded_domains: ['example.com'] } }] },
    'searchResults, domainEntries, toolShape, webSearchItem',
  ],
  [
    'a search requested twice',
    { plugins: [{ id: 'web' }], tools: [search] },
    'searchForms, searchResults, toolShape, webSearchItem',
  ],
  ['a native search', { model: 'aurora/dawn-2:online' }, 'nativeSearch, searchResults, webSearchItem'],
  [
    'posts in addition to pages',
    { model: 'x-ai/d:online', x_search_filter: { from_date: '2025-01-01' } },
    'nativeSearch, searchResults, xSearchPosts, dates, webSearchItem',
  ],
  [
    'citations in structured output',
    {
      tools: [search],
      text: {
        format: {
          type: 'json_schema',
          name: 'n',
          schema: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
        },
      },
    },
    'searchResults, citedStructure, toolShape, webSearchItem',
  ],
  [
    'max_results above the limit of the engine',
    { tools: [{ ...search, parameters: { engine: 'engine_b', max_results: 25 } }] },
    'limitedEngine, violations',
  ],
]

describeAdapters('assumptions of POST /responses', { search: { limitedEngine: 'engine_b' } }, ({ call }) => {
  it.each(cases)('are listed in the reply header: %s', async (_, fields, names) => {
    const { headers } = await call('POST /responses', { body: { ...request, ...fields } })
    expect(headers.get('x-understudy-assumptions')).toBe(names || null)
    for (const name of names.match(/\w+/g) ?? []) expect(assumptions).toHaveProperty(name)
  })
})

describeAdapters('assumptions of other operations', (entrance) => {
  const assumptionsOf = async (line: `GET /${string}`) =>
    (await entrance.call(line)).headers.get('x-understudy-assumptions')

  it.each([
    ['GET /providers', null],
    ['GET /embeddings/models', null],
    ['GET /presets/none', 'notFound'],
    ['GET /benchmarks?source=index-source', 'benchmarkOrder, benchmarkMeta'],
    ['GET /benchmarks', 'benchmarkOrder, benchmarkMeta, designShape'],
    ['GET /benchmarks?task_type=coding', 'benchmarkOrder, benchmarkMeta, designShape, taskTypeOnDesign'],
    [
      'GET /benchmarks?arena=models',
      'benchmarkOrder, benchmarkMeta, designShape, designFiltersWithoutSource',
    ],
    [
      'GET /benchmarks?category=gamedev',
      'benchmarkOrder, benchmarkMeta, designShape, designFiltersWithoutSource',
    ],
    ['GET /benchmarks?source=design-source&category=gamedev', 'benchmarkOrder, benchmarkMeta, designShape'],
  ] as const)('%s reports %s', async (line, names) => {
    expect(await assumptionsOf(line)).toBe(names)
  })

  it.each([
    ['production', { name: 'Newer' }, null],
    ['production', { default_provider_sort: 'latency' }, null],
    ['production', {}, 'emptyUpdate'],
    ['production', { default_provider_sort: 'beauty' }, 'providerSort'],
    ['production', { slug: 'staging' }, 'slugConflict'],
    ['none', { name: 'Newer' }, 'notFound'],
  ])('PATCH /workspaces/%s with %j reports %s', async (workspace, body, names) => {
    const { headers } = await entrance.call(`PATCH /workspaces/${workspace}`, { body })
    expect(headers.get('x-understudy-assumptions')).toBe(names)
  })

  it("PATCH /workspaces/{id} reports workspaceLookup if the id is also another workspace's slug", async () => {
    const { workspaces } = entrance.sandbox.db
    const production = await workspaces.get('production')
    await workspaces.update('staging', { slug: production?.id })
    const { headers } = await entrance.call(`PATCH /workspaces/${production?.id}`, {
      body: { name: 'Newer' },
    })
    expect(headers.get('x-understudy-assumptions')).toBe('workspaceLookup')
  })

  it('GET /benchmarks reports repeatedParameter for a repeated parameter', async () => {
    expect(await assumptionsOf('GET /benchmarks?max_results=1&max_results=2')).toBe(
      'violations, repeatedParameter',
    )
  })

  it('GET /benchmarks reports largeIntegers for a max_results above 2^53', async () => {
    expect(await assumptionsOf('GET /benchmarks?max_results=99999999999999999999')).toContain('largeIntegers')
    expect(await assumptionsOf('GET /benchmarks?max_results=99')).not.toContain('largeIntegers')
  })

  it('GET /presets/{slug} reports presetStatus for an inactive preset, and presetConfig', async () => {
    expect(await assumptionsOf('GET /presets/code-review')).toBe('presetConfig')
    const presets = entrance.sandbox.db.presets
    await presets.update('code-review', { status: 'archived' })
    expect(await assumptionsOf('GET /presets/code-review')).toBe('presetStatus, presetConfig')
  })
})
