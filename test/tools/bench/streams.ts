/**
 * Measures event streams: the cost of an event without pacing, the timing of many paced streams, and their
 * cost compared with bare `node:http` writing the same events at the same pace.
 */
import { type BenchRequest, type Captured, capture } from './baseline.ts'
import { toBytes } from './load.ts'
import { type Bench, exactly, type Figure, microseconds, type Section } from './measure.ts'
import { holdStreams } from './paced.ts'
import { compareServers } from './requests.ts'
import { type Setup, startSubject } from './subject.ts'

/** Each word is a token, and therefore a delta. */
const words = (count: number) => Array.from({ length: count }, (_, index) => `word${index % 10}`).join(' ')

const deltas = 200
const storyRequest: BenchRequest = {
  method: 'POST',
  path: '/api/v1/responses',
  body: { model: 'aurora/large', input: 'Tell me a story', stream: true },
}

export const streams: Section = {
  name: 'streams',
  title: 'Streams of POST /responses',
  async run(bench) {
    return [
      ...(await unpaced(bench)),
      ...(await paced(bench, { streams: 1000, perSecond: 20, seconds: 5, arrivalMs: 1000 })),
      ...(await paced(bench, { streams: 10_000, perSecond: 2, seconds: 15, arrivalMs: 10_000 })),
    ]
  },
}

async function unpaced(bench: Bench): Promise<Figure[]> {
  bench.progress(`${deltas} deltas without pacing`)
  await using ours = await startSubject(story(bench, deltas))
  const reply = await capture(ours.port, storyRequest)
  await using stepwise = await startSubject({ kind: 'baseline', replies: [reply] })
  await using atOnce = await startSubject({
    kind: 'baseline',
    replies: [{ ...reply, writes: [reply.writes.join('')] }],
  })
  const bytes = [toBytes(storyRequest)]
  const count = Math.round(150 * bench.scale)
  const against = (baseline: typeof stepwise) =>
    compareServers(bench.rounds, baseline, ours, async (load) => {
      await load.send(count, bytes)
      return count
    })
  const first = await against(stepwise)
  const second = await against(atOnce)
  const events = reply.writes.length
  const each = microseconds(first.ours.median / events)
  return [
    {
      name: `${deltas} deltas, compared with one write per event`,
      value: first.ratio,
      unit: 'x',
      aim: 1,
      detail: `${microseconds(first.ours.median)} vs. ${microseconds(first.baseline.median)} per stream, ${each} per event`,
    },
    {
      name: `${deltas} deltas, compared with a single write`,
      value: second.ratio,
      unit: 'x',
      detail: `${microseconds(second.ours.median)} vs. ${microseconds(second.baseline.median)} per stream`,
    },
  ]
}

interface Crowd {
  streams: number
  perSecond: number
  seconds: number
  /** Time over which the clients arrive, in milliseconds. */
  arrivalMs: number
}

async function paced(bench: Bench, crowd: Crowd): Promise<Figure[]> {
  const { streams, perSecond, seconds, arrivalMs } = crowd
  const name = `${streams.toLocaleString('en')} streams at ${perSecond} deltas a second`
  bench.progress(name)
  const tokens = perSecond * seconds
  await using ours = await startSubject(story(bench, tokens, perSecond))
  const idle = await ours.usage(true)
  const plan = { streams, perSecond, tokens, arrivalMs, request: toBytes(storyRequest) }
  const held = await holdStreams(ours.port, plan, () => ours.usage())
  const used = (await ours.usage()).cpu - idle.cpu
  await using baseline = await startSubject({
    kind: 'baseline',
    replies: [await pacedReply(bench, tokens, perSecond)],
  })
  const baselineIdle = await baseline.usage(true)
  const bare = await holdStreams(baseline.port, plan, () => baseline.usage())
  const baselineUsed = (await baseline.usage()).cpu - baselineIdle.cpu
  const perStream = (bytes: number, before: number) => (bytes - before) / streams / 1000
  const inSeconds = (cpu: number) => `${(cpu / 1e6).toFixed(1)} s`
  return [
    {
      name: `${name}: dropped or out of order`,
      value: exactly(held.lost),
      unit: 'lost',
      aim: 0,
      detail: `${held.events.toLocaleString('en')} events read`,
    },
    {
      name: `${name}: pacing error, p99`,
      value: exactly(held.error.p99),
      unit: 'ms',
      aim: 50,
      detail: `p50 ${held.error.p50.toFixed(1)} ms, worst ${held.error.worst.toFixed(0)} ms; gaps p99 ${held.gap.p99.toFixed(0)} ms, ${(1000 / perSecond).toFixed(0)} ms expected`,
    },
    {
      name: `${name}: CPU time`,
      value: exactly(used / baselineUsed),
      unit: 'x',
      aim: 1.3,
      detail: `${inSeconds(used)} vs. ${inSeconds(baselineUsed)}, from a cold start`,
    },
    {
      name: `${name}: first event, p99`,
      value: exactly(held.firstEvent.p99),
      unit: 'ms',
      aim: 150,
      detail: `p50 ${held.firstEvent.p50.toFixed(0)} ms; bare node:http p99 ${bare.firstEvent.p99.toFixed(0)} ms`,
    },
    {
      name: `${name}: memory of one open stream`,
      value: exactly(perStream(held.usage.heap, idle.heap)),
      unit: 'KB',
      detail: `of heap, ${perStream(held.usage.rss, idle.rss).toFixed(1)} KB of RSS with its connection; RSS ${(held.usage.rss / 1e6).toFixed(0)} MB`,
    },
  ]
}

/** Describes a server that streams text with this number of tokens. */
function story(bench: Bench, tokens: number, tokensPerSecond?: number): Setup {
  const scenarios = [
    { name: 'story', rules: [{ on: 'createResponse' as const, reply: { text: words(tokens) } }] },
  ]
  const options = {
    scenarios,
    ...(tokensPerSecond !== undefined && { latency: { gapMs: 1000 / tokensPerSecond } }),
  }
  return { kind: 'understudy', entry: bench.entry('serve'), options }
}

/** Captures the same bytes, for the baseline to write at the same pace. */
async function pacedReply(bench: Bench, tokens: number, perSecond: number): Promise<Captured> {
  await using subject = await startSubject(story(bench, tokens))
  return { ...(await capture(subject.port, storyRequest)), everyMs: 1000 / perSecond }
}
