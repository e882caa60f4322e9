/** Tests a running server's metrics. `metrics.slow.test.ts` checks them with `promtool`. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { Counter, Histogram } from '../../../src/extras/metrics/exposition.ts'
import { connectGateway, type RemoteGateway } from '../../../src/remote.ts'
import { type RunningServer, startServer } from '../../../src/serve.ts'
import { open, call as send } from '../../call.ts'

let server: RunningServer
let gateway: RemoteGateway
beforeAll(async () => {
  server = await startServer({ timeScale: 0, sandboxes: { node: 'n7' } })
  gateway = await connectGateway(server.url)
  await call('GET /providers', 'early')
  await scrape()
})
afterAll(() => server.close())

async function scrape(): Promise<{ text: string; value(series: string): number | undefined }> {
  const response = await fetch(`${server.url}/__understudy/metrics`)
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const text = await response.text()
  const value = (series: string) => {
    const line = text.split('\n').find((each) => each.startsWith(`${series} `))
    return line === undefined ? undefined : Number(line.slice(series.length + 1))
  }
  return { text, value }
}

const call = (line: string, apiKey: string, body?: unknown) =>
  send({ baseUrl: server.baseUrl, apiKey }, line, { body })

describe('GET /__understudy/metrics', () => {
  it('counts requests by operation, status and outcome, and applied faults', async () => {
    const sandbox = await gateway.createSandbox()
    await call('GET /providers', sandbox.apiKey)
    await call('GET /providers', sandbox.apiKey)
    await call('GET /nothing', sandbox.apiKey)
    await sandbox.use({ on: 'createResponse', times: 1, fault: 'stream-cut' })
    await call('POST /responses', sandbox.apiKey, { model: 'aurora/dawn-2', input: 'Hello', stream: true })
    const { text, value } = await scrape()
    const requests = 'understudy_requests_total'
    expect(value(`${requests}{operation="listProviders",status="200",outcome="complete"}`)).toBe(2)
    expect(value(`${requests}{operation="none",status="404",outcome="complete"}`)).toBe(1)
    expect(value(`${requests}{operation="createResponse",status="200",outcome="aborted-by-fault"}`)).toBe(1)
    const { inputTokens, outputTokens } = await sandbox.usage()
    expect(value('understudy_tokens_total{kind="input"}')).toBe(inputTokens)
    expect(value('understudy_tokens_total{kind="output"}')).toBe(outputTokens)
    expect(value('understudy_tokens_total{kind="cached"}')).toBe(0)
    expect(value('understudy_tokens_total{kind="reasoning"}')).toBe(0)
    expect(value('understudy_faults_total{fault="stream-cut"}')).toBe(1)
    expect(value('understudy_unmatched_requests_total')).toBe(1)
    expect(value('understudy_first_event_seconds_count')).toBe(1)
    // Two events for the start of the stream, two for the start of the message, and three deltas.
    expect(value('understudy_stream_events_total')).toBe(7)
    expect(value('understudy_request_duration_seconds_count{operation="listProviders"}')).toBe(2)
    expect(value('understudy_streams_open')).toBe(0)
    const bounds = (name: string) =>
      [
        ...text.matchAll(new RegExp(`^${name}_bucket\\{(?:operation="listProviders",)?le="(.+?)"\\}`, 'gm')),
      ].map(([, bound]) => bound)
    const seconds = ['0.001', '0.005', '0.025', '0.1', '0.5', '2.5', '10', '+Inf']
    expect(bounds('understudy_request_duration_seconds')).toEqual(seconds)
    expect(bounds('understudy_first_event_seconds')).toEqual(seconds)
    expect(value('understudy_journal_entries')).toBeGreaterThanOrEqual(4)
  })

  it('counts calls since the first request for metrics, as a comment in the reply states', async () => {
    const { text } = await scrape()
    expect(text).toMatch(
      /^# Counters and histograms only include calls since the first request for these metrics\.$/m,
    )
    const requests = 'understudy_requests_total'
    expect(text).not.toContain(`${requests}{operation="listProviders",status="200",outcome="complete"} 3`)
  })

  it('measures durations from the start of a call, and counts calls without a reply', async () => {
    const began = performance.now()
    await using fresh = await startServer({ timeScale: 0 })
    const read = async () => (await fetch(`${fresh.url}/__understudy/metrics`)).text()
    await read()
    fresh.gateway.use({ on: 'listProviders', fault: 'connection-reset' })
    await expect(send(fresh, 'GET /providers')).rejects.toThrow()
    await send(fresh, 'POST /responses', { body: { model: 'aurora/dawn-2', input: 'Hello', stream: true } })
    const text = await read()
    const aborted = 'operation="listProviders",status="none",outcome="aborted-by-fault"'
    expect(text).toContain(`understudy_requests_total{${aborted}} 1\n`)
    const elapsed = (performance.now() - began) / 1000
    const sums = [...text.matchAll(/^understudy_(?:request_duration|first_event)_seconds_sum.* (.+)$/gm)]
    expect(sums).toHaveLength(3)
    for (const [, sum] of sums) expect(Number(sum)).toBeLessThan(elapsed)
  })

  it('counts a call that starts at the time of the first scrape', async () => {
    await using fresh = await startServer({ timeScale: 0 })
    const read = async () => (await fetch(`${fresh.url}/__understudy/metrics`)).text()
    vi.useFakeTimers({ toFake: ['performance'] })
    try {
      await read()
      await send(fresh, 'GET /nothing')
    } finally {
      vi.useRealTimers()
    }
    const text = await read()
    expect(text).toContain('understudy_requests_total{operation="none",status="404",outcome="complete"} 1\n')
    expect(text).toContain('understudy_unmatched_requests_total 1\n')
  })

  it('measures the event loop delay between scrapes', async () => {
    const lag = async () => (await scrape()).value('understudy_event_loop_lag_seconds{share="0.99"}') ?? 0
    await expect
      .poll(async () => {
        // Blocks the event loop, since the server runs in this process.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60)
        return await lag()
      })
      .toBeGreaterThan(0.03)
  })

  it("reports the process's CPU time and memory", async () => {
    const { value } = await scrape()
    const { user, system } = process.cpuUsage()
    const [seconds = 0, now] = [value('process_cpu_seconds_total'), (user + system) / 1_000_000]
    // The server runs in this process, so its CPU time is close to the test's.
    expect(seconds).toBeLessThanOrEqual(now)
    expect(seconds).toBeGreaterThan(now - 5)
    expect(value('process_resident_memory_bytes')).toBeGreaterThan(value('understudy_heap_used_bytes') ?? 0)
  })

  it('reports versions and the node name', async () => {
    expect((await scrape()).text).toMatch(
      /^understudy_build_info\{version="[^"]+",runtime="v[^"]+",node="n7"\} 1$/m,
    )
  })

  it('counts open streams', async () => {
    const sandbox = await gateway.createSandbox()
    await sandbox.use({ on: 'createResponse', fault: 'stream-stall' })
    const aborted = new AbortController()
    const response = await open(sandbox, 'POST /responses', {
      body: { model: 'aurora/dawn-2', input: 'Hello', stream: true },
      signal: aborted.signal,
    })
    expect(response.status).toBe(200)
    expect((await scrape()).value('understudy_streams_open')).toBe(1)
    aborted.abort()
    await expect.poll(async () => (await scrape()).value('understudy_streams_open')).toBe(0)
  })

  it('exposes as many series for a thousand sandboxes as for ten', async () => {
    const series = async () =>
      (await scrape()).text.split('\n').filter((line) => !line.startsWith('#')).length
    for (let made = 0; made < 10; made++) await call('GET /providers', server.gateway.createSandbox().apiKey)
    const few = await series()
    for (let made = 0; made < 1000; made++) server.gateway.createSandbox()
    await call('GET /providers', server.gateway.createSandbox().apiKey)
    expect(await series()).toBe(few)
    expect((await scrape()).value('understudy_sandboxes_living')).toBeGreaterThan(1000)
    expect(few).toBeLessThan(300)
  })

  it('has an empty node label on a server without a node name, and states the type of each metric', async () => {
    await using alone = await startServer({ timeScale: 0 })
    const text = await (await fetch(`${alone.url}/__understudy/metrics`)).text()
    expect(text).toMatch(/^understudy_build_info\{version="[^"]+",runtime="v[^"]+",node=""\} 1$/m)
    const types = [...text.matchAll(/^# TYPE (\S+ \S+)$/gm)].map(([, type]) => type)
    expect(types).toEqual([
      'understudy_stream_events_total counter',
      'understudy_unmatched_requests_total counter',
      'understudy_streams_open gauge',
      'understudy_sandboxes_made_total counter',
      'understudy_sandboxes_living gauge',
      'understudy_sandboxes_evicted_total counter',
      'understudy_journal_entries gauge',
      'understudy_journal_bytes gauge',
      'understudy_journal_dropped gauge',
      'understudy_event_loop_lag_seconds gauge',
      'process_resident_memory_bytes gauge',
      'understudy_heap_used_bytes gauge',
      'process_cpu_seconds_total counter',
      'understudy_build_info gauge',
    ])
  })

  it('bounds the number of series that clients can create', async () => {
    const sandbox = server.gateway.createSandbox()
    for (let status = 200; status < 600; status++) {
      // `fetch` fails on a 407 instead of returning it.
      if (status === 407) continue
      sandbox.use({ on: '*', times: 1, reply: { status, body: {} } })
      await call(`GET /${status % 2 ? 'providers' : 'nothing'}`, sandbox.apiKey)
    }
    const { text } = await scrape()
    const lines = text.split('\n').filter((line) => line.startsWith('understudy_requests_total'))
    expect(lines.length).toBeLessThanOrEqual(101)
  })
})

it('Histogram prints cumulative buckets, sum and count', () => {
  const histogram = new Histogram('seconds', 'How long.', [0.1, 1], 'of')
  for (const ms of [50, 100, 500, 5000]) histogram.observe(ms, 'a')
  expect([...histogram.lines()].map((line) => line.trim())).toEqual([
    'seconds_bucket{of="a",le="0.1"} 2',
    'seconds_bucket{of="a",le="1"} 3',
    'seconds_bucket{of="a",le="+Inf"} 4',
    'seconds_sum{of="a"} 5.65',
    'seconds_count{of="a"} 4',
  ])
})

it('Counter without labels has one series, which starts at zero', () => {
  const counter = new Counter('calls', 'How many.')
  expect([...counter.lines()]).toEqual(['calls 0\n'])
  counter.add(2)
  expect([...counter.lines()]).toEqual(['calls 2\n'])
})

it('Counter counts everything after the hundredth series as `other`', () => {
  const counter = new Counter('calls', 'How many.', ['of'])
  for (let caller = 0; caller < 150; caller++) counter.add(1, `caller ${caller}`)
  const lines = [...counter.lines()]
  expect(lines).toHaveLength(101)
  expect(lines.at(-1)).toBe('calls{of="other"} 50\n')
})

it('Counter escapes quotes, backslashes and line breaks in labels', () => {
  const counter = new Counter('calls', 'How many.', ['of'])
  counter.add(1, 'a "quoted"\n\\ line')
  expect([...counter.lines()]).toEqual(['calls{of="a \\"quoted\\"\\n\\\\ line"} 1\n'])
})
