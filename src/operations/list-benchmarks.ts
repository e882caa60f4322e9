/** Benchmark scores for models, from two sources with different fields. Spec: GET /benchmarks. */
import * as z from 'zod'
import { ok } from '../http/reply.ts'
import { defineOperation } from '../operation.ts'
import {
  Arena,
  Benchmark,
  BenchmarkSource,
  type DesignBenchmark,
  type IndexBenchmark,
} from '../resources/benchmark.ts'
import { isoTimestamp } from '../resources/text.ts'

const TaskType = z.lazy(() => z.enum(['coding', 'intelligence', 'agentic']))

const BenchmarkMeta = z.lazy(() =>
  z
    .strictObject({
      as_of: isoTimestamp(),
      model_count: z.int().nonnegative().describe('Number of distinct models in data.'),
      version: z.string(),
      source: BenchmarkSource.nullable().describe('Null when no source was requested.'),
      source_url: z.string().nullable(),
      citation: z.string().nullable().describe('Attribution text.'),
      task_type: TaskType.nullable(),
    })
    .meta({ id: 'BenchmarkMeta', description: 'Description and source of the benchmark items.' }),
)
type BenchmarkMeta = z.infer<typeof BenchmarkMeta>

/** Whole number in decimal digits, at least 1. The specification has no upper bound. */
const Count = z.lazy(() =>
  z
    .string()
    .regex(/^\d+$/, 'Must be a whole number in decimal digits')
    .transform((digits) => Math.min(Number(digits), Number.MAX_SAFE_INTEGER))
    .pipe(z.int().min(1)),
)

const Query = z.lazy(() =>
  z.object({
    source: BenchmarkSource.optional().describe('Source, which sets the item shape. Default: all sources.'),
    task_type: TaskType.optional().describe('Selects the matching index or category.'),
    arena: Arena.optional().describe('Arena to list. Only for design-source, where the default is models.'),
    category: z.string().min(1).optional().describe('Category within the arena. Only for design-source.'),
    max_results: Count.optional().describe('Default: all matching results.'),
  }),
)
type Query = z.infer<typeof Query>

/** Lists benchmark rows. Assumptions: `benchmarkOrder`, `designFiltersWithoutSource` and others. */
export const listBenchmarks = defineOperation({
  id: 'listBenchmarks',
  method: 'get',
  path: '/benchmarks',
  doc: { summary: 'List benchmarks', tag: 'Benchmarks' },
  input: { query: Query },
  output: z.lazy(() => z.object({ data: z.array(Benchmark), meta: BenchmarkMeta })),
  async resolve({ query, sandbox, assume, warn }) {
    assume('benchmarkOrder')
    assume('benchmarkMeta')
    if (query.max_results === Number.MAX_SAFE_INTEGER) assume('largeIntegers')
    for (const name of query.source === 'index-source' ? (['arena', 'category'] as const) : [])
      if (query[name] !== undefined) warn(`query.${name} was ignored, because it is only for design-source`)
    if (query.source !== 'index-source') {
      assume('designShape')
      if (query.task_type) assume('taskTypeOnDesign')
      if (!query.source && (query.arena ?? query.category) !== undefined) assume('designFiltersWithoutSource')
    }
    const { benchmarks } = sandbox.tables
    return ok(await benchmarks.memo(JSON.stringify(query), (rows) => Object.freeze(list(rows, query))))
  },
})

function list(rows: readonly Benchmark[], query: Query) {
  const data = [...indexRows(rows, query), ...designRows(rows, query)].slice(0, query.max_results)
  return { data, meta: metaOf(data, query) }
}

/** Returns index rows sorted by the task type's index, best first. The default task type is `intelligence`. */
function indexRows(
  rows: readonly Benchmark[],
  { source, task_type = 'intelligence' }: Query,
): IndexBenchmark[] {
  if (source === 'design-source') return []
  return rows
    .filter((row) => row.source === 'index-source')
    .sort((left, right) => right[`${task_type}_index`] - left[`${task_type}_index`])
}

function designRows(rows: readonly Benchmark[], query: Query): DesignBenchmark[] {
  if (query.source === 'index-source') return []
  const arena = query.arena ?? (query.source === 'design-source' ? 'models' : undefined)
  const category = query.category ?? (query.task_type === 'coding' ? 'codecategories' : undefined)
  return rows
    .filter((row) => row.source === 'design-source')
    .filter((row) => arena === undefined || row.arena === arena)
    .filter((row) => category === undefined || row.category === category)
    .sort((left, right) => right.elo - left.elo)
}

function metaOf(data: readonly Benchmark[], { source, task_type }: Query): BenchmarkMeta {
  return {
    as_of: '2025-12-15T00:00:00.000Z',
    model_count: new Set(data.map((row) => row.model_permaslug)).size,
    version: 'v1',
    source: source ?? null,
    ...(source ? origins[source] : { source_url: null, citation: null }),
    task_type: task_type ?? null,
  }
}

const origins = {
  'index-source': {
    source_url: 'https://index.benchmarks.example',
    citation: 'Scores by Index Source (index.benchmarks.example).',
  },
  'design-source': {
    source_url: 'https://design.benchmarks.example',
    citation: 'Ratings by Design Source (design.benchmarks.example).',
  },
} as const
