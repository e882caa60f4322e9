import { expect, it } from 'vitest'
import { Benchmark, type DesignBenchmark, type IndexBenchmark } from '../../src/resources/benchmark.ts'
import { describeAdapters } from '../describe-adapters.ts'
import { isFullRun } from '../suite-size.ts'

const sources = [undefined, 'index-source', 'design-source'] as const
const taskTypes = [undefined, 'coding', 'intelligence', 'agentic'] as const
const arenas = [undefined, 'models', 'builders', 'agents'] as const
const categories = [undefined, 'codecategories', 'gamedev', 'nonsense'] as const

describeAdapters('GET /benchmarks', (entrance) => {
  const get = async (query: Record<string, string | number | undefined> = {}) => {
    const params = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    )
    const search = new URLSearchParams(params).toString()
    const answer = await entrance.call(search ? `GET /benchmarks?${search}` : 'GET /benchmarks')
    return { ...answer, data: answer.body?.data as Benchmark[], meta: answer.body?.meta }
  }
  const indexRows = (rows: Benchmark[]) =>
    rows.filter((row): row is IndexBenchmark => row.source === 'index-source')
  const designRows = (rows: Benchmark[]) =>
    rows.filter((row): row is DesignBenchmark => row.source === 'design-source')

  it('returns rows from both sources, index rows first, with meta', async () => {
    const { status, body, data, meta } = await get()
    expect(status).toBe(200)
    expect(Object.keys(body)).toEqual(['data', 'meta'])
    for (const row of data) expect(Benchmark.parse(row)).toEqual(row)
    expect(data.map(({ source }) => source)).toEqual([
      ...Array(20).fill('index-source'),
      ...Array(51).fill('design-source'),
    ])
    expect(meta).toMatchObject({
      source: null,
      source_url: null,
      citation: null,
      task_type: null,
      version: 'v1',
    })
  })

  it.each([
    [undefined, 'intelligence_index', 'aurora/dawn-2'],
    ['intelligence', 'intelligence_index', 'aurora/dawn-2'],
    ['coding', 'coding_index', 'cinderpeak/forge-3-coder'],
    ['agentic', 'agentic_index', 'saltmarsh/reed-2-agent'],
  ] as const)(
    'sorts index rows for task_type %s by %s in descending order',
    async (task_type, index, best) => {
      const { data, meta } = await get({ source: 'index-source', task_type })
      const scores = indexRows(data).map((row) => row[index])
      expect(scores).toEqual(scores.toSorted((left, right) => right - left))
      expect(data[0]?.model_permaslug).toBe(best)
      expect(data).toHaveLength(20)
      expect(meta.task_type).toBe(task_type ?? null)
    },
  )

  it('warns of an arena and a category, which only design-source has', async () => {
    await get({ source: 'index-source', arena: 'models', category: 'gamedev' })
    expect(entrance.sandbox.journal.entries()[0]?.warnings).toEqual([
      'query.arena was ignored, because it is only for design-source',
      'query.category was ignored, because it is only for design-source',
    ])
    await get({ source: 'design-source', arena: 'models' })
    expect(entrance.sandbox.journal.entries()[1]?.warnings).toEqual([])
  })

  it.each([1, 2, 20, 21, 1000])('limits the sorted list to max_results=%i', async (max_results) => {
    const all = (await get()).data
    const { data, meta } = await get({ max_results })
    expect(data).toEqual(all.slice(0, max_results))
    expect(meta.model_count).toBe(new Set(data.map((row) => row.model_permaslug)).size)
  })

  it('accepts a max_results beyond the range of safe integers', async () => {
    expect((await get({ max_results: '99999999999999999999' })).data).toHaveLength(71)
  })

  it('applies filters and returns meta for every combination of parameters', async () => {
    const all = sources.flatMap((source) =>
      taskTypes.flatMap((task_type) =>
        arenas.flatMap((arena) => categories.map((category) => ({ source, task_type, arena, category }))),
      ),
    )
    // Tests every fifth combination, or all of them with `fetch` or in a full run.
    const some = all.filter((_, index) => isFullRun || entrance.adapter === 'fetch' || index % 5 === 0)
    for (const { source, task_type, arena, category } of some) {
      const { status, data, meta } = await get({ source, task_type, arena, category })
      const label = JSON.stringify({ source, task_type, arena, category })
      expect(status, label).toBe(200)
      expect(meta.source, label).toBe(source ?? null)
      expect(meta.task_type, label).toBe(task_type ?? null)
      expect(meta.model_count, label).toBe(new Set(data.map((row) => row.model_permaslug)).size)
      expect(indexRows(data), label).toHaveLength(source === 'design-source' ? 0 : 20)
      const expectedArena = arena ?? (source === 'design-source' ? 'models' : undefined)
      const expectedCategory = category ?? (task_type === 'coding' ? 'codecategories' : undefined)
      for (const row of designRows(data)) {
        expect(source, label).not.toBe('index-source')
        if (expectedArena) expect(row.arena, label).toBe(expectedArena)
        if (expectedCategory) expect(row.category, label).toBe(expectedCategory)
      }
    }
  })

  it.each([
    ['source=other', 'query.source'],
    ['source=', 'query.source'],
    ['category=', 'query.category'],
    ['task_type=writing', 'query.task_type'],
    ['arena=tools', 'query.arena'],
    ['max_results=0', 'query.max_results'],
    ['max_results=-1', 'query.max_results'],
    ['max_results=1.5', 'query.max_results'],
    ['max_results=1e2', 'query.max_results'],
    ['max_results=0x10', 'query.max_results'],
    ['max_results=%201', 'query.max_results'],
    ['max_results=ten', 'query.max_results'],
    ['max_results=', 'query.max_results'],
    ['max_results=1&max_results=2', 'query.max_results'],
  ])('responds with 400 to ?%s', async (search, path) => {
    const { status, body } = await entrance.call(`GET /benchmarks?${search}`)
    expect(status).toBe(400)
    expect(body.error.metadata.violations[0].path).toBe(path)
  })
})
