/**
 * `GET /metrics`: a running server's metrics in Prometheus format. Counting starts with the first request for
 * metrics. No label contains a sandbox, model or text, so the number of series is bounded.
 */
import * as z from 'zod'
import manifest from '../../../package.json' with { type: 'json' }
import { gatewayOperation } from '../../control/operation.ts'
import type { ExtraHost } from '../../gateway/extra.ts'
import { announcesEvents } from '../../http/reply.ts'
import type { CallListener, CallRecord } from '../../journal/call-record.ts'
import { monotonic } from '../../lib/clock.ts'
import type { AnyOperation } from '../../operation.ts'
import type { Sandboxes } from '../../sandbox/sandboxes.ts'
import { Counter, exposition, type Family, Histogram, reading } from './exposition.ts'

/** Upper bounds of histogram buckets in seconds. */
const durations = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10]

/** Returns the control operation. Its first call starts the collection. */
export function getMetrics(host: ExtraHost): AnyOperation {
  let metrics: Metrics | undefined
  return gatewayOperation({
    id: 'getMetrics',
    route: 'GET /metrics',
    doc: {
      summary: "Read the server's metrics in Prometheus text format",
      tag: 'Server',
      type: 'text/plain; version=0.0.4; charset=utf-8',
    },
    output: z.string(),
    resolve() {
      if (!metrics) {
        metrics = new Metrics(host.sandboxes)
        host.sandboxes.listeners.add(metrics)
      }
      return metrics.text()
    },
  })
}

class Metrics implements CallListener {
  readonly #sandboxes: Sandboxes
  readonly #requests = new Counter('understudy_requests_total', 'Completed requests to the API.', [
    'operation',
    'status',
    'outcome',
  ])
  readonly #durations = new Histogram(
    'understudy_request_duration_seconds',
    "Time from a request's arrival to the last byte of its reply.",
    durations,
    'operation',
  )
  readonly #firstEvents = new Histogram(
    'understudy_first_event_seconds',
    "Time from a request's arrival to the first event of its stream.",
    durations,
  )
  readonly #faults = new Counter('understudy_faults_total', 'Faults that rules applied, by name.', ['fault'])
  readonly #events = new Counter('understudy_stream_events_total', 'Events of completed streams.')
  readonly #tokens = new Counter('understudy_tokens_total', 'Tokens used by replies.', ['kind'])
  readonly #unmatched = new Counter(
    'understudy_unmatched_requests_total',
    'Requests that matched neither an operation nor a rule.',
  )
  /** Time of the first scrape. Earlier calls are not counted. */
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
      reading('gauge', 'understudy_streams_open', 'Open streams.', () => this.#openStreams()),
      ...this.#sandboxFamilies(),
      ...this.#processFamilies(),
    ]
  }

  text(): string {
    return `# Counters and histograms only include calls since the first request for these metrics.\n${exposition(this.#families)}`
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
    this.#requests.add(1, operation, status === 0 ? 'none' : String(status), delivery)
    this.#durations.observe(endedAt - startedAt, operation)
    this.#events.add(record.events)
    if (announcesEvents(record.replyHeaders) && firstByteAt !== undefined)
      this.#firstEvents.observe(firstByteAt - startedAt)
  }

  #openStreams(): number {
    let count = 0
    for (const record of this.#sandboxes.store.records())
      if (record.delivery === 'pending' && announcesEvents(record.replyHeaders)) count++
    return count
  }

  #sandboxFamilies(): Family[] {
    const sandboxes = this.#sandboxes
    const { store } = sandboxes
    const evicted = () => {
      let total = sandboxes.default.journal.evictedCount
      for (const { journal } of sandboxes.values()) total += journal.evictedCount
      return total
    }
    return [
      reading(
        'counter',
        'understudy_sandboxes_made_total',
        'Sandboxes created.',
        () => sandboxes.createdCount,
      ),
      reading(
        'gauge',
        'understudy_sandboxes_living',
        'Live sandboxes, excluding the default one.',
        () => sandboxes.size,
      ),
      reading(
        'counter',
        'understudy_sandboxes_evicted_total',
        'Sandboxes evicted because they were idle.',
        () => sandboxes.expiredCount,
      ),
      reading('gauge', 'understudy_journal_entries', 'Calls in the journals.', () => store.size),
      reading(
        'gauge',
        'understudy_journal_bytes',
        'Total size of the bodies in the journals, in bytes.',
        () => store.bytes,
      ),
      reading(
        'gauge',
        'understudy_journal_dropped',
        'Calls evicted from journals of live sandboxes.',
        evicted,
      ),
    ]
  }

  #processFamilies(): Family[] {
    const { node = '' } = this.#sandboxes
    const build = { version: manifest.version, runtime: process.version, node }
    return [
      reading(
        'gauge',
        'understudy_event_loop_lag_seconds',
        'Event loop delay since the last scrape, in seconds, by quantile.',
        () => this.#lag(),
      ),
      reading('gauge', 'process_resident_memory_bytes', 'Resident memory in bytes.', () =>
        process.memoryUsage.rss(),
      ),
      reading(
        'gauge',
        'understudy_heap_used_bytes',
        'Used JavaScript heap in bytes.',
        () => process.memoryUsage().heapUsed,
      ),
      reading('counter', 'process_cpu_seconds_total', 'CPU time in seconds.', () => {
        const { user, system } = process.cpuUsage()
        return (user + system) / 1e6
      }),
      reading(
        'gauge',
        'understudy_build_info',
        'Versions of Understudy and its runtime, and the node name.',
        () => [[build, 1]],
      ),
    ]
  }

  /** Starts measuring at the first scrape, so that servers without metrics have no overhead. */
  #lag(): [Record<string, string>, number][] {
    if (!this.#loop) {
      const { monitorEventLoopDelay } = process.getBuiltinModule('node:perf_hooks')
      // mutation: equivalent (any similar resolution will do)
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
