import { expect, it } from 'vitest'
import { assumptions } from '../../src/assumptions.ts'
import { describeAdapters } from '../describe-adapters.ts'

const request = { model: 'aurora/dawn-2', input: 'How do tides work?' }
const search = { type: 'gateway:web_search' }
const message = (content: unknown, role = 'user') => ({ type: 'message', role, content })
const asked = [message([{ type: 'input_text', text: 'Hi' }])]

/** What a reply rests on, and did not name. */
const branches: [string, object, string[]][] = [
  ['an input as specified', { input: asked }, []],
  ['a content that is a string', { input: [message('Hi')] }, ['inputItems']],
  ['a message without its type', { input: [{ role: 'user', content: asked[0]?.content }] }, ['inputItems']],
  [
    'a function output',
    { input: [...asked, { type: 'function_call_output', call_id: 'c', output: 'x' }] },
    ['inputItems'],
  ],
  ['an image', { input: [message([{ type: 'input_image', image_url: 'data:,' }])] }, ['inputItems']],
  ['an unknown item', { input: [{ type: 'computer_call' }] }, ['violations', 'inputItems']],
  ['store: true', { store: true }, ['violations', 'inputItems']],
  ['a model without a vendor', { model: 'dawn' }, ['violations', 'modelName']],
  ['a function', { tools: [{ type: 'function', name: 'f' }] }, ['toolShape']],
  ['a function without a name', { tools: [{ type: 'function' }] }, ['violations', 'toolShape']],
  ['a search tool', { tools: [search] }, ['searchResults', 'toolShape', 'webSearchItem']],
  ['a limit that is not reached', { max_output_tokens: 5000 }, ['tokens']],
  ['a limit that cuts', { max_output_tokens: 5 }, ['tokens', 'responseStatus']],
  ['a limit beyond 2^53', { max_output_tokens: 2 ** 60 }, ['violations', 'largeIntegers']],
  ['reasoning', { reasoning: { effort: 'low' } }, ['reasoning']],
  ['a day', { x_search_filter: { from_date: '2025-01-01' } }, ['xSearchModels', 'dates']],
  [
    'more than the limited engine gives',
    { tools: [{ ...search, parameters: { engine: 'engine_b', max_results: 25 } }] },
    ['limitedEngine', 'violations'],
  ],
]

describeAdapters('The branches of POST /responses', { limitedEngine: 'engine_b' }, ({ call }) => {
  it.each(branches)('with %s name what they rest on', async (_, fields, names) => {
    const { headers } = await call('POST /responses', { body: { ...request, ...fields } })
    expect(headers.get('x-understudy-assumptions')).toBe(names.length > 0 ? names.join(', ') : null)
    for (const name of names) expect(assumptions).toHaveProperty(name)
  })
})

describeAdapters('The branches of other operations', (entrance) => {
  const restingOn = async (line: `GET /${string}`) =>
    (await entrance.call(line)).headers.get('x-understudy-assumptions')

  it('name a repeated parameter', async () => {
    expect(await restingOn('GET /benchmarks?max_results=1&max_results=2')).toBe(
      'violations, repeatedParameter',
    )
  })

  it('name a count beyond 2^53', async () => {
    expect(await restingOn('GET /benchmarks?max_results=99999999999999999999')).toContain('largeIntegers')
    expect(await restingOn('GET /benchmarks?max_results=99')).not.toContain('largeIntegers')
  })

  it('name the status of a preset that is not active, and other keys of its configuration', async () => {
    expect(await restingOn('GET /presets/code-review')).toBe('presetConfig')
    const presets = entrance.sandbox.db.presets
    await presets.update('code-review', { status: 'archived' })
    expect(await restingOn('GET /presets/code-review')).toBe('presetStatus, presetConfig')
  })
})
