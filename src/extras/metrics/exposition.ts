/**
 * Numbers in the text format of Prometheus, version 0.0.4. Small, and our own: `prom-client`, the usual library, has had
 * no release since June 2024, brings OpenTelemetry's API, and would be loaded at every start to count from the first
 * request.
 */

type Labels = Readonly<Record<string, string>>

/** One family of a text: its name, type and meaning, and a line for each series. */
export interface Family {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  lines(): Iterable<string>
}

/** Series beyond so many of one counter are counted together, with `other` for each label. */
const mostSeries = 100

/** Counts up, by labels. */
export class Counter<Name extends string> implements Family {
  readonly type = 'counter'
  readonly name: string
  readonly help: string
  readonly #labels: readonly Name[]
  readonly #series = new Map<string, { readonly labels: Labels; value: number }>()

  constructor(name: string, help: string, labels: readonly Name[] = []) {
    this.name = name
    this.help = help
    this.#labels = labels
  }

  /** @param values In the order of the labels. */
  add(amount: number, ...values: readonly string[]): void {
    const key = values.join('\n')
    const known = this.#series.get(key)
    if (known) known.value += amount
    else if (this.#series.size < mostSeries || values.every((value) => value === 'other'))
      this.#series.set(key, { labels: this.#named(values), value: amount })
    else this.add(amount, ...values.map(() => 'other'))
  }

  *lines(): Iterable<string> {
    if (this.#series.size === 0 && this.#labels.length === 0) yield line(this.name, {}, 0)
    for (const { labels, value } of this.#series.values()) yield line(this.name, labels, value)
  }

  #named(values: readonly string[]): Labels {
    return Object.fromEntries(this.#labels.map((label, place) => [label, values[place] as string]))
  }
}

/** Counts durations by their length. */
export class Histogram implements Family {
  readonly type = 'histogram'
  readonly name: string
  readonly help: string
  readonly #label: string | undefined
  /** Upper bounds, ascending, in seconds. */
  readonly #bounds: readonly number[]
  readonly #series = new Map<string, { readonly counts: number[]; sum: number; count: number }>()

  constructor(name: string, help: string, bounds: readonly number[], label?: string) {
    this.name = name
    this.help = help
    this.#bounds = bounds
    this.#label = label
  }

  /** @param ms Milliseconds; the text has seconds, as Prometheus wants it. */
  observe(ms: number, value = ''): void {
    let series = this.#series.get(value)
    if (!series) {
      series = { counts: this.#bounds.map(() => 0), sum: 0, count: 0 }
      this.#series.set(value, series)
    }
    const seconds = ms / 1000
    let place = 0
    while (seconds > (this.#bounds[place] as number)) place++
    if (place < series.counts.length) series.counts[place] = (series.counts[place] as number) + 1
    series.sum += seconds
    series.count++
  }

  *lines(): Iterable<string> {
    for (const [value, { counts, sum, count }] of this.#series) {
      const labels: Labels = this.#label === undefined ? {} : { [this.#label]: value }
      let below = 0
      for (const [place, bound] of this.#bounds.entries()) {
        below += counts[place] as number
        yield line(`${this.name}_bucket`, { ...labels, le: String(bound) }, below)
      }
      yield line(`${this.name}_bucket`, { ...labels, le: '+Inf' }, count)
      yield line(`${this.name}_sum`, labels, sum)
      yield line(`${this.name}_count`, labels, count)
    }
  }
}

/** What something is when somebody asks. */
export function reading(
  type: 'counter' | 'gauge',
  name: string,
  help: string,
  read: () => number | Iterable<readonly [Labels, number]>,
): Family {
  return {
    name,
    type,
    help,
    *lines() {
      const value = read()
      if (typeof value === 'number') yield line(name, {}, value)
      else for (const [labels, each] of value) yield line(name, labels, each)
    },
  }
}

/** The whole text. A family without a series is left out. */
export function exposition(families: Iterable<Family>): string {
  let text = ''
  for (const family of families) {
    const lines = [...family.lines()]
    const { name, type, help } = family
    if (lines.length > 0) text += `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
  }
  return text
}

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`)
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`
}

function escaped(text: string): string {
  return text.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')
}
