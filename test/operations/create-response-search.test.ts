import { describe, expect, it } from 'vitest'
import pages from '../../fixtures/pages.json' with { type: 'json' }
import posts from '../../fixtures/posts.json' with { type: 'json' }
import type { GatewayOptions } from '../../src/index.ts'
import type { UrlCitation } from '../../src/resources/response.ts'
import { describeAdapters } from '../describe-adapters.ts'

const model = 'aurora/dawn-2'
const options: GatewayOptions = { search: { limitedEngine: 'engine_b' } }
const search = { type: 'gateway:web_search' }

describeAdapters('POST /responses with web search', options, (entrance) => {
  const create = (body: object) =>
    entrance.call('POST /responses', { body: { model, input: 'How do tides work?', ...body } })
  const cited = async (body: object): Promise<UrlCitation[]> =>
    (await create(body)).body.output.findLast(({ type }: { type: string }) => type === 'message').content[0]
      .annotations
  const domains = async (body: object) =>
    [...new Set((await cited(body)).map(({ url }) => new URL(url).hostname))].sort()

  describe.each<[string, (terms: object) => object]>([
    ['requested by the tool', (terms) => ({ tools: [{ ...search, parameters: terms }] })],
    ['requested by the plugin', (terms) => ({ plugins: [{ id: 'web', ...terms }] })],
  ])('%s', (_, bodyWith) => {
    it('cites five pages by default, after a web_search_call item', async () => {
      const { output } = (await create(bodyWith({}))).body
      expect(output).toMatchObject([
        { type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'tides work' } },
        { type: 'message' },
      ])
      expect(output[1].content[0].annotations).toHaveLength(5)
    })

    it.each([1, 25])('cites %i pages if max_results is %i', async (max_results) => {
      expect(await cited(bodyWith({ max_results }))).toHaveLength(max_results)
    })

    it('returns up to 20 results with the limited engine and up to 25 with others', async () => {
      expect(await cited(bodyWith({ engine: 'engine_b', max_results: 20 }))).toHaveLength(20)
      expect(await cited(bodyWith({ engine: 'engine_a', max_results: 21 }))).toHaveLength(21)
    })
  })

  it('does not search unless requested', async () => {
    expect((await create({})).body.output).toHaveLength(1)
    expect((await create({ plugins: [], tools: [] })).body.output).toHaveLength(1)
    expect((await create({ tools: [search], tool_choice: 'none' })).body.output).toHaveLength(1)
  })

  it('prefers the tool over other forms and reports the assumption', async () => {
    const body = { model: `${model}:online`, plugins: [{ id: 'web', max_results: 2 }] }
    expect(await cited(body)).toHaveLength(2)
    const both = { ...body, tools: [{ ...search, parameters: { max_results: 3 } }] }
    expect(await cited(both)).toHaveLength(3)
    expect((await create(both)).headers.get('x-understudy-assumptions')).toContain('searchForms')
  })

  it('accepts engine `auto` and lists it in the error for an unknown engine', async () => {
    const { body } = await create({ tools: [{ ...search, parameters: { engine: 'engine_z' } }] })
    expect(body.error.metadata.violations[0].message).toContain(
      "Must be 'auto', 'native', 'engine_a', 'engine_b' or 'engine_c', got 'engine_z'; did you mean 'engine_a'?",
    )
    for (const engine of ['auto', 'engine_c'])
      expect(await cited({ tools: [{ ...search, parameters: { engine } }] })).toHaveLength(5)
  })

  it('searches alongside other tools only if the question asks for it or the tool is forced', async () => {
    const tools = [search, { type: 'function', name: 'edit' }]
    const types = async (fields: object) =>
      (await create({ tools, ...fields })).body.output.map(({ type }: { type: string }) => type)
    const result = { type: 'function_call_output', call_id: 'c', output: 'Done.' }
    expect(await types({ input: 'Rename the file' })).toEqual(['message'])
    expect(await types({ input: 'Search for tides' })).toEqual(['web_search_call', 'message'])
    expect(await types({ input: 'Rename the file', tool_choice: search })).toEqual([
      'web_search_call',
      'message',
    ])
    expect(await types({ input: [{ role: 'user', content: 'Search for tides' }, result] })).toEqual([
      'message',
    ])
    expect(await types({ tool_choice: { type: 'function', name: 'edit' } })).toEqual(['function_call'])
    const { headers } = await create({ tools, input: 'Rename the file' })
    expect(headers.get('x-understudy-assumptions')).toContain('offeredSearch')
  })

  it('respects allowed and excluded domains, in the tool and in the plugin', async () => {
    const example = ['api.docs.example.com', 'docs.example.com']
    const tool = (parameters: object) => ({
      tools: [{ ...search, parameters: { max_results: 25, ...parameters } }],
    })
    const plugin = (terms: object) => ({ plugins: [{ id: 'web', max_results: 25, ...terms }] })
    expect(await domains(tool({ allowed_domains: ['*.example.com'] }))).toEqual(example)
    expect(await domains(plugin({ include_domains: ['*.example.com'] }))).toEqual(example)
    expect(await domains(plugin({ include_domains: ['*.example.com', 'example.com'] }))).toEqual([
      ...example,
      'example.com',
    ])
    expect(
      await domains(tool({ allowed_domains: ['*.example.com'], excluded_domains: ['docs.example.com'] })),
    ).toEqual(['api.docs.example.com'])
    expect(await domains(plugin({ exclude_domains: ['*.example.com'] }))).not.toContain('docs.example.com')
  })

  it('returns text without citations if no page passes the filters', async () => {
    const { status, body } = await create({ plugins: [{ id: 'web', include_domains: ['nowhere.example'] }] })
    expect(status).toBe(200)
    expect(body.output).toMatchObject([{ type: 'web_search_call' }, { content: [{ annotations: [] }] }])
  })

  it('returns correct citation offsets after non-ASCII text', async () => {
    const { content } = (await create({ model: `${model}:online`, input: 'Miksi 👩‍👩‍👧 näkee vuoroveden?' }))
      .body.output[1]
    const [{ text, annotations }] = content
    expect(text).toContain('👩‍👩‍👧 näkee')
    for (const { url, title, start_index, end_index, content: excerpt } of annotations) {
      expect(text.slice(start_index, end_index)).toBe(`[${new URL(url).hostname}](${url})`)
      expect(pages).toContainEqual(expect.objectContaining({ url, title, excerpt }))
    }
  })

  it('omits citations after the max_output_tokens limit', async () => {
    const online = { model: `${model}:online` }
    const whole = (await create(online)).body
    const [{ text }] = whole.output[1].content
    for (let tokens = 20; tokens < whole.usage.output_tokens; tokens += 9) {
      const cut = (await create({ ...online, max_output_tokens: tokens })).body
      const [part] = cut.output[1].content
      expect(cut.usage.output_tokens).toBe(tokens)
      expect(text.startsWith(part.text)).toBe(true)
      for (const { url, end_index } of part.annotations)
        expect(part.text.slice(0, end_index)).toMatch(`](${url})`)
      expect(part.annotations).toHaveLength(part.text.split('](').length - 1)
    }
  })

  it('does not search if the reply is a function call', async () => {
    const tools = [{ type: 'function', name: 'lookUp', parameters: {} }]
    for (const tool_choice of ['required', { type: 'function', name: 'lookUp' }]) {
      const { headers, body } = await create({ model: `${model}:online`, tools, tool_choice })
      expect(body.output).toMatchObject([{ type: 'function_call', name: 'lookUp' }])
      expect(headers.get('x-understudy-assumptions')).not.toContain('searchResults')
    }
  })

  describe('with structured output', () => {
    const structured = async (properties: object) => {
      const schema = {
        type: 'object',
        properties,
        required: Object.keys(properties),
        additionalProperties: false,
      }
      const format = { type: 'json_schema', name: 'x', schema }
      const { headers, body } = await create({ model: `${model}:online`, text: { format } })
      expect(headers.get('x-understudy-assumptions')).toContain('citedStructure')
      const [{ text, annotations }] = body.output[1].content
      return { text, annotations: annotations as UrlCitation[], value: JSON.parse(text) }
    }

    it('cites in strings that may contain a link', async () => {
      const { text, annotations, value } = await structured({
        kind: { enum: ['a', 'b'] },
        summary: { type: 'string' },
        short: { type: 'string', maxLength: 12 },
        when: { type: 'string', format: 'date' },
      })
      expect(annotations).toHaveLength(5)
      for (const { url, start_index, end_index } of annotations) {
        expect(text.slice(start_index, end_index)).toBe(`[${new URL(url).hostname}](${url})`)
        expect(value.summary).toContain(url)
      }
      expect(value.short.length).toBeLessThanOrEqual(12)
      expect(['a', 'b']).toContain(value.kind)
    })
  })

  it('cites pages in fixture order and adds a warning if no page matches', async () => {
    const citations = await cited({ tools: [search], input: 'qqqq zzzz' })
    expect(citations.map(({ url }) => url)).toEqual(pages.slice(0, 5).map(({ url }) => url))
    expect(entrance.sandbox.journal.last('createResponse')?.warnings).toEqual([
      expect.stringContaining('No page matches'),
    ])
    await cited({ tools: [search], input: 'sourdough' })
    expect(entrance.sandbox.journal.last('createResponse')?.warnings).toEqual([])
  })

  it("searches the sandbox's pages", async () => {
    const page = { url: 'https://own.example/a', title: 'Zymurgy', excerpt: 'On brewing.' }
    await entrance.sandbox.db.pages.create(page)
    const [first] = await cited({ tools: [search], input: 'zymurgy' })
    expect(first).toMatchObject({ url: page.url, title: page.title, content: page.excerpt })
  })
})

describeAdapters('POST /responses with x_search_filter', (entrance) => {
  const vendor = 'x-ai/grok'
  const create = (filter: object, body: object = {}) =>
    entrance.call('POST /responses', {
      body: { model: `${vendor}:online`, input: 'tide', x_search_filter: filter, ...body },
    })
  const isPost = ({ url }: { url: string }) => url.startsWith('https://social.example/')
  const citedIn = async (...request: Parameters<typeof create>): Promise<UrlCitation[]> =>
    (await create(...request)).body.output.at(-1).content[0].annotations
  const many = { model: vendor, tools: [{ ...search, parameters: { max_results: 25 } }] }
  const postsIn = async (filter: object) => (await citedIn(filter, many)).filter(isPost)

  it('cites posts in addition to pages, within max_results', async () => {
    const cited = await citedIn({})
    expect(cited).toHaveLength(5)
    expect(cited.some(isPost)).toBe(true)
    expect(cited.every(isPost)).toBe(false)
  })

  it.each([
    ['only allowed handles, ignoring @ and case', { allowed_x_handles: ['@ORBIT_daily'] }, true],
    ['no excluded handles', { excluded_x_handles: ['orbit_daily'] }, false],
  ])('cites %s', async (_, filter, isAllowed) => {
    const cited = await postsIn(filter)
    expect(cited.length).toBeGreaterThan(0)
    for (const { url } of cited) expect(url.includes('/Orbit_Daily/')).toBe(isAllowed)
  })

  it('cites only posts between the dates, inclusive', async () => {
    const day = '2025-01-13'
    const cited = await postsIn({ from_date: day, to_date: day })
    expect(cited.map(({ url }) => url)).toEqual(
      posts.filter(({ date }) => date.startsWith(day)).map(({ url }) => url),
    )
    expect(cited.length).toBeGreaterThan(0)
    expect(await postsIn({ from_date: '2099-01-01' })).toEqual([])
  })

  it.each([
    ['enable_image_understanding', 'images'],
    ['enable_video_understanding', 'videos'],
  ] as const)(
    'with %s, appends media descriptions to excerpts without filtering posts',
    async (flag, media) => {
      const post = posts.find((each) => (each[media] ?? []).length > 0)
      const only = { allowed_x_handles: [post?.handle] }
      const [without, having] = [await postsIn(only), await postsIn({ ...only, [flag]: true })]
      expect(having.map(({ url }) => url)).toEqual(without.map(({ url }) => url))
      const excerpt = (list: UrlCitation[]) => list.find(({ url }) => url === post?.url)?.content
      expect(excerpt(without)).toBe(post?.text)
      expect(excerpt(having)).toContain(post?.[media]?.[0]?.description)
    },
  )

  it("ignores the filter, with a warning, for other vendors' models and if no search is requested", async () => {
    for (const body of [{ model: `${model}:online` }, { model: vendor }]) {
      const { status, body: reply } = await create({}, body)
      expect(status).toBe(200)
      expect(reply.output.at(-1).content[0].annotations.some(isPost)).toBe(false)
      expect(entrance.sandbox.journal.last('createResponse')?.warnings).toContainEqual(
        expect.stringContaining('x_search_filter'),
      )
    }
  })
})
