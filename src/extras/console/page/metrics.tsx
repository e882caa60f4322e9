/**
 * Metrics for the last minutes, computed from the calls in the store.
 */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { CallSummary } from '../../../journal/summary.ts'
import { shownCalls } from './calls-store.ts'
import { milliseconds } from './parts.tsx'

const minutes = 5
const barMs = 5000
const bars = (minutes * 60_000) / barMs

export function Metrics() {
  const now = useSignal(Date.now())
  useEffect(() => {
    const timer = setInterval(() => {
      now.value = Date.now()
    }, 1000)
    return () => clearInterval(timer)
  }, [])
  const end = Math.ceil(now.value / barMs) * barMs
  const begin = end - bars * barMs
  const recent = shownCalls.value.filter(({ startedAt }) => Date.parse(startedAt) >= begin)
  const slots: CallSummary[][] = Array.from({ length: bars }, () => [])
  for (const call of recent) slots[Math.floor((Date.parse(call.startedAt) - begin) / barMs)]?.push(call)
  return (
    <div class="screen">
      <div class="bar">
        <h2>Metrics</h2>
        <span class="muted">
          Last {minutes} minutes in bars of {barMs / 1000} s, newest 5,000 calls
        </span>
      </div>
      <div class="tiles">
        <Tile title="Requests" value={String(recent.length)} />
        <Tile title="In flight" value={String(recent.filter(isInFlight).length)} />
        <Tile title="Errors" value={String(recent.filter(isError).length)} />
        <Tile title="Streams" value={String(recent.filter(isStream).length)} />
        <Tile title="Median duration" value={shown(quantile(durations(recent), 0.5), milliseconds)} />
        <Tile title="Duration, p95" value={shown(quantile(durations(recent), 0.95), milliseconds)} />
        <Tile
          title="Median time to first byte"
          value={shown(quantile(firstBytes(recent), 0.5), milliseconds)}
        />
        <Tile title="Median tokens per second" value={shown(quantile(throughputs(recent), 0.5), whole)} />
      </div>
      <div class="charts">
        <Chart
          title="Requests"
          unit={whole}
          series={[
            { name: 'All', kind: 'all', values: slots.map((slot) => slot.length) },
            { name: 'Errors', kind: 'part', values: slots.map((slot) => slot.filter(isError).length) },
          ]}
        />
        <Chart
          title="Duration"
          unit={milliseconds}
          series={[
            { name: 'p95', kind: 'all', values: slots.map((slot) => quantile(durations(slot), 0.95) ?? 0) },
            {
              name: 'Median',
              kind: 'inner',
              values: slots.map((slot) => quantile(durations(slot), 0.5) ?? 0),
            },
          ]}
        />
        <Chart
          title="Streams"
          unit={whole}
          series={[{ name: 'All', kind: 'all', values: slots.map((slot) => slot.filter(isStream).length) }]}
        />
        <Chart
          title="Stream throughput"
          unit={(value) => `${whole(value)} tokens per second`}
          series={[
            {
              name: 'Median',
              kind: 'inner',
              values: slots.map((slot) => quantile(throughputs(slot), 0.5) ?? 0),
            },
          ]}
        />
      </div>
    </div>
  )
}

function isInFlight({ delivery }: CallSummary): boolean {
  return delivery === 'pending'
}

function isStream({ stream }: CallSummary): boolean {
  return stream
}

function isError({ status, delivery }: CallSummary): boolean {
  return status === 0 || status >= 400 || delivery === 'aborted-by-fault'
}

function durations(calls: readonly CallSummary[]): number[] {
  return calls.flatMap(({ durationMs }) => durationMs ?? [])
}

/** Returns the times to the first byte of streams, in milliseconds. */
function firstBytes(calls: readonly CallSummary[]): number[] {
  return calls.filter(isStream).flatMap(({ firstByteMs }) => firstByteMs ?? [])
}

/** Returns the tokens per second of complete streams. */
function throughputs(calls: readonly CallSummary[]): number[] {
  return calls.flatMap(({ stream, delivery, tokens, durationMs, firstByteMs }) => {
    const span = (durationMs ?? 0) - (firstByteMs ?? 0)
    return stream && delivery === 'complete' && tokens > 0 && span > 1 ? tokens / (span / 1000) : []
  })
}

/** Returns a quantile of the values, or undefined if there are none. */
function quantile(values: readonly number[], share: number): number | undefined {
  const sorted = [...values].sort((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en')
}

function shown(value: number | undefined, unit: (value: number) => string): string {
  return value === undefined ? '–' : unit(value)
}

function Tile({ title, value }: { title: string; value: string }) {
  return (
    <dl class="tile">
      <dt>{title}</dt>
      <dd>{value}</dd>
    </dl>
  )
}

interface Series {
  name: string
  /** Colour of the bars: a total, its errors, or a smaller value drawn inside it. */
  kind: 'all' | 'part' | 'inner'
  /** Values, oldest first, drawn over the previous series. */
  values: readonly number[]
}

const width = 600
const height = 96

/** Bar chart of the last minutes. */
function Chart({
  title,
  series,
  unit,
}: {
  title: string
  series: readonly Series[]
  unit: (value: number) => string
}) {
  const highest = Math.max(0, ...series.flatMap(({ values }) => values))
  const peak = highest > 0 ? `Peak: ${unit(highest)}` : 'No data'
  return (
    <figure class="card">
      <figcaption>
        <strong>{title}</strong>
        {series.map(({ name, kind }) => (
          <span key={name} class={`key ${kind}`}>
            {name}
          </span>
        ))}
        <span class="muted">{peak}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}. ${peak}`}
      >
        <line x1="0" x2={width} y1={height} y2={height} class="axis" />
        {series.map(({ kind, values }) => {
          const step = width / values.length
          return values.map((value, index) => {
            const tall = (value / highest) * (height - 8)
            return (
              value > 0 && (
                <rect
                  key={index}
                  class={kind}
                  x={index * step + 1}
                  width={step - 2}
                  y={height - tall}
                  height={tall}
                />
              )
            )
          })
        })}
      </svg>
      <div class="ends muted">
        <span>{minutes} minutes ago</span>
        <span>now</span>
      </div>
    </figure>
  )
}
