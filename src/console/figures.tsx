/**
 * Figures of the last minutes, of the calls that the page holds.
 */
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { CallSummary } from '../journal/call-summary.ts'
import { shownCalls } from './calls-store.ts'
import { milliseconds } from './parts.tsx'

const minutes = 5
const barMs = 5000
const bars = (minutes * 60_000) / barMs

export function Figures() {
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
  const streams = recent.filter(({ stream }) => stream)
  const failed = recent.filter(isError)
  const durations = recent.flatMap(({ durationMs }) => durationMs ?? [])
  const firsts = streams.flatMap(({ firstByteMs }) => firstByteMs ?? [])
  const paces = streams.flatMap(({ tokens, durationMs, firstByteMs }) => {
    const span = (durationMs ?? 0) - (firstByteMs ?? 0)
    return tokens > 0 && span > 1 ? tokens / (span / 1000) : []
  })
  return (
    <div class="screen">
      <div class="bar">
        <h2>Figures</h2>
        <span class="muted">The last {minutes} minutes, of the newest 1,000 calls</span>
      </div>
      <div class="tiles">
        <Tile title="Requests" value={String(recent.length)} />
        <Tile
          title="Under way"
          value={String(recent.filter(({ delivery }) => delivery === 'pending').length)}
        />
        <Tile title="Streams" value={String(streams.length)} />
        <Tile title="Errors" value={String(failed.length)} />
        <Tile title="Duration, median" value={of(durations, 0.5)} />
        <Tile title="Duration, 95 %" value={of(durations, 0.95)} />
        <Tile title="First event, median" value={of(firsts, 0.5)} />
        <Tile
          title="Tokens a second"
          value={paces.length > 0 ? String(Math.round(quantile(paces, 0.5))) : '–'}
        />
      </div>
      <Bars
        title="Requests and errors"
        unit={(value) => `${value}`}
        slots={slots.map((slot) => ({ all: slot.length, part: slot.filter(isError).length }))}
        legend={['Answered', 'Errors']}
      />
      <Bars
        title="Duration, median and 95 %"
        unit={(value) => milliseconds(value)}
        slots={slots.map((slot) => {
          const times = slot.flatMap(({ durationMs }) => durationMs ?? [])
          return { all: quantile(times, 0.95), part: 0, inner: quantile(times, 0.5) }
        })}
        legend={['95 %', 'Median']}
      />
      <Bars
        title="Streams"
        unit={(value) => `${value}`}
        slots={slots.map((slot) => ({ all: slot.filter(({ stream }) => stream).length, part: 0 }))}
        legend={['Streams']}
      />
    </div>
  )
}

function isError({ status, delivery }: CallSummary): boolean {
  return status === 0 || status >= 400 || delivery === 'cut'
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

function of(values: readonly number[], share: number): string {
  return values.length > 0 ? milliseconds(quantile(values, share)) : '–'
}

function Tile({ title, value }: { title: string; value: string }) {
  return (
    <dl class="tile">
      <dt>{title}</dt>
      <dd>{value}</dd>
    </dl>
  )
}

interface Slot {
  all: number
  /** Of these, stacked at the bottom in another colour. */
  part: number
  /** Drawn inside. */
  inner?: number
}

const width = 600
const height = 96

function Bars({
  title,
  slots,
  unit,
  legend,
}: {
  title: string
  slots: readonly Slot[]
  unit: (value: number) => string
  legend: readonly string[]
}) {
  const most = Math.max(1, ...slots.map(({ all }) => all))
  const step = width / slots.length
  const tall = (value: number) => (value / most) * (height - 8)
  const bar = (value: number, index: number, name: string) =>
    value > 0 && (
      <rect
        key={`${name}${index}`}
        class={name}
        x={index * step + 1}
        width={step - 2}
        y={height - tall(value)}
        height={tall(value)}
      />
    )
  return (
    <figure class="card">
      <figcaption>
        <strong>{title}</strong>
        {legend.map((name, index) => (
          <span
            key={name}
            class={index === 0 ? 'key all' : title.startsWith('Requests') ? 'key part' : 'key inner'}
          >
            {name}
          </span>
        ))}
        <span class="muted">
          at most {unit(most)} in {barMs / 1000} s
        </span>
      </figcaption>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}: at most ${unit(most)}`}
      >
        <line x1="0" x2={width} y1={height} y2={height} class="axis" />
        {slots.map(({ all }, index) => bar(all, index, 'all'))}
        {slots.map(({ part }, index) => bar(part, index, 'part'))}
        {slots.map(({ inner = 0 }, index) => bar(inner, index, 'inner'))}
      </svg>
      <div class="ends muted">
        <span>{minutes} minutes ago</span>
        <span>now</span>
      </div>
    </figure>
  )
}
