/**
 * How long a gateway took, by model, as quantiles: what `profile` makes of tapes, and what scenarios may be timed by.
 */

import { readAt, readPath } from '../lib/value-path.ts'
import { parsedBody } from './request-key.ts'
import { bodyOf, type Tape } from './tape.ts'
import { eventsOf, isEventStream } from './tape-events.ts'

/** Values at these shares of the sorted samples; samples are few, so p99 is often the largest. */
export interface Quantiles {
  readonly p10: number
  readonly p50: number
  readonly p90: number
  readonly p99: number
}

export interface ModelLatency {
  /** How many replies it is made of. */
  readonly samples: number
  /** Milliseconds from the request to the first byte of the body. */
  readonly firstByteMs: Quantiles
  /** Milliseconds between two chunks of a stream; absent without streams. */
  readonly gapMs?: Quantiles
  /** Milliseconds until the end. */
  readonly totalMs: Quantiles
  /** Bytes of the body. */
  readonly bytes: Quantiles
  /** Events of a stream; absent without streams. */
  readonly events?: Quantiles
  /** Tokens that the model has written, as replies say it; absent where none does. */
  readonly tokens?: Quantiles
}

/** A latency profile, as JSON. */
export interface LatencyProfile {
  readonly profile: 1
  /** By model, as it was asked for; `*` is all of them together, calls without a model included. */
  readonly models: Readonly<Record<string, ModelLatency>>
}

interface Sample {
  readonly firstByteMs: number
  readonly gaps: readonly number[]
  readonly totalMs: number
  readonly bytes: number
  readonly events: number | undefined
  readonly tokens: number | undefined
}

/** Of replies that ended well. */
export function latencyProfile(tapes: Iterable<Tape>): LatencyProfile {
  const samples = new Map<string, Sample[]>()
  for (const tape of tapes) {
    const sample = sampleOf(tape)
    if (!sample) continue
    for (const model of new Set(['*', modelOf(tape)]))
      if (model !== undefined) samples.set(model, [...(samples.get(model) ?? []), sample])
  }
  const models = [...samples].sort(([left], [right]) => (left < right ? -1 : 1))
  return { profile: 1, models: Object.fromEntries(models.map(([model, each]) => [model, latencyOf(each)])) }
}

function sampleOf(tape: Tape): Sample | undefined {
  const { reply, chunks, end } = tape
  if (!reply || !end || reply.status >= 400 || end.end === 'reset' || end.end === 'idle') return undefined
  const isStream = isEventStream(tape)
  const events = isStream ? eventsOf(tape) : undefined
  return {
    firstByteMs: chunks[0]?.ms ?? reply.ms,
    gaps: isStream ? chunks.slice(1).map(({ ms }, index) => ms - (chunks[index]?.ms ?? ms)) : [],
    totalMs: end.ms,
    bytes: end.bytes,
    events: events?.length,
    tokens: tokensIn(events?.map(({ value }) => value) ?? [parsedReply(tape)]),
  }
}

/** The output tokens of the last usage that a reply or one of its events tells, in any of the three protocols. */
function tokensIn(values: readonly unknown[]): number | undefined {
  const paths = ['usage', 'response.usage'].flatMap((usage) =>
    ['output_tokens', 'completion_tokens'].map((name) => readPath(`${usage}.${name}`)),
  )
  const told = values.flatMap((value) => paths.map((path) => readAt(value, path)))
  return told.findLast((tokens) => typeof tokens === 'number')
}

function parsedReply(tape: Tape): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bodyOf(tape)))
  } catch {
    return undefined
  }
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

function quantiles(values: readonly number[]): Quantiles {
  const sorted = [...values].sort((left, right) => left - right)
  const at = (share: number) => {
    const value = sorted[Math.floor(share * sorted.length)] ?? 0
    return Math.round(value * 100) / 100
  }
  return { p10: at(0.1), p50: at(0.5), p90: at(0.9), p99: at(0.99) }
}

function modelOf({ request }: Tape): string | undefined {
  const body = request && parsedBody(request)
  const model: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'model') : undefined
  return typeof model === 'string' ? model : undefined
}
