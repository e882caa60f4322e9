/**
 * Measures in rounds that alternate with a baseline, so that other load on the machine affects both alike.
 */

/** Median and quartiles of several measurements. */
export interface Spread {
  median: number
  low: number
  high: number
}

/** A measured value: one row of the benchmark table. */
export interface Figure {
  /** Name, such as `GET /providers, 60 rows`. */
  name: string
  value: Spread
  /** Unit of the value. `x` is a ratio to the baseline in the same run. */
  unit: 'x' | 'ms' | 'µs' | 'MB' | 'KB' | 'lost'
  /** Target maximum; undefined if there is no target. */
  aim?: number
  /** Values behind the figure, such as `12 µs vs. 8 µs`. */
  detail?: string
}

export interface BenchFlags {
  /** If true, runs shorter measurements. */
  quick: boolean
  /** If true, measures the sources instead of the built entries. */
  source: boolean
}

/** Settings and functions passed to each section. */
export interface Bench {
  readonly flags: BenchFlags
  /** Number of rounds per ratio, whose median is reported. */
  readonly rounds: number
  /** Factor for the amount of work per round: 1, or less with `--quick`. */
  readonly scale: number
  /** Returns the URL of an entry: `entry('serve')`. */
  entry(name: string): string
  /** Prints a progress message. */
  progress(text: string): void
}

const root = new URL('../../../', import.meta.url)
/** Folder of the entries built for the benchmark, separate from `dist`. */
export const built = new URL('node_modules/.cache/understudy-bench/', root)

export function toBench(flags: BenchFlags): Bench {
  const { quick, source } = flags
  return {
    flags,
    rounds: quick ? 9 : 41,
    scale: quick ? 0.4 : 1,
    entry: (name) => (source ? new URL(`src/${name}.ts`, root) : new URL(`${name}.js`, built)).href,
    progress: (text) => console.error(`  ${text}`),
  }
}

export interface Section {
  readonly name: string
  readonly title: string
  run(bench: Bench): Promise<Figure[]>
}

/** Measures and returns a cost. Only ratios of costs are meaningful on other machines. */
export type Cost = () => Promise<number> | number

export interface Comparison {
  ratio: Spread
  ours: Spread
  baseline: Spread
}

/** Number of rounds to ignore while the compiler is still optimising. */
const warmUp = 8

/** Runs the baseline and the subject alternately. */
export async function compare(rounds: number, baseline: Cost, ours: Cost): Promise<Comparison> {
  for (let round = 0; round < warmUp; round++) {
    await baseline()
    await ours()
  }
  const pairs: Array<{ baseline: number; ours: number }> = []
  for (let round = 0; round < rounds; round++) {
    // Alternates the order, because the second measurement can benefit from the first.
    if (round % 2 === 0) {
      const below = await baseline()
      pairs.push({ baseline: below, ours: await ours() })
    } else {
      const above = await ours()
      pairs.push({ baseline: await baseline(), ours: above })
    }
  }
  return {
    ratio: spread(pairs.map((pair) => pair.ours / pair.baseline)),
    ours: spread(pairs.map((pair) => pair.ours)),
    baseline: spread(pairs.map((pair) => pair.baseline)),
  }
}

export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((left, right) => left - right)
  return { median: at(sorted, 0.5), low: at(sorted, 0.25), high: at(sorted, 0.75) }
}

/** Returns the spread of a value that was counted, or measured only once. */
export function exactly(value: number): Spread {
  return { median: value, low: value, high: value }
}

/** Returns a quantile of a sorted list. */
export function at(sorted: ArrayLike<number>, share: number): number {
  const place = share * (sorted.length - 1)
  const below = sorted[Math.floor(place)] ?? Number.NaN
  const above = sorted[Math.ceil(place)] ?? Number.NaN
  return below + (above - below) * (place - Math.floor(place))
}

/** Returns this process's CPU time per call in microseconds, averaged over `count` calls. */
export async function cpuPerCall(count: number, call: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  for (let index = 0; index < count; index++) await call()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / count
}

export function microseconds(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 1)} µs`
}
