/**
 * `GET /metrics`: figures of a running server, for Prometheus. An observer counts calls from the first request on. No label names a sandbox, a model or a text: the number of series stays
 * the same however many sandboxes there are.
 */
import * as z from 'zod'
import manifest from '../../../package.json' with { type: 'json' }
import { gatewayOperation } from '../../control/operation.ts'
import type { ExtraHost } from '../../gateway/extra.ts'
import type { CallListener, CallRecord } from '../../journal/call-record.ts'
import { monotonic } from '../../lib/clock.ts'
import type { AnyOperation } from '../../operation.ts'
import type { Sandboxes } from '../../sandbox/sandboxes.ts'
import { Counter, exposition, type Family, Histogram, reading } from './exposition.ts'

/** Seconds. */
const durations = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10]
/** Statuses that have a series of their own; the others are counted by their class, `4xx`. */
const named = new Set([
  200, 201, 204, 400, 401, 402, 403, 404, 405, 408, 409, 410, 413, 415, 421, 422, 429, 500, 502, 503, 504,
  524, 529,
])

/** Declares the control operation. */
export function getMetrics(host: ExtraHost): AnyOperation {
  let metrics: Metrics | undefined
  return gatewayOperation({
    id: 'getMetrics',
    route: 'GET /metrics',
    doc: {
      summary: 'Read the figures of the server, in the text format of Prometheus',
      tag: 'Server',
      type: 'text/plain; version=0.0.4; charset=utf-8',
    },
    output: z.string(),
    resolve() {
      if (!metrics) {
        metrics = new Metrics(host.sandboxes)
        host.observe(metrics)
      }
      return metrics.text()
    },
  })
}

class Metrics implements CallListener {
  readonly #sandboxes: Sandboxes
  readonly #requests = new Counter('understudy_requests_total', 'Requests of the API that were answered.', [
    'operation',
    'status',
    'outcome',
  ])
  readonly #durations = new Histogram(
    'understudy_request_duration_seconds',
    'Time from the arrival of a request to the last byte of its reply.',
    durations,
    'operation',
  )
  readonly #firstEvents = new Histogram(
    'understudy_first_event_seconds',
    'Time from the arrival of a request to the first event of its stream.',
    durations,
  )
  readonly #faults = new Counter('understudy_faults_total', 'Faults that rules put into effect, by name.', [
    'fault',
  ])
  readonly #events = new Counter('understudy_stream_events_total', 'Events of streams that are over.')
  readonly #tokens = new Counter('understudy_tokens_total', 'Tokens that replies have used.', ['kind'])
  readonly #unmatched = new Counter(
    'understudy_unmatched_requests_total',
    'Requests that neither an operation nor a rule answered.',
  )
  /** Calls that began earlier are not counted. */
  readonly #since = monotonic()
  readonly #families: readonly Family[]
  #loop: ReturnType<typeof import('node:perf_hooks').monitorEventLoopDelay> | undefined

  constructor(sandboxes: Sandboxes) {
    this.#sandboxes = sandboxes
    this.#families = [
      this.#requests,
      this.#durations,
      this.#firstEvents,
      this.#faults,
      this.#events,
      this.#tokens,
      this.#unmatched,
      reading('gauge', 'understudy_streams_open', 'Streams under way.', () => this.#openStreams()),
      ...this.#ofSandboxes(),
      ...this.#ofProcess(),
    ]
  }

  /** The text that Prometheus reads. */
  text(): string {
    return `# Counters and histograms: calls that began after the first request for this page.\n${exposition(this.#families)}`
  }

  replied(record: CallRecord): void {
    if (record.startedAt < this.#since) return
    const { match, operation, usage } = record
    if (usage) {
      this.#tokens.add(usage.inputTokens, 'input')
      this.#tokens.add(usage.cachedTokens, 'cached')
      this.#tokens.add(usage.outputTokens, 'output')
      this.#tokens.add(usage.reasoningTokens, 'reasoning')
    }
    if (match) for (const { name } of match.effect.faults) this.#faults.add(1, name)
    else if (operation === undefined) this.#unmatched.add(1)
  }

  settled(record: CallRecord): void {
    if (record.startedAt < this.#since) return
    const { operation = 'none', status, delivery, startedAt, firstByteAt, endedAt = startedAt } = record
    this.#requests.add(1, operation, statusLabel(status), delivery)
    this.#durations.observe(endedAt - startedAt, operation)
    if (record.events > 0) this.#events.add(record.events)
    if (isStream(record) && firstByteAt !== undefined) this.#firstEvents.observe(firstByteAt - startedAt)
  }

  #openStreams(): number {
    let count = 0
    for (const record of this.#sandboxes.store.records())
      if (record.delivery === 'pending' && isStream(record)) count++
    return count
  }

  #ofSandboxes(): Family[] {
    const sandboxes = this.#sandboxes
    const { store } = sandboxes
    const dropped = () => {
      let total = sandboxes.default.journal.evictedCount
      for (const { journal } of sandboxes.living()) total += journal.evictedCount
      return total
    }
    return [
      reading('counter', 'understudy_sandboxes_made_total', 'Sandboxes made.', () => sandboxes.made),
      reading(
        'gauge',
        'understudy_sandboxes_living',
        'Sandboxes that live, the default one apart.',
        () => sandboxes.size,
      ),
      reading(
        'counter',
        'understudy_sandboxes_evicted_total',
        'Sandboxes that went because nobody used them.',
        () => sandboxes.evicted,
      ),
      reading('gauge', 'understudy_journal_entries', 'Calls that the journals hold.', () => store.size),
      reading(
        'gauge',
        'understudy_journal_bytes',
        'Bytes of bodies that the journals hold.',
        () => store.bytes,
      ),
      reading(
        'gauge',
        'understudy_journal_dropped',
        'Calls that living journals evicted to make room.',
        dropped,
      ),
    ]
  }

  #ofProcess(): Family[] {
    const { node } = this.#sandboxes
    const build = { version: manifest.version, runtime: process.version, node: node ?? '' }
    return [
      reading(
        'gauge',
        'understudy_event_loop_lag_seconds',
        'Delay of the event loop since the last reading.',
        () => this.#lag(),
      ),
      reading('gauge', 'process_resident_memory_bytes', 'Resident memory.', () => process.memoryUsage.rss()),
      reading(
        'gauge',
        'understudy_heap_used_bytes',
        'Memory of JavaScript in use.',
        () => process.memoryUsage().heapUsed,
      ),
      reading('counter', 'process_cpu_seconds_total', 'Processor time.', () => {
        const { user, system } = process.cpuUsage()
        return (user + system) / 1e6
      }),
      reading('gauge', 'understudy_build_info', 'What runs here.', () => [[build, 1]]),
    ]
  }

  /** Measured from the first reading on: a server that nobody watches pays nothing. */
  #lag(): [Record<string, string>, number][] {
    if (!this.#loop) {
      const { monitorEventLoopDelay } = process.getBuiltinModule('node:perf_hooks')
      this.#loop = monitorEventLoopDelay({ resolution: 20 })
      this.#loop.enable()
    }
    const loop = this.#loop
    const lag = [0.5, 0.99].map((share): [Record<string, string>, number] => [
      { share: String(share) },
      loop.percentile(share * 100) / 1e9,
    ])
    loop.reset()
    return lag
  }
}

function isStream({ replyHeaders }: CallRecord): boolean {
  return replyHeaders['content-type']?.startsWith('text/event-stream') === true
}

function statusLabel(status: number): string {
  if (status === 0) return 'none'
  return named.has(status) ? String(status) : `${Math.floor(status / 100)}xx`
}
