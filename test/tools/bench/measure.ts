/**
 * Measuring in rounds that alternate with a floor, so that whatever else the machine does meanwhile hits both alike.
 */

/** The middle of several measurements, and the quartiles around it. */
export interface Spread {
  median: number
  low: number
  high: number
}

/** One line of the table. */
export interface Figure {
  /** `GET /providers, 60 rows` */
  name: string
  value: Spread
  /** `x` is a ratio to the floor of the same run. */
  unit: 'x' | 'ms' | 'µs' | 'MB' | 'KB' | 'lost'
  /** At most this. Undefined where nothing was aimed at. */
  aim?: number
  /** What the figure is made of. */
  detail?: string
}

export interface BenchFlags {
  /** Less of everything. */
  quick: boolean
  /** The sources in place of the built entries. */
  source: boolean
}

/** What a section may use. */
export interface Bench {
  readonly flags: BenchFlags
  /** How many rounds a ratio is the median of. */
  readonly rounds: number
  /** 1, or less for a quick run: factor on how much is done in one round. */
  readonly scale: number
  /** The URL of an entry: `entry('serve')`. */
  entry(name: string): string
  /** Tells a person who waits what is going on. */
  progress(text: string): void
}

const root = new URL('../../../', import.meta.url)
/** Where the entries are built for the benchmark; nobody's `dist` is touched. */
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

/** What something took. Only the ratio of two of them means anything beyond this machine. */
export type Cost = () => Promise<number> | number

export interface Comparison {
  ratio: Spread
  ours: Spread
  floor: Spread
}

/** Rounds of each that do not count: until then the compiler is at work, too. */
const warmUp = 8

/** Runs both in turns. */
export async function compare(rounds: number, floor: Cost, ours: Cost): Promise<Comparison> {
  for (let round = 0; round < warmUp; round++) {
    await floor()
    await ours()
  }
  const pairs: Array<{ floor: number; ours: number }> = []
  for (let round = 0; round < rounds; round++) {
    // The one who goes first changes, as the second may profit from what the first has warmed.
    if (round % 2 === 0) {
      const below = await floor()
      pairs.push({ floor: below, ours: await ours() })
    } else {
      const above = await ours()
      pairs.push({ floor: await floor(), ours: above })
    }
  }
  return {
    ratio: spread(pairs.map((pair) => pair.ours / pair.floor)),
    ours: spread(pairs.map((pair) => pair.ours)),
    floor: spread(pairs.map((pair) => pair.floor)),
  }
}

export function spread(values: readonly number[]): Spread {
  const sorted = [...values].sort((left, right) => left - right)
  return { median: at(sorted, 0.5), low: at(sorted, 0.25), high: at(sorted, 0.75) }
}

/** A figure that was measured once, or counted. */
export function exactly(value: number): Spread {
  return { median: value, low: value, high: value }
}

/** The value below which this share of a sorted list lies. */
export function at(sorted: ArrayLike<number>, share: number): number {
  const place = share * (sorted.length - 1)
  const below = sorted[Math.floor(place)] ?? Number.NaN
  const above = sorted[Math.ceil(place)] ?? Number.NaN
  return below + (above - below) * (place - Math.floor(place))
}

/** Microseconds of processor time that this process spends on one of `count` calls. */
export async function cpuPerCall(count: number, call: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  for (let index = 0; index < count; index++) await call()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / count
}

export function microseconds(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 1)} µs`
}
