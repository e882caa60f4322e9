/** Time axis that several calls share. */
import type { CallRow } from '../rows.ts'

export interface TimeAxis {
  /** Returns the position of a Unix time in milliseconds, from 0 to 1. */
  at(time: number): number
  /** Positions of shortened stretches. */
  cuts: readonly number[]
  /** Milliseconds since the first call at the positions 0.5 and 1. */
  ticks: readonly [middle: number, end: number]
}

/** Maximum length of a stretch without an event, relative to the duration that nine of ten calls do not exceed. */
const maxStretch = 2

/**
 * Makes an axis on which calls are legible despite long gaps and stalled streams: stretches in which no call begins or
 * ends are shortened to a few typical durations.
 */
export function timeAxis(calls: readonly Pick<CallRow, 'startedAt' | 'durationMs'>[]): TimeAxis {
  const durations = calls.flatMap(({ durationMs }) => durationMs ?? []).sort((left, right) => left - right)
  const longest = maxStretch * Math.max(1, durations[Math.floor((durations.length - 1) * 0.9)] ?? 0)
  const events = calls.flatMap(({ startedAt, durationMs }) => {
    const start = Date.parse(startedAt)
    return [start, start + (durationMs ?? 0)]
  })
  const times = [...new Set(events)].sort((left, right) => left - right)
  const [begin = 0] = times
  let total = 0
  const stretches = times.slice(1).map((to, index) => {
    const from = times[index] ?? to
    const stretch = { from, duration: to - from, length: Math.min(to - from, longest), offset: total }
    total += stretch.length
    return stretch
  })

  function at(time: number): number {
    const stretch = stretches.findLast(({ from }) => from <= time)
    if (!stretch) return 0
    const { from, duration, length, offset } = stretch
    return (offset + length * Math.min(1, (time - from) / duration)) / total
  }
  function sinceBegin(position: number): number {
    const stretch = stretches.findLast(({ offset }) => offset <= position * total)
    if (!stretch) return 0
    const { from, duration, length, offset } = stretch
    return from - begin + (duration * (position * total - offset)) / length
  }
  const cuts = stretches.filter(({ duration, length }) => length < duration)
  return {
    at,
    cuts: cuts.map(({ offset, length }) => (offset + length / 2) / total),
    ticks: [sinceBegin(0.5), sinceBegin(1)],
  }
}
