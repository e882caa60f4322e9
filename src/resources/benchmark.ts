/** Benchmark scores from two sources. Spec: Benchmark item, GET /benchmarks. The design item's shape is unspecified. */
import * as z from 'zod'
import words from '../../fixtures/words.json' with { type: 'json' }
import { defineCollection } from './collection.ts'
import { type FactoryContext, pick, price, titled, uniqueWords, VENDORS } from './factory.ts'

const { families: FAMILIES, versions: VERSIONS, tiers: TIERS } = words.benchmarks

export const BenchmarkSource = z.lazy(() => z.enum(['index-source', 'design-source']))

const arenas = ['models', 'builders', 'agents'] as const
export const Arena = z.lazy(() => z.enum(arenas))
export type Arena = z.infer<typeof Arena>

/** Examples from the specification. Any string is valid. */
export const CATEGORIES = words.benchmarks.categories

const Pricing = z.lazy(() => z.strictObject({ prompt: z.string(), completion: z.string() }))
const Count = z.lazy(() => z.int().nonnegative())

export const IndexBenchmark = z.lazy(() =>
  z
    .strictObject({
      source: z.literal('index-source'),
      model_permaslug: z.string(),
      display_name: z.string(),
      intelligence_index: z.number(),
      coding_index: z.number(),
      agentic_index: z.number(),
      pricing: Pricing,
    })
    .meta({ id: 'IndexBenchmark', description: 'The three index scores of a model.' }),
)
export type IndexBenchmark = z.infer<typeof IndexBenchmark>

export const DesignBenchmark = z.lazy(() =>
  z
    .strictObject({
      source: z.literal('design-source'),
      model_permaslug: z.string(),
      display_name: z.string(),
      arena: Arena,
      category: z.string().describe('A category within the arena.'),
      elo: z.number(),
      win_rate: z.number().min(0).max(100).describe('Percentage, 0 to 100.'),
      avg_generation_time_ms: z.number().nonnegative().nullable(),
      tournament_stats: z.strictObject({
        first_place: Count.nullable(),
        second_place: Count.nullable(),
        third_place: Count.nullable(),
        fourth_place: Count.nullable(),
        total: Count.nullable(),
      }),
      pricing: Pricing.nullable(),
    })
    .meta({ id: 'DesignBenchmark', description: "A model's ranking in one category of an arena." }),
)
export type DesignBenchmark = z.infer<typeof DesignBenchmark>

export const Benchmark = z.lazy(() =>
  z
    .discriminatedUnion('source', [IndexBenchmark, DesignBenchmark])
    .meta({ id: 'Benchmark', description: 'A benchmark item, whose shape depends on the source.' }),
)
export type Benchmark = z.infer<typeof Benchmark>

function benchmarkKey(row: Benchmark): string {
  return row.source === 'index-source'
    ? `${row.source}:${row.model_permaslug}`
    : `${row.source}:${row.model_permaslug}:${row.arena}:${row.category}`
}

export const benchmarks = defineCollection({
  name: 'benchmarks',
  schema: Benchmark as z.ZodType<Benchmark>,
  keys: { key: benchmarkKey },
  fixtures: () => import('../../fixtures/benchmarks.json', { with: { type: 'json' } }),
  fake: (context) => (context.index % 2 === 0 ? fakeIndexBenchmark(context) : fakeDesignBenchmark(context)),
})

function fakeIndexBenchmark(context: FactoryContext): IndexBenchmark {
  const { field } = context
  return {
    source: 'index-source',
    ...fakeModel(context),
    intelligence_index: field('intelligence_index').number.float({ min: 15, max: 70, fractionDigits: 1 }),
    coding_index: field('coding_index').number.float({ min: 10, max: 65, fractionDigits: 1 }),
    agentic_index: field('agentic_index').number.float({ min: 5, max: 75, fractionDigits: 1 }),
    pricing: fakePricing(context),
  }
}

export function fakeDesignBenchmark(context: FactoryContext): DesignBenchmark {
  const { field } = context
  const elo = field('elo').number.int({ min: 900, max: 1400 })
  // Expected share of wins against an average opponent.
  const win_rate = Math.round(1000 / (1 + 10 ** ((1150 - elo) / 400))) / 10
  const timed = field('is_timed').datatype.boolean(0.8)
  return {
    source: 'design-source',
    ...fakeModel(context),
    arena: pick(field('arena'), arenas),
    category: pick(field('category'), CATEGORIES),
    elo,
    win_rate,
    avg_generation_time_ms: timed
      ? field('avg_generation_time_ms').number.int({ min: 4_000, max: 180_000 })
      : null,
    tournament_stats: fakeTournament(context, win_rate),
    pricing: field('is_priced').datatype.boolean(0.8) ? fakePricing(context) : null,
  }
}

function fakeModel(context: FactoryContext): { model_permaslug: string; display_name: string } {
  const [vendor = '', ...words] = uniqueWords(context, VENDORS, FAMILIES, VERSIONS, TIERS)
  return {
    model_permaslug: `${vendor}/${words.join('-')}`,
    display_name: [vendor, ...words].map(titled).join(' '),
  }
}

function fakePricing({ field }: FactoryContext): { prompt: string; completion: string } {
  const dollars = field('pricing').number.int({ min: 5, max: 500 }) / 100
  return { prompt: price(dollars), completion: price(dollars * 4) }
}

function fakeTournament({ field }: FactoryContext, winRate: number): DesignBenchmark['tournament_stats'] {
  const total = field('tournament_stats').number.int({ min: 40, max: 1200 })
  const share = winRate / 100
  const first_place = Math.round(total * share ** 2)
  const second_place = Math.round(total * share * (1 - share))
  const third_place = second_place
  const fourth_place = total - first_place - second_place - third_place
  return { first_place, second_place, third_place, fourth_place, total }
}
