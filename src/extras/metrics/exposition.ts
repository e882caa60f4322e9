/**
 * Writes the Prometheus text format, version 0.0.4. `prom-client` is not used because it has had no release
 * since June 2024, depends on OpenTelemetry's API, and would slow down every start.
 */

type Labels = Readonly<Record<string, string>>

/** A metric family: its name, type and help text, and the lines of all its series. */
export interface Family {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  lines(): Iterable<string>
}

/** Maximum number of series per counter. Further series share one, whose labels are all `other`. */
const maxSeries = 100

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
    if (labels.length === 0) this.add(0)
  }

  /** @param values Label values, in label order. */
  add(amount: number, ...values: readonly string[]): void {
    const key = values.join('\n')
    const series = this.#series.get(key)
    if (series) series.value += amount
    else if (this.#series.size < maxSeries || values.every((value) => value === 'other'))
      this.#series.set(key, { labels: this.#named(values), value: amount })
    else this.add(amount, ...values.map(() => 'other'))
  }

  *lines(): Iterable<string> {
    for (const { labels, value } of this.#series.values()) yield line(this.name, labels, value)
  }

  #named(values: readonly string[]): Labels {
    return Object.fromEntries(this.#labels.map((label, index) => [label, values[index] as string]))
  }
}

/** A histogram of durations. */
export class Histogram implements Family {
  readonly type = 'histogram'
  readonly name: string
  readonly help: string
  readonly #label: string | undefined
  /** Upper bounds in seconds, ascending. */
  readonly #bounds: readonly number[]
  readonly #series = new Map<string, { readonly counts: number[]; sum: number; count: number }>()

  constructor(name: string, help: string, bounds: readonly number[], label?: string) {
    this.name = name
    this.help = help
    this.#bounds = bounds
    this.#label = label
  }

  /** @param ms Duration in milliseconds. The output is in seconds, Prometheus's base unit. */
  observe(ms: number, value = ''): void {
    let series = this.#series.get(value)
    if (!series) {
      series = { counts: this.#bounds.map(() => 0), sum: 0, count: 0 }
      this.#series.set(value, series)
    }
    const seconds = ms / 1000
    const { counts } = series
    for (const [index, bound] of this.#bounds.entries())
      if (seconds <= bound) counts[index] = (counts[index] as number) + 1
    series.sum += seconds
    series.count++
  }

  *lines(): Iterable<string> {
    for (const [value, { counts, sum, count }] of this.#series) {
      const labels: Labels = this.#label === undefined ? {} : { [this.#label]: value }
      for (const [index, bound] of this.#bounds.entries())
        yield line(`${this.name}_bucket`, { ...labels, le: String(bound) }, counts[index] as number)
      yield line(`${this.name}_bucket`, { ...labels, le: '+Inf' }, count)
      yield line(`${this.name}_sum`, labels, sum)
      yield line(`${this.name}_count`, labels, count)
    }
  }
}

/** Declares a family whose values are read at each scrape. */
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

/** Formats families. Families without series are omitted. */
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
