/** `profile`: computes quantiles of recorded latencies by model, for the `latency` option. */

import { print } from '../../lib/print.ts'
import { UsageError } from '../../lib/usage-error.ts'
import { readAt, readPath } from '../../lib/value-path.ts'
import type { LatencyProfile, ModelLatency, Quantiles } from '../../sandbox/latency.ts'
import { eventsOf, isEventStream } from './events.ts'
import { bodyOf, jsonIn, type Recording } from './recording.ts'
import { readRecordingFolder } from './recordings.ts'
import { parsedBody } from './request-key.ts'

/** Prints the latency profile of a folder's recordings as JSON. */
export function profile(folder: string): void {
  const result = latencyProfile(readRecordingFolder(folder).values())
  if (Object.keys(result.models).length === 0)
    throw new UsageError(`${folder}: no recording has a complete, successful reply`)
  print(JSON.stringify(result, null, 2))
}

interface Sample {
  readonly firstByteMs: number
  readonly gaps: readonly number[]
  readonly totalMs: number
  readonly bytes: number
  readonly events: number | undefined
  readonly tokens: number | undefined
}

/**
 * Returns a latency profile by requested model, from successful replies that the upstream did not break off. Model `*`
 * covers all samples, including requests without a model.
 */
export function latencyProfile(recordings: Iterable<Recording>): LatencyProfile {
  const samples = new Map<string, Sample[]>()
  for (const recording of recordings) {
    const sample = sampleOf(recording)
    if (!sample) continue
    for (const model of new Set(['*', modelOf(recording)]))
      if (model !== undefined) samples.set(model, [...(samples.get(model) ?? []), sample])
  }
  // mutation: equivalent (the names in a map are distinct)
  const models = [...samples].sort(([left], [right]) => (left < right ? -1 : 1))
  return { profile: 1, models: Object.fromEntries(models.map(([model, each]) => [model, latencyOf(each)])) }
}

function sampleOf(recording: Recording): Sample | undefined {
  const { reply, chunks, end } = recording
  if (!reply || !end || reply.status >= 400 || end.end === 'reset' || end.end === 'idle') return undefined
  const isStream = isEventStream(recording)
  const events = isStream ? eventsOf(recording) : undefined
  const body = () => jsonIn(new TextDecoder().decode(bodyOf(recording)))
  return {
    firstByteMs: chunks[0]?.ms ?? reply.ms,
    // mutation: equivalent (satisfies the type checker; every chunk has a predecessor)
    gaps: isStream ? chunks.slice(1).map(({ ms }, index) => ms - (chunks[index]?.ms ?? ms)) : [],
    totalMs: end.ms,
    bytes: end.bytes,
    events: events?.length,
    tokens: tokensIn(events?.map(({ value }) => value) ?? [body()]),
  }
}

/** Returns the number of output tokens from the last usage in a reply or its events, in any protocol. */
function tokensIn(values: readonly unknown[]): number | undefined {
  const paths = ['usage', 'response.usage'].flatMap((usage) =>
    ['output_tokens', 'completion_tokens'].map((name) => readPath(`${usage}.${name}`)),
  )
  const usages = values.flatMap((value) => paths.map((path) => readAt(value, path)))
  return usages.findLast((tokens) => typeof tokens === 'number')
}

function latencyOf(samples: readonly Sample[]): ModelLatency {
  const gaps = samples.flatMap((sample) => sample.gaps)
  const events = samples.flatMap((sample) => sample.events ?? [])
  const tokens = samples.flatMap((sample) => sample.tokens ?? [])
  return {
    samples: samples.length,
    firstByteMs: quantiles(samples.map((sample) => sample.firstByteMs)),
    ...(gaps.length > 0 && { gapMs: quantiles(gaps) }),
    totalMs: quantiles(samples.map((sample) => sample.totalMs)),
    bytes: quantiles(samples.map((sample) => sample.bytes)),
    ...(events.length > 0 && { events: quantiles(events) }),
    ...(tokens.length > 0 && { tokens: quantiles(tokens) }),
  }
}

/** Returns quantiles. With few samples, p99 is the largest value. */
function quantiles(values: readonly number[]): Quantiles {
  const sorted = [...values].sort((left, right) => left - right)
  const at = (share: number) => {
    const index = Math.floor(share * sorted.length)
    // mutation: equivalent (satisfies the type checker; there are values)
    const value = sorted[index] ?? 0
    return Math.round(value * 100) / 100
  }
  return { p10: at(0.1), p50: at(0.5), p90: at(0.9), p99: at(0.99) }
}

function modelOf({ request }: Recording): string | undefined {
  const model = request && readAt(parsedBody(request), ['model'])
  return typeof model === 'string' ? model : undefined
}
